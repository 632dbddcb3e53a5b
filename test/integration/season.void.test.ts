import { type Rating, rated, START, takenOver } from "@agon/domain/rating/Rating.ts"
import type { Command } from "@agon/domain/season/Command.ts"
import type { LogPage } from "@agon/domain/season/Log.ts"
import { mix } from "@agon/domain/season/Random.ts"
import { laddersRated } from "@agon/domain/season/Rules.ts"
import * as Fold from "@agon/domain/season/rating/Fold.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore, snapshot } from "@agon/domain/season/State.ts"
import * as testLog from "@agon/domain/season/testing/testLog.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import listing from "@agon/server/database/migrations/0004_listing.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { board, id, lease, outcome, report, settings, submit } from "../support/SeasonScript.ts"

const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(Postgres.layer({ migrate: true }))
)

/** A season on the database, with books kept beside it by other code. */
const stage = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const store = yield* SeasonStore
  const season = id("season", 1)
  yield* sql.unsafe("TRUNCATE game, account, live, match, seat, rating_seed CASCADE")
  yield* insertSeason(sql, season, settings())
  yield* insertPeople(sql, season, 40)
  const first = yield* store.claim(season)
  const state = restore(first.snapshot)
  const books = testLog.books()
  let { fence } = first
  let now = 2_000
  const obey = Effect.fnUntraced(function* <C extends Command>(command: C) {
    const reply = step(state, command, ++now)
    testLog.write(books, state)
    fence = yield* store.commit(fence, state)
    committed(state)
    return reply
  })
  const play = Effect.fnUntraced(function* (times: number) {
    for (let i = 0; i < times; i++) {
      for (const work of yield* obey(lease({ max: 2 }))) yield* obey(report(work, id("key", 1), mix(now) % 2))
    }
  })
  const enter = (n: number, number: number) =>
    obey(submit(n, { version: id("version", 100 * number + n), number, weights_hash: `sha256:${n}-${number}` }))
  /** As the next life would read it, which is this one's then. */
  const claimed = Effect.tap(store.claim(season), (next) => Effect.sync(() => void (fence = next.fence)))
  /** As Folding.ts does, with the rows for what is read and the books for what must be the same. */
  const refold = Effect.gen(function* () {
    const fold = Fold.begin(yield* store.log.place(season, 0), [])
    const stale = fence
    yield* claimed
    for (let page: LogPage; (page = yield* store.log.page(season, { round: 0, after: fold.n }, 30, false)).matches.length > 0; ) {
      const changes = Fold.fold(fold, page, 3)
      testLog.writeChanges(books, changes)
      if (changes.seats.length > 0) assert.strictEqual((yield* Effect.flip(store.log.rewrite(stale, changes)))._tag, "Fenced")
      yield* store.log.rewrite(fence, changes)
    }
    yield* play(2)
    const voiding = [...state.voiding.values()]
    const ladders = [...new Set(voiding.flatMap(({ ladder }) => laddersRated(ladder)))]
    const seated = voiding.flatMap(({ versions }) => versions)
    const earlier = (yield* Effect.forEach(ladders, (ladder) => store.log.earlier(season, ladder, seated, 0, 0))).flat()
    const tail = yield* store.log.page(season, { round: 0, after: fold.n }, 100, true)
    assert.isAbove(tail.matches.length, 0)
    const left = yield* store.log.left(
      season,
      [...fold.courses.values()].map(({ version }) => version)
    )
    const command = {
      _tag: "InstallFold",
      fold,
      voiding: new Set(state.voiding.keys()),
      earlier,
      tail_max: 100,
      rows: { tail, left }
    } as const
    assert.deepStrictEqual(yield* obey(command), { installed: true, stale: false })
  })
  return { books, claimed, enter, obey, play, refold, season, sql, state, store }
})

type Wanted = { readonly ladder: string; readonly version: string }
const inOrder = <A extends Wanted>(rows: ReadonlyArray<A>) =>
  [...rows].sort((a, b) => (a.ladder + a.version < b.ladder + b.version ? -1 : 1))
