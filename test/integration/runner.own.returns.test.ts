/**
 * The runner beside the service, drained by an administrator and flagged: its process ends,
 * and another takes its place.
 */

import { MatchVoiding } from "@agon/server/match/MatchVoiding.ts"
import { OwnRunner } from "@agon/server/runner/fleet/OwnRunner.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { untilSuccess } from "../support/eventually.ts"
import { keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"
import { allowed } from "../support/slack.ts"

/** The newest session of the own key, once it is another than this one. */
const sessionAfter = (before: string | undefined) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql.unsafe<{ id: string; state: string }>(
      "SELECT r.id, r.state FROM runner r JOIN runner_key k ON k.id = r.key_id WHERE k.created_by IS NULL ORDER BY r.created_at DESC LIMIT 1"
    )
    return row !== undefined && row.id !== before && row.state === "active" ? row.id : yield* Effect.fail(new Error("no session yet"))
  }).pipe(untilSuccess)

layer(Service.layer({ runner_slots: 1 }), { excludeTestServices: true, timeout: "180 seconds" })("the runner beside the service", (it) => {
  it.effect("comes back with a new session when it was drained, and each time that it was flagged", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("admin")
      const here = yield* seasonOf("own", fleet, 0)
      const sql = yield* PgClient.PgClient
      const [season] = yield* sql.unsafe<{ id: string }>("SELECT id FROM season WHERE slug = $1", [here.slug])
      const flag = (runner: string) =>
        MatchVoiding.use((voiding) =>
          voiding.flag({ id: runner, key: null }, { season_id: season!.id, match: runner, detail: "It was wrong." })
        )
      const ends = [(runner: string) => fleet.admin.fleet.stopRunner({ params: { runner } }), ...[1, 2, 3, 4].map(() => flag)]
      let runner = yield* sessionAfter(undefined)
      const back_ms: Array<number> = []
      for (const end of ends) {
        const pid = (yield* OwnRunner).pid()
        yield* end(runner) as Effect.Effect<unknown>
        const ended = performance.now()
        runner = yield* sessionAfter(runner)
        back_ms.push(Math.round(performance.now() - ended))
        assert.notStrictEqual((yield* OwnRunner).pid(), pid)
      }
      console.log(`the runner beside the service was back after ${back_ms.join(", ")} ms`)
      for (const each_ms of back_ms) assert.isBelow(each_ms, allowed(10_000))
    })
  )
})
