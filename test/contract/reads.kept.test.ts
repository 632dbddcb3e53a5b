/**
 * Lists of matches and results of models that are kept (match/list/KeptLists.ts), while seasons play on, lose
 * matches and are hidden: one service that has read them before, one that starts from what was stored, and
 * rows worked out here from all matches.
 */

import { makeListStore, StoredFrom } from "@agon/server/match/list/ListStore.ts"
import { makeFirstRows } from "@agon/server/match/list/listCaches.ts"
import type { Asked } from "@agon/server/match/list/listing.ts"
import { WholeCounts } from "@agon/server/match/list/WholeCounts.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { makeQueries } from "@agon/server/match/queries.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { makeResults } from "@agon/server/model/results.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { id, insertRows, seasonId, versionNumber, withoutFigures } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"

const SIZE = { matches: 6_000, entries: 40 }

const services = Matches.layer.pipe(
  Layer.provide(Layer.mock(Replays, { urlOf: () => Effect.succeed("") })),
  Layer.provideMerge([Seasons.layer, WholeCounts.layer])
)
const rows = Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) => Effect.andThen(insertRows(sql, SIZE), withoutFigures(sql))))
const web = Layer.merge(services, rows).pipe(Layer.provideMerge(Postgres.layer({ migrate: true })))

interface Seat {
  readonly version: string
  readonly model: string
  readonly owner: string
  readonly rank: number
  readonly made: number | null
  readonly open: number | null
}
interface Played {
  readonly id: string
  readonly season_id: string
  readonly ended_us: number
  readonly ladder: string | null
  readonly map: string
  readonly turns: number
  readonly closeness: number | null
  readonly upset: number | null
  readonly comments: number
  readonly classes: number
  readonly best_place: number
  readonly is_trial: boolean
  readonly seats: ReadonlyArray<Seat>
}

/** Everything that somebody may see who has no account. */
const everything = Effect.flatMap(PgClient.PgClient, (sql) =>
  sql.unsafe<Played>(`SELECT m.id, m.season_id, (extract(epoch FROM m.ended_at) * 1000000)::float8 AS ended_us, m.ladder, m.map_id AS map, m.turns,
      m.closeness, m.upset, m.classes, m.best_place, m.status = 'finished' AS is_trial,
      coalesce((SELECT comments FROM thread t WHERE t.match_id = m.id), 0) AS comments,
      (SELECT json_agg(json_build_object('version', y.version_id, 'model', y.model_id, 'owner', a.username, 'rank', y.rank,
          'made', y.made_change, 'open', y.open_change))
        FROM seat y JOIN account a ON a.id = y.owner_id WHERE y.match_id = m.id) AS seats
    FROM match m JOIN season s ON s.id = m.season_id LEFT JOIN version c ON c.id = m.candidate
    WHERE s.visibility = 'public' AND (m.status = 'rated' OR (m.status = 'finished' AND c.status IN ('entered', 'superseded')))`)
)

const model = id("model", 7)
const version = id("version", versionNumber(1, 7))
const met = id("model", 8)

const isOutcome = (match: Played, outcome: string, side: (seat: Seat) => boolean) =>
  match.seats.some((seat) => {
    if (!side(seat)) return false
    const shared = match.seats.some((other) => other !== seat && other.rank === 1)
    return outcome === (seat.rank > 1 ? "loss" : shared ? "draw" : "win")
  })

type Fits = (match: Played) => boolean
const has =
  (side: (seat: Seat) => boolean): Fits =>
  ({ seats }) =>
    seats.some(side)
const ofModel = (of: string) => has((seat) => seat.model === of)
const inBig: Fits = ({ season_id }) => season_id === seasonId(1)