/** The ratings that the matches which count make of the seed, read from the tables alone. */
const replayed = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const rows = yield* sql.unsafe<{ rated_n: number; ladder: string; versions: Array<string>; ranks: Array<number> }>(
    `SELECT m.rated_n, m.ladder, array_agg(s.version_id ORDER BY s.seat) AS versions, array_agg(s.rank ORDER BY s.seat) AS ranks
     FROM match m JOIN seat s ON s.match_id = m.id WHERE m.status = 'rated' GROUP BY m.id ORDER BY m.rated_n`
  )
  const seeds = [
    ...(yield* sql.unsafe<{ ladder: string; version_id: string; of: string; n: number }>("SELECT * FROM rating_seed ORDER BY n, ord"))
  ]
  const ratings = new Map<string, Rating>()
  const applySeeds = (until: number) => {
    while (seeds.length > 0 && seeds[0]!.n < until) {
      const { ladder, of, version_id } = seeds.shift()!
      ratings.set(`${ladder} ${version_id}`, takenOver(ratings.get(`${ladder} ${of}`) ?? START))
    }
  }
  for (const { ladder, ranks, rated_n, versions } of rows) {
    applySeeds(rated_n)
    for (const each of new Set([ladder, "open"])) {
      const after = rated(
        versions.map((version) => ratings.get(`${each} ${version}`) ?? START),
        ranks
      )
      versions.forEach((version, i) => ratings.set(`${each} ${version}`, after[i]!))
    }
  }
  applySeeds(Infinity)
  return ratings
})

/** The seats of matches that count have the figures of their match, and say whether others finished first. */
const FIGURES_OF_SEATS = `SELECT count(*)::int AS seats,
    (count(*) FILTER (WHERE (y.closeness, y.upset, y.turns) IS DISTINCT FROM (m.closeness, m.upset, m.turns)
      OR y.shared IS DISTINCT FROM ((SELECT count(*) FROM seat z WHERE z.match_id = m.id AND z.rank = 1) > 1)))::int AS others
  FROM match m JOIN seat y ON y.match_id = m.id WHERE m.status = 'rated'`

/** The columns of a match that lists sort by are those that the migration, in SQL, would make of its seats. */
const sameFigures = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const read = () =>
    sql.unsafe<{ upset: number | null }>(
      "SELECT id, closeness, upset, classes, best_place FROM match WHERE status IN ('rated', 'finished') ORDER BY id"
    )
  const written = yield* read()
  const [found] = yield* sql.unsafe<{ seats: number; others: number }>(FIGURES_OF_SEATS)
  assert.isAbove(found!.seats, 100)
  assert.strictEqual(found!.others, 0)
  yield* sql.unsafe("UPDATE match SET closeness = 9, upset = 9, classes = 9, best_place = 9")
  yield* sql.unsafe(listing.split(/;\s*\n/).find((statement) => statement.includes("UPDATE match"))!)
  assert.deepStrictEqual(written, yield* read())
  assert.isAbove(written.filter(({ upset }) => upset !== null && upset > 0).length, 10)
})

/** The log that the store reads is that of the books. */
const sameLog = Effect.fnUntraced(function* ({ books, season, store }: Effect.Success<typeof stage>, match: string) {
  const [found] = yield* store.log.ended(season, [match, id("version", 999)])
  const { left, rejected, ...was } = found!
  assert.isNull(rejected)
  assert.deepInclude(books.ended.get(match), { ...was, seats: books.ended.get(match)!.seats })
  assert.deepStrictEqual(
    was.seats,
    books.ended.get(match)!.seats.map(({ strikes, version }) => ({ version, strikes }))
  )
  assert.deepStrictEqual(
    inOrder(left),
    inOrder(testLog.endedOf(books, match)!.left.filter(({ ladder }) => laddersRated(was.ladder!).includes(ladder)))
  )
  for (const [after, limit, end] of [
    [0, 20, false],
    [11, 20, true],
    [70, 200, false],
    [70, 200, true]
  ] as const) {
    const wanted = testLog.pageOf(books, { round: 0, after }, limit, end)
    const matches = wanted.matches.map(({ id, ladder, rated_n, round, seats }) => ({ id, ladder, rated_n, round, seats }))
    assert.deepStrictEqual(yield* store.log.page(season, { round: 0, after }, limit, end), { ...wanted, matches })
  }
  const versions = [...new Set([...books.ended.values()].flatMap((each) => each.versions))]
  for (const ladder of ["nano", "open"] as const) {
    const earlier = yield* store.log.earlier(season, ladder, versions, 30, 0)
    assert.deepStrictEqual(
      inOrder(earlier.map((each) => ({ ...each, means: [...each.means].sort((a, b) => a.n - b.n) }))),
      inOrder(testLog.earlierOf(books, ladder, versions, 30))
    )
  }
  return found!
})

