/**
 * Lists of matches against a list worked out in memory: every filter with every other and every sort, in
 * all the ways in which chance joins them, walked page by page. The meaning of the contract's words stands
 * here once more, in plain loops.
 */

import { MatchHandlers } from "@agon/server/match/http.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomOf } from "../support/Fuzz.ts"
import { insertRows, withoutFigures } from "../support/ManyRows.ts"
import { slow } from "../support/slow.ts"
import { call, noLookups, layer as webLayer } from "../support/Web.ts"

const SIZE = { matches: 1_200, entries: 1_200 }
const QUERIES = slow ? 2_000 : 120
/** Of each list so many matches are walked, a page of one row at a time here and there. */
const WALKED = 90
const seed = Number(process.env["AGON_SEED"] ?? 20_261_121)

/** The season's own counter says of these few exactly how many count. */
const filled = Layer.effectDiscard(
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.andThen(
      Effect.andThen(insertRows(sql, SIZE), withoutFigures(sql)),
      sql`UPDATE season s SET head = head || jsonb_build_object('rated',
        (SELECT count(*) FROM match m WHERE m.season_id = s.id AND m.status = 'rated'))`
    )
  )
)
const services = Matches.layer.pipe(Layer.provide(Layer.mock(Replays, {})), Layer.provide(Seasons.layer), Layer.provide(filled))
const web = webLayer({ handlers: MatchHandlers.pipe(Layer.provide(services)), served: ["match"] }).pipe(Layer.provide(noLookups))

interface Seat {
  readonly version: string
  readonly model: string
  readonly owner: string | null
  readonly class: string
  readonly rank: number
  readonly score: number
  readonly place: number | null
}
interface Match {
  readonly id: string
  readonly game: string
  readonly season: string
  readonly public: boolean
  readonly ladder: string | null
  readonly map: string
  readonly players: number
  readonly status: string
  readonly passed: boolean
  readonly ended_at: string
  readonly turns: number
  readonly upset: number | null
  readonly comments: number
  readonly seats: ReadonlyArray<Seat>
}

const everything = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<Match>`
    SELECT m.id, s.game, s.slug AS season, s.visibility = 'public' AS public, m.ladder, m.map_id AS map, b.players, m.status,
      c.status IN ('entered', 'superseded', 'disabled') AS passed, m.turns, m.upset,
      coalesce((SELECT t.comments FROM thread t WHERE t.match_id = m.id), 0) AS comments,
      to_char(m.ended_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS ended_at,
      (SELECT jsonb_agg(jsonb_build_object('version', y.version_id, 'model', y.model_id, 'owner', a.username, 'class', v.class, 'rank', y.rank,
          'score', y.score, 'place', y.place) ORDER BY y.seat)
        FROM seat y JOIN version v ON v.id = y.version_id LEFT JOIN account a ON a.id = y.owner_id WHERE y.match_id = m.id) AS seats
    FROM match m JOIN season s ON s.id = m.season_id JOIN board b ON b.season_id = m.season_id AND b.map_id = m.map_id
    LEFT JOIN version c ON c.id = m.candidate`
)

type Query = Readonly<Record<string, string>>

/** docs/contract.md#fields-of-a-match: alone in front, together in front, or neither. */
const outcomeOf = ({ seats }: Match, { rank }: Seat) =>
  rank > 1 ? "loss" : seats.filter((other) => other.rank === 1).length > 1 ? "draw" : "win"

const fits = (match: Match, { map, model, outcome, owner, version, vs, ...query }: Query) => {
  const { seats } = match
  const names = (seat: Seat) =>
    (model ?? seat.model) === seat.model && (version ?? seat.version) === seat.version && (owner ?? seat.owner) === seat.owner
  const side = seats.filter((seat) => names(seat) && (outcome === undefined || outcomeOf(match, seat) === outcome))
  return (
    (model === undefined && version === undefined && owner === undefined ? true : side.length > 0) &&
    (vs === undefined || vs.split(",").every((id) => seats.some((seat) => seat.model === id))) &&
    (query["season"] === undefined || match.season === query["season"]) &&
    (query["game"] === undefined || match.game === query["game"]) &&
    (map === undefined || match.map === map) &&
    (query["ladder"] === undefined || match.ladder === query["ladder"]) &&
    (query["class"] === undefined || seats.some((seat) => seat.class === query["class"])) &&
    match.players >= Number(query["players_min"] ?? 1) &&
    match.players <= Number(query["players_max"] ?? 8) &&
    (query["since"] === undefined || Date.parse(match.ended_at) >= Date.parse(query["since"])) &&
    (query["top"] === undefined || seats.some(({ place }) => place !== null && place <= Number(query["top"])))
  )
}

/** Minus the gap between first and second, relative to the first. */
const closeness = ({ seats }: Match): number | null => {
  const [first, second] = seats.toSorted((a, b) => a.rank - b.rank || b.score - a.score)
  if (first!.score === second!.score) return 0
  return first!.score === 0 ? null : -Math.abs(first!.score - second!.score) / Math.abs(first!.score)
}
const figures: Readonly<Record<string, (match: Match) => number | null>> = {
  closest: closeness,
  discussed: ({ comments }) => comments,
  longest: ({ turns }) => turns,
  upset: ({ upset }) => upset
}