const filters: ReadonlyArray<readonly [Partial<Asked>, Fits]> = [
  [{ model }, ofModel(model)],
  [{ version }, has((seat) => seat.version === version)],
  [{ owner: "owner4" }, has((seat) => seat.owner === "owner4")],
  [{ vs: `${model},${met}` }, (match) => ofModel(model)(match) && ofModel(met)(match)],
  [{ model, season: "big", game: "snakes" }, (match) => inBig(match) && ofModel(model)(match)],
  [{ model, game: "othello" }, () => false],
  [{ model, outcome: "win" }, (match) => isOutcome(match, "win", (seat) => seat.model === model)],
  [{ owner: "owner4", outcome: "draw" }, (match) => isOutcome(match, "draw", (seat) => seat.owner === "owner4")],
  [{ owner: "owner4", ladder: "open" }, (match) => match.ladder === "open" && has((seat) => seat.owner === "owner4")(match)],
  [{ model, map: "board-3" }, (match) => match.map === "board-3" && ofModel(model)(match)],
  [{ season: "big", game: "snakes", map: "old" }, (match) => inBig(match) && match.map === "old"],
  [{ season: "big", game: "snakes", map: "board-3" }, (match) => inBig(match) && match.map === "board-3"],
  [{ season: "big", game: "snakes", ladder: "small" }, (match) => inBig(match) && match.ladder === "small"],
  [{ season: "big", game: "snakes", top: 2 }, (match) => inBig(match) && !match.is_trial && match.best_place <= 2],
  [{ season: "big", game: "snakes", class: "large" }, (match) => inBig(match) && (match.classes & 16) !== 0]
]

const figures: Readonly<Record<Asked["sort"], (match: Played) => number | null>> = {
  newest: () => 0,
  longest: ({ turns }) => turns,
  closest: ({ closeness }) => closeness,
  upset: ({ upset }) => upset,
  discussed: ({ comments }) => comments
}
const OTHERS = ["longest", "closest", "upset", "discussed"] as const

const inOrder = (sort: Asked["sort"]) => (a: Played, b: Played) => {
  const [x, y] = [figures[sort](a) ?? -Infinity, figures[sort](b) ?? -Infinity]
  return x !== y ? y - x : a.ended_us !== b.ended_us ? b.ended_us - a.ended_us : a.id < b.id ? 1 : -1
}

const PAGES = [
  { limit: 25, cursor: 0 },
  { limit: 60, cursor: 30 },
  { limit: 25, cursor: 110 }
]

/** A service that has just started, and stores every list. */
const started = Effect.map(Layer.build(Layer.fresh(services)).pipe(Effect.provideService(StoredFrom, 0)), Context.get(Matches))

let turn = 0
/**
 * Each filter under `newest` and one sort more, one of the pages, as the service answers it
 * and as it is worked out here.
 */
const compareLists = Effect.fnUntraced(function* (when: string) {
  const both = [yield* Matches, yield* started]
  const all = yield* everything
  for (const [filter, fits] of filters)
    for (const sort of ["newest", OTHERS[turn % OTHERS.length]!] as const) {
      const page = PAGES[++turn % PAGES.length]!
      const of = all.filter((match) => fits(match) && (sort === "newest" || !match.is_trial))
      const listed = of.filter(({ is_trial }) => !is_trial || (filter.ladder === undefined && filter.top === undefined))
      const expected = listed.toSorted(inOrder(sort)).slice(page.cursor, page.cursor + page.limit)
      const { list } = yield* both[turn % both.length]!.list({ ...filter, sort, ...page } as Asked, null)
      const name = `${when}: ${JSON.stringify({ ...filter, sort, ...page })}`
      assert.strictEqual(list.total, of.filter(({ is_trial }) => !is_trial).length, name)
      assert.deepStrictEqual(
        list.matches.map(({ id }) => id),
        expected.map(({ id }) => id),
        name
      )
    }
  turn += 3 // not the same pages at every stage, nor from the same service
}, Effect.scoped)

type Results = Effect.Success<typeof makeResults>
/** The results of the model, as they are kept and as they are worked out here. */
const compareResults = Effect.fnUntraced(function* (resultsOf: Results, when: string) {
  const all = (yield* everything).filter((match) => inBig(match) && !match.is_trial)
  for (const ladder of ["open", "nano", "small"]) {
    const moved = all.flatMap((match) =>
      match.seats.flatMap((seat) => {
        const change = match.ladder === ladder ? seat.made : ladder === "open" ? seat.open : null
        return seat.model !== model || change === null ? [] : [{ ...match, change }]
      })
    )
    const by = (figure: (one: { readonly change: number }) => number) =>
      moved.toSorted((a, b) => figure(b) - figure(a) || inOrder("newest")(a, b)).map(({ id }) => id)
    const found = yield* resultsOf({ id: model, season_id: seasonId(1), ladder })
    const of = (which: (row: (typeof found)[number]) => boolean) => found.filter(which).map(({ match }) => match)
    assert.deepStrictEqual(
      of(({ nth }) => nth <= 5),
      by(() => 0).slice(0, 5),
      when
    )
    assert.deepStrictEqual(
      of(({ best }) => best),
      by(({ change }) => change).slice(0, 1),
      when
    )
    assert.deepStrictEqual(
      of(({ worst }) => worst),
      by(({ change }) => -change).slice(0, 1),
      when
    )
  }
})

