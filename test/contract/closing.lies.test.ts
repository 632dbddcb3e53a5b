/**
 * A close that is asked for freezes the podium, after which nothing is voided any more: so it waits for the check of every result,
 * of the last seconds and of the closing minute too. Otherwise a match is checked 20 seconds after its end, which stays so here.
 */

import { retryRefused } from "@agon/api/retryRefused.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { type Here, type Keyed, keyed, liar, playMatches, report, seasonOf, swapped } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const service = (replay_check: number) => Service.layer({ replay_check, audit: 0, runtimes: ["test"] })

/** Two honest matches, a lie just before the close, and one that is told once the season is closing. */
const lied = Effect.fnUntraced(function* (slug: string) {
  const fleet = yield* keyed(`honest ${slug}`)
  const here = yield* seasonOf(slug, fleet)
  const { admin, client, open } = fleet
  const runner = yield* open(["match"])
  yield* playMatches(client, runner, 2)
  const early = yield* liar(`early ${slug}`, fleet)
  yield* report(early.client, early.work, { told: swapped })
  const late = yield* liar(`late ${slug}`, fleet)
  yield* retryRefused(admin.seasonEditing.closeSeason({ params: here }))
  yield* report(late.client, late.work, { told: swapped })
  return { admin, here, early, late, closed: closed(admin, here) }
})

const closed = ({ season }: Keyed["admin"], here: Here) =>
  eventually(
    "the podium",
    Effect.map(retryRefused(season.season({ params: here })), ({ state }) => state === "closed")
  )

const matches = (id: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    sql.unsafe<{ readonly id: string; readonly status: string; readonly fault_reason: string | null; readonly rated_n: number | null }>(
      "SELECT m.id, m.status, m.fault_reason, m.rated_n::int FROM match m JOIN season s ON s.id = m.season_id WHERE s.slug = $1 AND m.status <> 'cancelled'",
      [id]
    )
  )

layer(service(1), { excludeTestServices: true })("a lie shortly before a close", (it) => {
  it.effect("is voided before the podium freezes, and so is one that is told while the season closes", () =>
    Effect.gen(function* () {
      const { admin, closed, early, here, late } = yield* lied("cup")
      yield* closed
      const rows = yield* matches(here.slug)
      const voided = rows.filter(({ id }) => [early.work.match_id, late.work.match_id].includes(id))
      assert.deepStrictEqual(
        voided.map(({ fault_reason, rated_n, status }) => ({ status, fault_reason, rated_n })),
        voided.map(() => ({ status: "failed", fault_reason: "replay_mismatch", rated_n: null }))
      )
      assert.lengthOf(voided, 2)
      assert.lengthOf(
        rows.filter(({ rated_n }) => rated_n !== null),
        2
      )
      const { audit } = yield* retryRefused(admin.notice.seasonAudit({ params: here, query: { limit: 50 } as never }))
      const own = audit.filter(({ actor }) => actor === null).map(({ action, subject }) => [action, subject])
      assert.sameDeepMembers(own, [
        ...voided.map(({ id }) => ["match.void", id]),
        ...[early, late].map(({ runner }) => ["runner.flag", runner])
      ])
      const { ladders } = yield* retryRefused(admin.season.podium({ params: here }))
      const query = { season: here.slug, ladder: "open" } as never
      const { entries } = yield* retryRefused(admin.leaderboard.leaderboard({ params: { game: here.game }, query }))
      assert.deepStrictEqual(
        entries.map(({ matches }) => matches),
        [2, 2]
      )
      assert.deepStrictEqual(ladders.open, []) // baselines take no place
    })
  )
})

layer(service(0), { excludeTestServices: true })("a service that checks no replays", (it) => {
  it.effect("closes a season without a wait", () =>
    Effect.gen(function* () {
      const { closed, early, here, late } = yield* lied("cup")
      yield* closed
      const ids = (yield* matches(here.slug)).filter(({ rated_n }) => rated_n !== null).map(({ id }) => id)
      assert.includeMembers([...ids], [early.work.match_id, late.work.match_id])
    })
  )
})
