/**
 * A runner that says of a rival's model that it was too slow: its replays follow the rules, and whoever plays them again takes the
 * timeouts as they were. Only what other keys see of the model tells.
 */

import { retryRefused } from "@agon/api/retryRefused.ts"
import { ReplayCheck, SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { played, toldOf } from "../support/playedMatch.ts"
import { hashOf, isMatch, keyed, playMatches, report, seasonOf, snakesZoo } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const service = Service.layer({ replay_check: 1, audit: 0 }).pipe(Layer.provide(Layer.succeed(SettledAfter, 0)))
const rival = hashOf(snakesZoo[1]!.build().weights)

layer(service, { excludeTestServices: true })("a runner that blames a rival's model for timeouts", (it) => {
  it.effect("is named in the audit log, with the matches, once another key has seen the model in time as often", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("honest")
      const here = yield* seasonOf("late", fleet)
      const honest = yield* fleet.open(["match"])
      const check = yield* ReplayCheck
      const sql = yield* PgClient.PgClient
      yield* playMatches(fleet.client, honest, 12)
      yield* check.look
      const liar = yield* keyed("liar", fleet.admin)
      const runner = yield* retryRefused(liar.open(["match"]))
      const matches: Array<string> = []
      for (let n = 0; n < 5; n++) {
        const { leases } = yield* liar.client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
        const [work] = leases.filter(isMatch)
        const forged = played(
          work!,
          work!.seats.filter(({ weights }) => weights.hash === rival).map(({ seat }) => seat)
        )
        yield* report(liar.client, work!, { replay: () => forged.replay, told: (told) => ({ ...told, ...toldOf(work!, forged) }) })
        matches.push(work!.match_id)
      }
      yield* check.look
      const ended = yield* sql<{ status: string }>`SELECT status FROM match WHERE ${sql.in("id", matches)}`
      assert.deepStrictEqual(new Set(ended.map(({ status }) => status)), new Set(["rated"])) // either may be wrong: nothing is voided
      const { audit } = yield* retryRefused(fleet.admin.notice.seasonAudit({ params: here, query: { limit: 5 } as never }))
      const doubts = audit.filter(({ action }) => action === "runner.doubt")
      assert.deepStrictEqual(
        doubts.map(({ actor, subject }) => ({ actor, subject })),
        [{ actor: null, subject: runner }]
      )
      assert.deepInclude(doubts[0]!.detail as object, { key: liar.key, matches })
    })
  )
})