const byTime = (a: Match, b: Match) => (a.ended_at === b.ended_at ? (a.id < b.id ? 1 : -1) : a.ended_at < b.ended_at ? 1 : -1)

const expected = (all: ReadonlyArray<Match>, asked: Query, seesAll: boolean) => {
  const { sort = "newest", ...given } = asked
  const aSide = ["model", "version", "owner", "vs"].some((name) => given[name] !== undefined)
  // Without a side and a season the list is that of the game's featured season.
  const query: Query = aSide || given["season"] !== undefined ? given : { ...given, season: given["game"] === "othello" ? "discs" : "big" }
  const fitting = all.filter((match) => (match.public || seesAll) && fits(match, query))
  const rated = fitting.filter(({ status }) => status === "rated")
  const trials = sort === "newest" ? fitting.filter(({ passed, status }) => status === "finished" && passed) : []
  const figure = figures[sort] ?? (() => 0)
  const value = (match: Match) => figure(match) ?? -Infinity
  const ordered = [...rated, ...trials].sort((a, b) => value(b) - value(a) || byTime(a, b))
  return { ids: ordered.map(({ id }) => id), total: rated.length, season: query["season"] ?? null }
}

/** Filters that fit a match there is, most of them; each is asked for in a third of the questions. */
const makeAsker = (random: () => number, all: ReadonlyArray<Match>) => {
  const pick = <A>(from: ReadonlyArray<A>) => from[Math.floor(random() * from.length)]!
  return (): Query => {
    const match = pick(all)
    const seat = pick(match.seats)
    const other = pick(match.seats.filter((one) => one.model !== seat.model))
    const parts: Record<string, () => string> = {
      model: () => seat.model,
      version: () => seat.version,
      owner: () => seat.owner ?? "nobody",
      vs: () => `${pick([seat, pick(all).seats[0]!]).model},${other.model}`,
      outcome: () => pick(["win", "draw", "loss"]),
      season: () => match.season,
      ladder: () => match.ladder ?? "open",
      class: () => pick([seat.class, pick(all).seats[0]!.class]),
      map: () => match.map,
      players_min: () => String(pick([1, 2, match.players])),
      players_max: () => String(pick([8, match.players, 2])),
      since: () => new Date(Date.parse(match.ended_at) - pick([0, 1, 40 * 86_400_000])).toISOString(),
      top: () => pick(["1", "5", "100", "1000"])
    }
    const share = pick([0.08, 0.2, 0.4])
    const chosen = Object.keys(parts).filter(() => random() < share)
    const query: Record<string, string> = Object.fromEntries(chosen.map((name) => [name, parts[name]!()]))
    if (query["season"] !== undefined || random() < 0.3) query["game"] = match.game
    if (query["model"] === undefined && query["version"] === undefined && query["owner"] === undefined) delete query["outcome"]
    const sort = pick(["newest", "closest", "upset", "longest", "discussed", undefined])
    return sort === undefined ? query : { ...query, sort }
  }
}

/** Every page from the first to the one that has none after it. */
const walked = Effect.fnUntraced(function* (path: string, query: Query, as: string, limit: number) {
  const ids: Array<string> = []
  let first: any
  for (let cursor = "0"; cursor !== null; ) {
    const { json, text } = yield* call(`${path}?${new URLSearchParams({ ...query, cursor, limit: String(limit) })}`, { as })
    assert.isArray(json.matches, text)
    first ??= json
    assert.deepStrictEqual([json.total, json.season, json.sort], [first.total, first.season, query["sort"] ?? "newest"])
    assert.isTrue(
      json.next_cursor === null ? json.matches.length <= limit : json.matches.length === limit,
      "a page before the last is full"
    )
    ids.push(...json.matches.map(({ id }: any) => id))
    cursor = ids.length > WALKED || (limit < 5 && ids.length > 6) ? null : json.next_cursor
  }
  return { ids, total: first.total, season: first.season }
})

layer(web, { excludeTestServices: true })("lists of matches", (it) => {
  it.effect(`answer any filters together under any sort as a plain search through all matches does (seed ${seed})`, () =>
    Effect.gen(function* () {
      const all = yield* everything
      const random = randomOf(seed)
      const ask = makeAsker(random, all)
      let found = 0
      for (let i = 0; i < QUERIES; i++) {
        const query = ask()
        const seesAll = random() < 0.4
        const path = seesAll ? "/v1/private/matches" : "/v1/matches"
        const limit = random() < 0.2 ? 1 + Math.floor(random() * 4) : 30 + Math.floor(random() * 31)
        if (!seesAll && query["season"] === "hidden") continue
        const should = expected(all, query, seesAll)
        const got = yield* walked(path, query, seesAll ? "root" : "ada", limit)
        const about = `seed ${seed}, question ${i}: ${path}?${new URLSearchParams(query)}&limit=${limit}`
        assert.deepStrictEqual(got, { ...should, ids: should.ids.slice(0, got.ids.length) }, about)
        if (got.ids.length < should.ids.length) assert.isAbove(got.ids.length, 6, about)
        if (should.ids.length > 0) found++
      }
      assert.isAbove(found, QUERIES / 4, "most questions found something")
    })
  )
})