layer(pg, { excludeTestServices: true })("a voided match on PostgreSQL", (it) => {
  it.effect("leaves the rows of a season that never had it, and the rows restore the season that goes on", () =>
    Effect.gen(function* () {
      const staged = yield* stage
      const { books, claimed, enter, obey, play, refold, season, sql, state, store } = staged
      for (const command of board("plain")) yield* obey(command)
      for (let n = 1; n <= 6; n++) yield* obey(submit(n))
      yield* play(40)
      yield* enter(1, 2)
      yield* play(20)
      yield* enter(1, 3)
      yield* enter(2, 2)
      yield* play(20)
      for (const at of [0.2, 0.05, 0.95]) {
        const matches = [...books.ended.values()].filter(({ rated_n }) => rated_n !== null)
        const match = matches[Math.floor(at * matches.length)]!.id
        const found = yield* sameLog(staged, match)
        assert.deepStrictEqual(yield* obey({ _tag: "VoidMatch", match, detail: "Turns: 5 told, 7 played.", found }), {
          voided: true
        })
        assert.strictEqual(state.voiding.size, 1)
        assert.deepStrictEqual(restore((yield* claimed).snapshot).voiding, state.voiding)
        yield* play(5)
        yield* refold
        assert.strictEqual(state.voiding.size, 0)

        const ratings = yield* replayed(sql)
        const rows = yield* sql.unsafe<Rating & { ladder: string; version_id: string }>("SELECT ladder, version_id, mu, sigma FROM rating")
        for (const { ladder, mu, sigma, version_id } of rows) {
          assert.deepStrictEqual({ version_id, mu, sigma }, { version_id, ...(ratings.get(`${ladder} ${version_id}`) ?? START) })
        }
        const seats = yield* sql.unsafe<{ id: string; seat: number; mu: number; sigma: number; change: number }>(
          "SELECT match_id AS id, seat, made_mu AS mu, made_sigma AS sigma, made_change AS change FROM seat WHERE made_mu IS NOT NULL"
        )
        for (const { id, seat, ...made } of seats) assert.deepStrictEqual(made, { ...books.ended.get(id)!.seats[seat]!.made! })
        const [row] = yield* sql.unsafe(
          `SELECT m.status, m.rated_n, m.fault_reason, m.fault_detail, sum(s.rank)::int AS ranks, count(s.made_mu)::int AS made
           FROM match m JOIN seat s ON s.match_id = m.id WHERE m.id = $1::uuid GROUP BY m.id`,
          [match]
        )
        const failed = { status: "failed", rated_n: null, fault_reason: "replay_mismatch", fault_detail: "Turns: 5 told, 7 played." }
        assert.deepStrictEqual(row, { ...failed, ranks: 0, made: 0 })
        const [{ n }] = (yield* sql.unsafe<{ n: number }>("SELECT count(*)::int AS n FROM match WHERE status = 'rated'")) as [{ n: number }]
        assert.strictEqual(state.rated, n)
        yield* play(3)
      }
      yield* sameFigures(sql)
      const { fence: _, snapshot: rows } = yield* store.claim(season)
      const by = (all: ReturnType<typeof snapshot>["ratings"]) =>
        [...all].sort((a, b) => (a.ladder + a.version < b.ladder + b.version ? -1 : 1))
      assert.deepStrictEqual(by(snapshot(restore(rows)).ratings), by(snapshot(state).ratings))
    })
  )

  it.effect("of a disqualified entry, and the entry itself, are in the rows as in the season, through restarts and until it is back", () =>
    Effect.gen(function* () {
      const staged = yield* stage
      const { books, enter, obey, play, refold, season, sql, state, store } = staged
      for (const command of board("plain")) yield* obey(command)
      for (let n = 1; n <= 6; n++) yield* obey(submit(n))
      yield* play(40)
      const by = (rows: ReturnType<typeof snapshot>) => ({
        ...rows,
        ratings: inOrder(rows.ratings),
        versions: [...rows.versions].sort((a, b) => a.ord - b.ord),
        owners: [...rows.owners].sort((a, b) => (a.id < b.id ? -1 : 1))
      })
      const same = Effect.gen(function* () {
        const { snapshot: rows } = yield* staged.claimed
        assert.deepStrictEqual(by(snapshot(restore(rows))), by(snapshot(state)))
        const ratings = yield* replayed(sql)
        for (const { ladder, mu, sigma, version } of rows.ratings)
          assert.deepStrictEqual({ version, mu, sigma }, { version, ...(ratings.get(`${ladder} ${version}`) ?? START) })
      })
      const reason = "It broke the rules."
      assert.deepStrictEqual(yield* obey({ _tag: "Disqualify", version: id("version", 1), reason }), { status: "disqualified" })
      assert.deepStrictEqual(yield* obey({ _tag: "SwitchOwner", owner: id("owner", 2), removed: true }), { switched: 1 })
      yield* same
      yield* enter(1, 2)
      yield* play(20)
      yield* same
      const match = [...books.ended.values()].find(({ rated_n, versions }) => rated_n !== null && versions.includes(id("version", 1)))!.id
      const [found] = yield* store.log.ended(season, [match])
      assert.deepStrictEqual(yield* obey({ _tag: "VoidMatch", match, detail: reason, found: found! }), { voided: true })
      yield* refold
      yield* same
      assert.deepStrictEqual(yield* obey({ _tag: "Reinstate", version: id("version", 1) }), { status: "superseded", phase: null })
      assert.deepStrictEqual(yield* obey({ _tag: "SwitchOwner", owner: id("owner", 2), removed: false }), { switched: 1 })
      yield* play(20)
      yield* same
      assert.strictEqual(state.active, 6)
    })
  )

  it.effect("of a failed trial clears its candidate, in the rows as in the season, and ends its owner's cooldown", () =>
    Effect.gen(function* () {
      const cooling = { ...settings().rules, cooldown_s: 3_600 }
      const { books, claimed, obey, season, sql, state, store } = yield* stage
      state.settings = { ...state.settings, rules: cooling }
      for (const command of board("plain")) yield* obey(command)
      yield* obey(submit(1))
      for (const work of yield* obey(lease())) yield* obey(report(work))
      for (const work of yield* obey(lease())) {
        const { seats, ...rest } = outcome(2)
        const struck = seats.map((seat) => ({ ...seat, strikes: cooling.match.strike_limit }))
        yield* obey({ _tag: "ReportMatch", key: id("key", 1), lease: work.lease, outcome: { ...rest, seats: struck } })
      }
      const stored = sql.unsafe("SELECT status, reject_reason, reject_detail, trial_played, trial_failed, trial_void FROM version")
      const cooldowns = Effect.map(claimed, ({ snapshot: { owners } }) => owners.map(({ last_submitted_at }) => last_submitted_at))
      assert.deepInclude((yield* stored)[0], { status: "rejected", reject_reason: "trial_failed", trial_played: 1, trial_failed: 1 })
      assert.deepStrictEqual(yield* cooldowns, [state.owners.get(id("owner", 1))!.last_submitted_at])

      const [trial] = [...books.ended.keys()]
      const [found] = yield* store.log.ended(season, [trial!])
      assert.deepStrictEqual(found!.rejected, testLog.endedOf(books, trial!)!.rejected, "as the books have it")
      assert.deepStrictEqual(yield* obey({ _tag: "VoidMatch", match: trial!, detail: "It was not so.", found: found! }), { voided: true })
      const cleared = { status: "rejected", reject_reason: "admission_unavailable", trial_played: 0, trial_failed: 0, trial_void: 1 }
      assert.deepInclude((yield* stored)[0], cleared)
      assert.isFalse((yield* cooldowns).some((at) => at !== null))
      const anew = submit(1, { version: id("version", 101), number: 2 })
      assert.propertyVal(yield* obey(anew), "fresh", true, "with the same weights and at once")
    })
  )
})