const account = { id: id("account", 3), session_id: "", username: "owner3", admin: false }
/** All of an owner's matches, in every state and season. */
const compareOwn = Effect.fnUntraced(function* (when: string) {
  const both = [yield* Matches, yield* started]
  const owned =
    (yield* run(`SELECT m.id FROM match m WHERE EXISTS (SELECT 1 FROM seat x WHERE x.match_id = m.id AND x.owner_id = '${account.id}')
    ORDER BY CASE WHEN EXISTS (SELECT 1 FROM seat x WHERE x.match_id = m.id AND x.owner_id = '${account.id}' AND x.rank > 0)
      THEN m.ended_at ELSE m.created_at END DESC, m.id DESC`)) as ReadonlyArray<{ id: string }>
  for (const { cursor, limit } of [
    { limit: 25, cursor: 0 },
    { limit: 60, cursor: 140 },
    { limit: 60, cursor: owned.length - 30 }
  ]) {
    const { matches: page, total } = yield* both[++turn % both.length]!.own(account, undefined, { limit, cursor })
    assert.strictEqual(total, owned.length, when)
    assert.deepStrictEqual(
      page.map(({ id }) => id),
      owned.slice(cursor, cursor + limit).map(({ id }) => id),
      `${when}: own from ${cursor}`
    )
  }
}, Effect.scoped)

const MET_SEATS = 200
const RELATED = 12
const idsOf = (rows: unknown) => (rows as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
/** The last matches of the one of some models that has the fewest. */
const latestOfNarrowest = (models: ReadonlyArray<string>) =>
  Effect.map(
    run(`SELECT match_id AS id FROM seat WHERE model_id = (SELECT v.model_id FROM version v JOIN rating r ON r.version_id = v.id
        WHERE v.model_id IN ('${models.join("', '")}') GROUP BY v.model_id ORDER BY sum(r.matches), v.model_id LIMIT 1)
      ORDER BY ended_at DESC, match_id DESC LIMIT ${MET_SEATS}`),
    (rows) => new Set(idsOf(rows))
  )

/** Matches like one whose models have met a few times of late, and before that. */
const compareRelated = Effect.fnUntraced(function* (when: string) {
  const matches = yield* Matches
  const all = (yield* everything).filter(({ is_trial }) => !is_trial).toSorted(inOrder("newest"))
  for (const of of all) {
    if (of.seats.length !== 3 || !inBig(of)) continue
    const models = [...new Set(of.seats.map((seat) => seat.model))]
    const others = all.filter((match) => match !== of)
    const together = others.filter((match) => models.every((each) => ofModel(each)(match)))
    const latest = yield* latestOfNarrowest(models)
    const tiers = [
      together.filter(({ id }) => latest.has(id)),
      models.flatMap((each) => others.filter(ofModel(each)).slice(0, RELATED)).toSorted(inOrder("newest")),
      others.filter((match) => inBig(match) && match.map === of.map)
    ]
    if (tiers[0]!.length === together.length || tiers[0]!.length >= RELATED) continue
    const { list } = yield* matches.related(of.id, null)
    return assert.deepStrictEqual(idsOf(list.matches), idsOf([...new Set(tiers.flat())].slice(0, RELATED)), `${when}: related`)
  }
  assert.fail(`${when}: no models have met so`)
})

const run = (statement: string) => Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement))

const NEWEST = "s.newest"

/**
 * So many matches more of `big`, of those of the model and of others; some end at the instant
 * of the last one before them, or at another.
 */
