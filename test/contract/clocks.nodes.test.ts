/**
 * Nodes whose clocks differ by 50 s share a database. One of them writes when a runner last called and until
 * when it holds an audit; the others compare these instants with the present.
 */

import { SharedClock } from "@agon/server/database/SharedClock.ts"
import { SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { MatchVoiding } from "@agon/server/match/MatchVoiding.ts"
import { Parking } from "@agon/server/parking/Parking.ts"
import { Runners } from "@agon/server/runner/session/Runners.ts"
import { LeasePayloads } from "@agon/server/runner/work/LeasePayloads.ts"
import { ReplayAudits } from "@agon/server/runner/work/ReplayAudits.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { eventually, untilSuccess } from "../support/eventually.ts"
import { built, onHost } from "../support/onHost.ts"
import { isAudit, keyed, playMatches, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const APART_MS = 50_000
const AHEAD = APART_MS
const BEHIND = -APART_MS
/** A reading of the database's clock may take so long where the machine is busy. */
const NEAR_MS = 5_000

const service = Service.layer({ replay_check: 0, audit: 1 }).pipe(Layer.provide(Layer.succeed(SettledAfter, 0)))

layer(service, { excludeTestServices: true })("nodes whose clocks differ", (it) => {
  it.effect("agree on the time, which is the database's", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      for (const ahead_ms of [AHEAD, BEHIND]) {
        const now_ms = yield* onHost(
          ahead_ms,
          Effect.flatMap(built(SharedClock.layer), (node) => Context.get(node, SharedClock).now_ms)
        )
        const [row] = yield* sql<{ readonly at: number }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`
        assert.isBelow(Math.abs(row!.at - now_ms), NEAR_MS)
      }
    })
  )

  it.effect("do not find a runner gone that calls the others", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { key } = yield* keyed("calls")
      const about = { name: "rack", runtime_version: "test", engines: [], accepts: ["match"], slots: 1 } as const
      const { calls, silent } = yield* onHost(
        BEHIND,
        Effect.gen(function* () {
          const { open } = Context.get(yield* built(Runners.layer), Runners)
          const opened = Effect.map(open({ id: key, season_id: null }, about), ({ runner }) => runner)
          return { calls: yield* opened, silent: yield* opened }
        })
      )
      yield* sql`UPDATE runner SET last_seen_at = now() - interval '3 minutes' WHERE id = ${silent}`
      yield* onHost(AHEAD, built(Runners.layer)) // sweeps at once
      const stateOf = (id: string) =>
        Effect.map(sql<{ readonly state: string }>`SELECT state FROM runner WHERE id = ${id}`, ([row]) => row!.state)
      yield* eventually(
        "the silent one is gone",
        Effect.map(stateOf(silent), (state) => state === "gone")
      )
      assert.strictEqual(yield* stateOf(calls), "active")
    })
  )

  it.effect("leave an audit to the runner that plays it", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("plays")
      yield* seasonOf("kept", fleet)
      yield* playMatches(fleet.client, yield* fleet.open(["match"]), 1)
      const { client, open } = yield* keyed("audits", fleet.admin)
      const runner = yield* open(["audit"])
      const asked = Effect.map(client.runner.lease({ payload: { runner, max: 1, wait_s: 20 } }), ({ leases }) => leases.filter(isAudit))
      const [work] = yield* untilSuccess(Effect.filterOrFail(asked, (works) => works.length > 0))
      const audits = ReplayAudits.layer.pipe(Layer.provide([Layer.mock(MatchVoiding, {}), Layer.mock(LeasePayloads, {}), Parking.layer]))
      yield* onHost(
        AHEAD,
        Effect.flatMap(built(audits), (node) => Context.get(node, ReplayAudits).look)
      )
      const { leases } = yield* client.runner.heartbeat({ payload: { runner, leases: [work!.lease] } })
      assert.property(leases[0], "expires_at")
    })
  )
})
