/**
 * The most discussed matches of a season, a filter or a side against a statement that goes through all there are, page by page,
 * while comments come and go and matches are voided.
 */

import type { Asked } from "@agon/server/match/list/listing.ts"
import { Matches, type ReadMatches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { id, insertRows, type Size, seasonId, versionNumber } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"

const services = Matches.layer.pipe(Layer.provide(Layer.mock(Replays, {})), Layer.provideMerge(Seasons.layer))
const rows = (size: Size) => Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, size)))
const web = (size: Size) => Layer.merge(services, rows(size)).pipe(Layer.provideMerge(Postgres.layer({ migrate: true })))

const run = (statement: string) => Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<{ id: string }>(statement))

/** A filter, and the same as a condition on a match `m`. */
type Filter = readonly [Partial<Asked>, string]

const has = (seat: string) => `EXISTS (SELECT 1 FROM seat x JOIN version v ON v.id = x.version_id WHERE x.match_id = m.id AND ${seat})`
const isShared = "EXISTS (SELECT 1 FROM seat z WHERE z.match_id = x.match_id AND z.rank = 1 AND z.seat <> x.seat)"
const big = (query: Partial<Asked>, where = "true"): Filter => [
  { season: "big", game: "snakes", ...query },
  `m.season_id = '${seasonId(1)}' AND ${where}`
]
const players = "(SELECT b.players FROM board b WHERE b.season_id = m.season_id AND b.map_id = m.map_id)"

const ofSeason: ReadonlyArray<Filter> = [
  big({}),
  big({ ladder: "nano" }, "m.ladder = 'nano'"),
  big({ ladder: "large" }, "m.ladder = 'large'"),
  big({ class: "micro" }, has("v.class = 'micro'")),
  big({ class: "large" }, has("v.class = 'large'")),
  big({ map: "board-3" }, "m.map_id = 'board-3'"),
  big({ map: "old" }, "m.map_id = 'old'"),
  big({ map: "none" }, "false"),
  big({ players_min: 4 }, `${players} >= 4`),
  big({ top: 10 }, has("x.place <= 10")),
  big({ top: 1 }, has("x.place <= 1")),
  big({ since: "2026-10-20T00:00:00Z" }, "m.ended_at >= '2026-10-20T00:00:00Z'"),
  big({ class: "large", map: "board-3" }, `${has("v.class = 'large'")} AND m.map_id = 'board-3'`),
  big({ ladder: "nano", top: 30, players_max: 2 }, `m.ladder = 'nano' AND ${has("x.place <= 30")} AND ${players} <= 2`)
]

const model = id("model", 7)
const [version, met] = [id("version", versionNumber(1, 7)), id("model", 8)]
const ofSide: ReadonlyArray<Filter> = [
  [{ model }, has(`v.model_id = '${model}'`)],
  [{ version }, has(`v.id = '${version}'`)],
  [{ owner: "owner4" }, has("v.owner_id = (SELECT id FROM account WHERE username = 'owner4')")],
  [{ vs: `${model},${met}` }, `${has(`v.model_id = '${model}'`)} AND ${has(`v.model_id = '${met}'`)}`],
  [{ model, outcome: "draw" }, has(`v.model_id = '${model}' AND x.rank = 1 AND ${isShared}`)],
  [{ model, outcome: "win" }, has(`v.model_id = '${model}' AND x.rank = 1 AND NOT ${isShared}`)],
  [{ model, class: "micro" }, `${has(`v.model_id = '${model}'`)} AND ${has("v.class = 'micro'")}`],
  [
    { owner: "owner4", ladder: "open", since: "2026-09-01T00:00:00Z" },
    `${has("v.owner_id = (SELECT id FROM account WHERE username = 'owner4')")} AND m.ladder = 'open' AND m.ended_at >= '2026-09-01T00:00:00Z'`
  ]
]

const comments = "coalesce((SELECT t.comments FROM thread t WHERE t.match_id = m.id), 0)"
const LIMIT = 30
const PAGES = 7

const compare = Effect.fnUntraced(function* (filters: ReadonlyArray<Filter>, when: string) {
  const matches = yield* Matches
  for (const [query, where] of filters) {
    const expected = yield* run(`SELECT m.id FROM match m JOIN season s ON s.id = m.season_id AND s.visibility = 'public'
      WHERE m.status = 'rated' AND ${where} ORDER BY ${comments} DESC, m.ended_at DESC, m.id DESC LIMIT ${LIMIT * PAGES}`)
    const found: Array<string> = []
    let next: string | null = "0"
    while (next !== null && found.length < LIMIT * PAGES) {
      const asked = { sort: "discussed", limit: LIMIT, ...query, cursor: Number(next) } as Asked
      const { list }: ReadMatches = yield* matches.list(asked, null)
      found.push(...list.matches.map((match) => match.id))
      next = list.next_cursor
    }
    assert.deepStrictEqual(
      found,
      expected.map((row) => row.id),
      `${when}: ${JSON.stringify(query)}`
    )
  }
})

/** Every thirteenth match gets a thread with up to three comments, every second thread has one comment less. */
const talk = Effect.gen(function* () {
  yield* run(`INSERT INTO thread (id, match_id, season_id, ended_at, created_at) SELECT id, id, season_id, ended_at, ended_at FROM match
    WHERE status = 'rated' AND hashtext(id::text) % 13 = 0 ON CONFLICT DO NOTHING`)
  yield* run("UPDATE thread SET comments = comments + 1 + abs(hashtext(id::text)) % 3 WHERE hashtext(match_id::text) % 13 = 0")
  yield* run("UPDATE thread SET comments = comments - 1 WHERE comments > 0 AND hashtext(match_id::text) % 2 = 0")
})

const silence = run("UPDATE thread SET comments = 0 WHERE hashtext(match_id::text) % 3 <> 0")
const voidSome = run(`WITH gone AS (UPDATE match SET status = 'failed', rated_n = NULL WHERE status = 'rated' AND id IN
    (SELECT t.match_id FROM thread t WHERE t.comments > 1 AND hashtext(t.match_id::text) % 5 = 0) RETURNING id)
  UPDATE seat SET rank = 0, made_mu = NULL, made_change = NULL WHERE match_id IN (SELECT id FROM gone)`)

const follow = (filters: ReadonlyArray<Filter>) =>
  Effect.gen(function* () {
    yield* compare(filters, "at first")
    yield* talk
    yield* compare(filters, "comments were written")
    yield* silence
    yield* compare(filters, "most are gone")
    yield* voidSome
    yield* run("UPDATE season SET head = jsonb_set(head, '{voided}', '999')")
    yield* compare(filters, "matches are voided")
  })

const TIME = { timeout: 120_000 }
/** Few matches have some class: fewer than one of forty, and more than are kept. */
layer(web({ matches: 20_000, entries: 2_000 }), { timeout: "60 seconds" })("the most discussed matches of a season", (it) => {
  it.effect("are those with most comments, and then the newest, whatever they are filtered by", () => follow(ofSeason), TIME)
})
/** A side has more matches than are kept. */
layer(web({ matches: 6_000, entries: 40 }), { timeout: "60 seconds" })("the most discussed matches of a side", (it) => {
  it.effect("are those with most comments, and then the newest, whatever they are filtered by", () => follow(ofSide), TIME)
})