const play = Effect.fnUntraced(function* (rated: number, count: number, begin = NEWEST) {
  const copy = (table: string, id: string, changes: string) => `INSERT INTO ${table} SELECT copy.* FROM next
    JOIN ${table} row ON row.${id} = next.of CROSS JOIN LATERAL jsonb_populate_record(row, jsonb_build_object(${changes})) copy`
  yield* run(`CREATE TABLE next AS SELECT i, m.id AS of, gen_random_uuid() AS id, ${begin} + (i / 2) * interval '1 second' AS ended_at
    FROM (SELECT id, row_number() OVER (ORDER BY (EXISTS (SELECT 1 FROM seat x WHERE x.match_id = m.id AND x.model_id = '${model}')) DESC, md5(id::text)) AS i
      FROM match m WHERE season_id = '${seasonId(1)}' AND status = 'rated') m
    CROSS JOIN (SELECT date_trunc('milliseconds', max(ended_at)) AS newest FROM match WHERE season_id = '${seasonId(1)}' AND status = 'rated') s
    WHERE i <= ${count}`)
  yield* run(
    copy(
      "match",
      "id",
      `'id', next.id, 'ended_at', next.ended_at, 'n', 1000000 + ${rated} + next.i, 'rated_n', ${rated} + next.i,
    'turns', 100 + next.i * 37 % 800`
    )
  )
  yield* run(
    copy("seat", "match_id", `'match_id', next.id, 'ended_at', next.ended_at, 'turns', row.turns - row.turns + 100 + next.i * 37 % 800`)
  )
  yield* run(`UPDATE season SET head = head || jsonb_build_object('rated', (head->>'rated')::int + ${count},
      'now', (SELECT (extract(epoch FROM max(ended_at)) * 1000)::float8 FROM next)) WHERE id = '${seasonId(1)}'`)
  yield* run(`DROP TABLE next`)
  // A match beyond the numbers that the season has given would be counted again by each read that goes on from there.
  const [{ given }] = (yield* run(`SELECT (head->>'rated')::int + coalesce((head->>'voided')::int, 0) AS given FROM season
    WHERE id = '${seasonId(1)}'`)) as [{ given: number }]
  assert.strictEqual(rated + count, given)
  return given
})

/** The newest match of the model that counts, and an older one; ratings are still those with both. */
const voidTwo = Effect.gen(function* () {
  yield* run(`CREATE TABLE gone AS (SELECT match_id AS id FROM seat WHERE model_id = '${model}' AND season_id = '${seasonId(1)}' AND made_mu IS NOT NULL
      ORDER BY ended_at DESC LIMIT 1) UNION (SELECT match_id FROM seat WHERE model_id = '${model}' AND season_id = '${seasonId(1)}'
      AND made_mu IS NOT NULL ORDER BY ended_at DESC OFFSET 60 LIMIT 1)`)
  yield* run("UPDATE match SET status = 'failed', rated_n = NULL WHERE id IN (SELECT id FROM gone)")
  yield* run("UPDATE seat SET rank = 0, made_mu = NULL, made_change = NULL WHERE match_id IN (SELECT id FROM gone)")
  yield* run(`UPDATE season SET head = jsonb_set(jsonb_set(head, '{rated}', to_jsonb((head->>'rated')::int - 2)), '{voided}',
    to_jsonb((head->>'voided')::int + 2)) WHERE id = '${seasonId(1)}'`)
  yield* run(
    `INSERT INTO voiding (season_id, match_id, n, round, ladder, versions) SELECT '${seasonId(1)}', id, 1, 1, 'open', '{}' FROM gone`
  )
  yield* run("DROP TABLE gone")
})

