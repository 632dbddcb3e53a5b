/** A runner with work of several seasons, of which one does not answer. */
import { LEASE_MS } from "@agon/domain/season/Lease.ts"
import { COMMIT_TIMEOUT } from "@agon/server/actor/SeasonActor.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { holding } from "../support/holding.ts"
import { isMatch, keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

/** The season of an open match, and when its lease ends. */
const openMatch = ({ lease }: { readonly lease: string }) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql<{ season: string; until: number }>`
        SELECT season_id::text AS season, (extract(epoch FROM until) * 1000)::float8 AS until FROM live WHERE id = ${lease.split(".")[0]!}`,
      ([row]) => ({ lease, ...row! })
    )
  )

layer(Service.layer(), { excludeTestServices: true, timeout: "120 seconds" })("a heartbeat for leases of two seasons", (it) => {
  it.effect("keeps those of the one at once while the other has nobody to write it", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("two seasons")
      for (const slug of ["one", "another"]) yield* seasonOf(slug, fleet)
      const runner = yield* fleet.open(["match"])
      const given = yield* fleet.client.runner.lease({ payload: { runner, max: 4, wait_s: 10 } })
      const matches = yield* Effect.forEach(given.leases.filter(isMatch), openMatch)
      const [away] = matches
      const there = matches.find(({ season }) => season !== away!.season)
      yield* holding(`SELECT 1 FROM season WHERE id = '${away!.season}' FOR UPDATE`)
      const sent = yield* Clock.currentTimeMillis
      const beat = fleet.client.runner.heartbeat({ payload: { runner, leases: [away!.lease, there!.lease] } })
      assert.strictEqual((yield* Effect.flip(beat))._tag, "unavailable")
      const kept = yield* openMatch(there!)
      assert.isBelow(kept.until - LEASE_MS - sent, Duration.toMillis(COMMIT_TIMEOUT) - 1_000)
    }).pipe(Effect.scoped)
  )
})