layer(web, { timeout: "60 seconds" })("kept lists of matches", (it) => {
  it.effect(
    "answer what there is, while seasons play on, lose matches, have trials passed and are hidden",
    () =>
      Effect.gen(function* () {
        const resultsOf = yield* makeResults
        const compare = (when: string) =>
          Effect.all([compareLists(when), compareResults(resultsOf, when), compareOwn(when), compareRelated(when)])
        yield* compare("at first")
        yield* compare("again")
        const [{ rated }] = (yield* run(`SELECT (head->>'rated')::int AS rated FROM season WHERE id = '${seasonId(1)}'`)) as [
          { rated: number }
        ]
        let n = yield* play(rated, 9)
        yield* compare("played on")
        n = yield* play(n, 300)
        yield* compare("played on for longer than is kept")
        yield* voidTwo
        yield* compare("voided")
        n = yield* play(n, 5)
        yield* compare("played on after a void")

        yield* run(
          `UPDATE seat SET made_change = made_change + hashtext(match_id::text) % 100 WHERE season_id = '${seasonId(1)}' AND made_mu IS NOT NULL`
        )
        yield* run(`UPDATE match SET upset = upset + hashtext(id::text) % 100 WHERE season_id = '${seasonId(1)}' AND status = 'rated'`)
        yield* run("DELETE FROM voiding")
        yield* compare("ratings were made without the voided matches")

        yield* run(`UPDATE version SET status = 'rejected' WHERE season_id = '${seasonId(1)}' AND ord % 3 = 0`)
        yield* compare("candidates do not pass")
        yield* run(`UPDATE version SET status = 'entered' WHERE season_id = '${seasonId(1)}' AND ord % 2 = 0`)
        yield* compare("some do")
        yield* run(`UPDATE season SET visibility = 'private' WHERE id = '${seasonId(2)}'`)
        yield* compare("a season is hidden")
        yield* run(`UPDATE season SET visibility = 'public' WHERE id = '${seasonId(2)}'`)
        yield* compare("and public again")
        assert.isAbove(n, rated)
      }),
    { timeout: 240_000 }
  )

  it.effect(
    "answer what there is, though a clock was an hour ahead and matches end before those that it has ended",
    () =>
      Effect.gen(function* () {
        const resultsOf = yield* makeResults
        const compare = (when: string) => Effect.all([compareLists(when), compareResults(resultsOf, when), compareOwn(when)])
        const [{ given, right }] = (yield* run(`SELECT (head->>'rated')::int + coalesce((head->>'voided')::int, 0) AS given,
          (head->>'now')::float8 AS right FROM season WHERE id = '${seasonId(1)}'`)) as [{ given: number; right: number }]
        let n = yield* play(given, 30, `${NEWEST} + interval '1 hour'`)
        yield* compare("ahead")
        const putBack = `'now', ${right}::float8, 'put_back', coalesce((head->>'put_back')::int, 0) + 1`
        yield* run(`UPDATE season SET head = head || jsonb_build_object(${putBack}) WHERE id = '${seasonId(1)}'`)
        yield* compare("put back")
        n = yield* play(n, 200, `to_timestamp(${right / 1_000 + 1})`)
        yield* compare("played on at the right time")
        n = yield* play(n, 40, `to_timestamp(${right / 1_000 + 200})`)
        yield* compare("and again")
        n = yield* play(n, 60, `${NEWEST} - interval '10 seconds'`)
        yield* compare("among those of the hour ahead")
        n = yield* play(n, 20)
        yield* compare("an hour later")
        assert.strictEqual(n, given + 350)
      }),
    { timeout: 240_000 }
  )

  it.effect("have the matches that came between the count and the first search", () =>
    Effect.gen(function* () {
      const queries = yield* makeQueries
      const firstRows = makeFirstRows(queries, (_, count) => count, yield* makeListStore)
      const [{ last, rated }] = (yield* run(`SELECT (head->>'rated')::int AS rated,
        (SELECT max(rated_n) FROM match WHERE season_id = s.id) AS last FROM season s WHERE id = '${seasonId(1)}'`)) as [
        { rated: number; last: number }
      ]
      for (const [i, sort] of (["newest", "longest"] as const).entries()) {
        const query: Asked = { map: "board-3", sort, limit: 25, cursor: 0 }
        const listing = { season_id: seasonId(1), game: null, viewer: null, query }
        const { found } = yield* queries.countOfSeason(listing, 0)
        yield* play(last + 600 * i, 600)
        const read = firstRows.ofSeason(listing, { ...found, of: rated, span: rated })
        yield* read
        const { rows } = yield* read
        const fit = (yield* everything).filter((match) => inBig(match) && !match.is_trial && match.map === "board-3")
        assert.isAbove(fit.length, found.total)
        const expected = fit.toSorted(inOrder(sort)).slice(0, rows.length)
        assert.isAtLeast(rows.length, 25)
        assert.deepStrictEqual(
          rows.map(({ id }) => id),
          expected.map(({ id }) => id),
          sort
        )
      }
    })
  )
})
