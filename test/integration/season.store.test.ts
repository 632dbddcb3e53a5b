import type { Command, Work } from "@agon/domain/season/Command.ts"
import { returned } from "@agon/domain/season/clock/Absence.ts"
import type { Settings } from "@agon/domain/season/Rules.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore, snapshot as rowsOf, type State } from "@agon/domain/season/State.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { RATINGS_PER_S } from "@agon/server/actor/WaitingRatings.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { hasty } from "../support/hastyClock.ts"
import * as MemoryStore from "../support/MemoryStore.ts"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { board, id, lease, report, settings, submit } from "../support/SeasonScript.ts"

type Create<R> = (season: string, settings: Settings) => Effect.Effect<void, unknown, R>
type It<R> = { readonly effect: (name: string, test: () => Effect.Effect<void, unknown, SeasonStore | R>) => void }

const sorted = ({ id, head, settings, versions, left, owners, ratings, boards, rounds, live, reviews }: ReturnType<typeof rowsOf>) => {
  const by = <A>(rows: ReadonlyArray<A>, key: (row: A) => string) => [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return {
    id,
    head,
    settings,
    versions: by(versions, (row) => row.id),
    left: by(left, (row) => row.model + row.weights_hash),
    owners: by(
      owners.filter((row) => row.last_submitted_at !== null),
      (row) => row.id
    ),
    ratings: by(ratings, (row) => row.ladder + row.version),
    boards: by(boards, (row) => row.id),
    rounds,
    live: by(live, (row) => row.id),
    reviews: by(reviews, (row) => row.version)
  }
}

/** The promises of every `SeasonStore`. */
const conformance = <R>(it: It<R>, create: Create<R>) => {
  let seasons = 0
  const claimed = Effect.gen(function* () {
    const store = yield* SeasonStore
    const season = id("season", ++seasons)
    yield* create(season, settings())
    const { fence, snapshot } = yield* store.claim(season)
    const state = restore(snapshot)
    let now = 2_000
    let last = fence
    /** Obeys and commits, and checks that a claim would read what the state holds. */
    const obey = Effect.fnUntraced(function* <C extends Command>(command: C) {
      const reply = step(state, command, (now += 10))
      last = yield* store.commit(last, state)
      committed(state)
      return reply
    })
    const rows = Effect.map(store.claim(season), ({ fence, snapshot }) => {
      last = fence
      return snapshot
    })
    const read = Effect.map(rows, restore)
    const play = Effect.gen(function* () {
      const works = yield* obey(lease({ max: 16 }))
      for (const work of works) yield* obey(report(work))
      return works
    })
    const pass = (ms: number) =>
      Effect.sync(() => {
        now += ms
      })
    return { fence, obey, pass, play, read, rows, season, state, store }
  })
  const same = (read: State, held: State) => assert.deepStrictEqual(sorted(rowsOf(read)), sorted(rowsOf(held)))

  it.effect("a claim reads what the commits wrote, of every kind of row", () =>
    Effect.gen(function* () {
      const { obey, play, read, rows, state } = yield* claimed
      for (const command of [...board("plain"), ...board("four", 4), ...board("spare")]) yield* obey(command)
      yield* obey({ _tag: "SwitchBoard", board: "spare", enabled: false })
      same(yield* read, state)
      for (let n = 1; n <= 12; n++) yield* obey(submit(n))
      yield* obey(submit(9001, { owner: null }))
      yield* obey(submit(20, { files: null }))
      yield* obey(submit(21, { files: null }))
      yield* obey({ _tag: "RejectFiles", version: id("version", 21), reject_reason: "hash_mismatch", reject_detail: "The bytes differ." })
      const [review] = yield* obey(lease({ matches: false }))
      same(yield* read, state)
      yield* obey(report(review!))
      for (let i = 0; i < 8; i++) yield* play
      yield* obey({ _tag: "SwitchBaseline", version: id("version", 9001), enabled: true })
      for (let i = 0; i < 8; i++) yield* play
      yield* obey({ _tag: "SwitchBaseline", version: id("version", 9001), enabled: false })
      yield* obey(lease({ max: 2 }))
      same(yield* read, state)
      const { ratings } = yield* rows
      const places = ratings.map(({ ladder, ord }) => `${ladder} ${String(ord).padStart(4, "0")}`)
      assert.deepStrictEqual(places, places.toSorted(), "in an order that does not depend on where the rows are")
      assert.isAbove(state.rated, 10)
      assert.isAbove(state.live.size, 1)
    })
  )

  it.effect("rounds, settings, a superseded version and the close are read back too", () =>
    Effect.gen(function* () {
      const { obey, play, read, season, state, store } = yield* claimed
      for (const command of board("plain")) yield* obey(command)
      for (let n = 1; n <= 4; n++) yield* obey(submit(n))
      for (let i = 0; i < 6; i++) yield* play
      yield* obey(submit(1, { version: id("version", 50), number: 2, weights_hash: "sha256:w50" }))
      for (let i = 0; i < 6; i++) yield* play
      assert.isFalse(state.versions_by_id.has(id("version", 1)))
      assert.deepStrictEqual(rowsOf(state).left, [{ model: id("model", 1), owner: id("owner", 1), weights_hash: "sha256:w1" }])
      same(yield* read, state)
      yield* obey({ _tag: "EditSettings", settings: { fill: { enabled: true, max_per_hour: 7 } }, scheduledOnly: false, audit: audit(1) })
      yield* obey({ _tag: "PlanRound", kind: "round", games: 1, starts_at: state.now + 100, audit: audit(2) })
      yield* obey({ _tag: "PlanRound", kind: "finals", games: 1, starts_at: state.now + 5_000 })
      yield* obey({ _tag: "PatchRound", n: 2, withdrawn: true })
      for (let i = 0; i < 20; i++) yield* play
      assert.strictEqual(state.round, 1)
      same(yield* read, state)
      assert.include(yield* store.open, season)
      yield* obey({ _tag: "CloseSeason", audit: audit(3) })
      assert.strictEqual(state.phase, "closed")
      assert.strictEqual((yield* Effect.flip(store.claim(season)))._tag, "SeasonClosed")
      assert.notInclude(yield* store.open, season)
    })
  )

  it.effect("a version that was superseded while it plays keeps its rating until the match has ended", () =>
    Effect.gen(function* () {
      const { obey, play, read, state } = yield* claimed
      for (const command of board("plain")) yield* obey(command)
      for (let n = 1; n <= 4; n++) yield* obey(submit(n))
      for (let i = 0; i < 6; i++) yield* play
      const held = yield* obey(lease({ runner: id("runner", 2), key: id("key", 2), max: 4 }))
      const seated = held[0]!.kind === "match" ? held[0]!.versions[0]! : ""
      const n = Number.parseInt(seated.slice(-4), 16)
      yield* obey(submit(n, { version: id("version", 50), number: 2, weights_hash: "sha256:w50" }))
      for (let i = 0; i < 2; i++) for (const work of yield* obey(lease())) yield* obey(report(work))
      assert.strictEqual(state.versions_by_id.get(seated)?.status, "superseded")
      same(yield* read, state)
      for (const work of held) yield* obey(forfeited(report(work, id("key", 2)), 1))
      same(yield* read, state)
      assert.isTrue(state.ladders.some(({ ratings }) => [...ratings.values()].some((row) => row.forfeits > 0)))
    })
  )

  it.effect("a submission whose upload never came does not count for the cooldown", () =>
    Effect.gen(function* () {
      const { obey, pass, read, state } = yield* claimed
      yield* obey(submit(1, { files: null }))
      yield* pass(state.settings.rules.upload_window_s * 1_000)
      yield* obey({ _tag: "Tick" })
      assert.strictEqual(state.versions_by_id.size, 0)
      same(yield* read, state)
    })
  )

  it.effect("a submission by a clock that was ahead does not count for the cooldown in a season that is read again", () =>
    Effect.gen(function* () {
      const { obey, pass, read, season, store } = yield* claimed
      yield* obey(submit(1, { files: null }))
      yield* obey({ _tag: "RejectFiles", version: id("version", 1), reject_reason: "hash_mismatch", reject_detail: "The bytes differ." })
      yield* pass(3_600_000)
      yield* obey(submit(1, { version: id("version", 50), number: 2, weights_hash: "sha256:w50" }))
      yield* obey(submit(2))
      const { fence, snapshot } = yield* store.claim(season)
      const state = restore(snapshot)
      returned(state, { now: 60_000, latest: 60_000 })
      yield* store.commit(fence, state)
      const { owners } = yield* read
      const last = (n: number) => owners.get(id("owner", n))?.last_submitted_at ?? null
      assert.deepStrictEqual([last(1), last(2)], [2_010, null])
    })
  )

  it.effect("many changes of one row are one row of a commit", () =>
    Effect.gen(function* () {
      const { fence, season, state, store } = yield* claimed
      const works: Array<Work> = []
      const commands = [...board("plain"), submit(1), submit(2), submit(3)]
      for (const command of commands) step(state, command, 2_000)
      for (let i = 0; i < 12; i++) {
        for (const work of step(state, lease({ max: 8 }), 2_001 + i)) {
          step(state, report(work), 2_001 + i)
          works.push(work)
        }
      }
      yield* store.commit(fence, state)
      same(restore((yield* store.claim(season)).snapshot), state)
      assert.isAbove(state.rated, 3)
    })
  )

  it.effect("a claim fences whoever held the season: nothing is written", () =>
    Effect.gen(function* () {
      const { fence, season, state, store } = yield* claimed
      yield* store.claim(season)
      step(state, submit(30), 2_000)
      assert.strictEqual((yield* Effect.flip(store.commit(fence, state)))._tag, "Fenced")
      assert.deepStrictEqual((yield* store.claim(season)).snapshot.versions, [])
    })
  )

  it.effect("a commit is written once: the same fence does not hold again", () =>
    Effect.gen(function* () {
      const { fence, state, store } = yield* claimed
      step(state, submit(31), 2_000)
      const next = yield* store.commit(fence, state)
      assert.deepStrictEqual(next, { ...fence, seq: fence.seq + 1, at: next.at })
      assert.isAtLeast(next.at, fence.at)
      assert.strictEqual((yield* Effect.flip(store.commit(fence, state)))._tag, "Fenced")
    })
  )

  it.effect("says of which commands the row is there: of versions, whatever became of them, and in the administrative log", () =>
    Effect.gen(function* () {
      const { obey, season, store } = yield* claimed
      const one = { _tag: "EditSettings", settings: { submissions_close_at: 9_000 }, scheduledOnly: false, audit: audit(70) } as const
      const rejected = submit(3, { files: null })
      for (const command of [one, submit(1), rejected]) yield* obey(command)
      yield* obey({ _tag: "RejectFiles", version: rejected.version, reject_reason: "hash_mismatch", reject_detail: "x" })
      const left = [one.audit.id, id("version", 1), rejected.version]
      assert.deepStrictEqual([...(yield* store.written(season, [...left, id("version", 2), id("audit", 73)]))].sort(), left.toSorted())
    })
  )

  it.effect("there is nothing to claim where there is no season", () =>
    Effect.gen(function* () {
      const store = yield* SeasonStore
      assert.strictEqual((yield* Effect.flip(store.claim(id("season", 99))))._tag, "SeasonClosed")
    })
  )

  it.effect("what has ended is answered from the rows", () =>
    Effect.gen(function* () {
      const { obey, season, store } = yield* claimed
      for (const command of [...board("plain"), submit(1), submit(2)]) yield* obey(command)
      const [review] = yield* obey(lease({ matches: false }))
      yield* obey(report(review!))
      const [trial] = yield* obey(lease({ admissions: false }))
      assert.deepStrictEqual(yield* store.answerOf(season, trial!.lease, id("key", 1)), { accepted: false, reason: "unknown" }) // still open
      yield* obey(report(trial!))
      for (const { lease } of [review!, trial!]) {
        assert.deepStrictEqual(yield* store.answerOf(season, lease, id("key", 1)), { accepted: true })
        assert.deepStrictEqual(yield* store.answerOf(season, lease, id("key", 2)), { accepted: false, reason: "unknown" })
        const another = lease.replace(/\.1$/, ".2")
        assert.deepStrictEqual(yield* store.answerOf(season, another, id("key", 1)), { accepted: false, reason: "unknown" })
        assert.deepStrictEqual(yield* store.answerOf(id("season", 98), lease, id("key", 1)), { accepted: false, reason: "unknown" })
      }
      for (const text of ["", "nonsense", `${id("version", 77)}.1`])
        assert.deepStrictEqual(yield* store.answerOf(season, text, id("key", 1)), { accepted: false, reason: "unknown" })
    })
  )
}

/** The same report with this seat at the strike limit. */
const forfeited = (command: ReturnType<typeof report>, seat: number): ReturnType<typeof report> => {
  if (command._tag !== "ReportMatch") return command
  const seats = command.outcome.seats.map((row, i) => (i === seat ? { ...row, strikes: 3 } : row))
  return { ...command, outcome: { ...command.outcome, seats } }
}

/** Ended matches as the machine has them, in the order of their end. */
const ENDED = `SELECT id, n, ladder, candidate, round, map_id AS board, seed::float8 AS seed, status AS ending,
  rated_n, lease_n, runner_id AS runner, key_id AS key, released, (extract(epoch FROM created_at) * 1000)::float8 AS created_at,
  (extract(epoch FROM ended_at) * 1000)::float8 AS ended_at, withdrawn_reason, successor, fault_reason, fault_detail, reason, turns,
  played_ms, runtime_version, state_sha256, replay_hash, replay_bytes,
  (SELECT content FROM replay WHERE match_id = match.id AND match.replay_inline) AS replay_content, (SELECT array_agg(version_id ORDER BY seat) FROM seat
  WHERE match_id = match.id) AS versions, (SELECT json_agg(json_build_object('version', version_id, 'rank', rank, 'score', score,
  'strikes', strikes, 'place', place, 'made', CASE WHEN made_mu IS NOT NULL THEN json_build_object('mu', made_mu, 'sigma', made_sigma,
  'change', made_change) END, 'open', CASE WHEN open_mu IS NOT NULL THEN json_build_object('mu', open_mu, 'sigma', open_sigma,
  'change', open_change) END) ORDER BY seat) FROM seat WHERE match_id = match.id) AS seats FROM match ORDER BY ended_at, n`

const withReplay = (command: ReturnType<typeof report>, content: string | undefined): ReturnType<typeof report> => {
  if (command._tag !== "ReportMatch" || content === undefined) return command
  return { ...command, outcome: { ...command.outcome, replay: { hash: "sha256:replay", bytes: content.length, content } } }
}

const audit = (n: number) =>
  ({ id: id("audit", n), actor: id("owner", 1), action: "season.edit", subject: "spring", detail: { n } }) as const

const memory: MemoryStore.Memory = new Map()
layer(MemoryStore.layer(memory))("SeasonStore in memory", (it) =>
  conformance<never>(it, (season, settings) => Effect.sync(() => MemoryStore.createSeason(memory, season, settings)))
)

const create: Create<PgClient.PgClient> = (season, settings) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    // models and version numbers are unique over all seasons, and every test uses the same ones
    yield* sql.unsafe("TRUNCATE game, account, live, match, seat CASCADE")
    yield* insertSeason(sql, season, settings)
    yield* insertPeople(sql, season, 40)
  })
const pg = (ratings_per_s: number, slow_ms = Infinity) =>
  SeasonStorePg.layerOf({ ratings_per_s, slow_ms }).pipe(
    Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
    Layer.provideMerge(Postgres.layer({ migrate: true }))
  )

/** A rating row in ten seconds: all but what is written at once is in `rating_redo` when the next life claims. */
layer(pg(0.1), { excludeTestServices: true })("SeasonStore on PostgreSQL, while ratings wait", (it) => {
  conformance(it, create)

  it.effect("ratings wait in few rows, which a claim reads and leaves, and which are gone when the season closes", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* SeasonStore
      const season = id("season", 60)
      yield* create(season, settings())
      const rows = sql.unsafe<{ behind: number; kept: number }>(`SELECT (SELECT count(*)::int FROM rating_redo) AS kept,
        (SELECT count(*)::int FROM rating WHERE ladder = 'open' AND matches <> (SELECT count(*) FROM seat s WHERE s.version_id = rating.version_id
          AND s.made_mu IS NOT NULL)) AS behind`)
      let { fence, snapshot } = yield* store.claim(season)
      let state = restore(snapshot)
      let now = 2_000
      const obey = Effect.fnUntraced(function* <C extends Command>(command: C) {
        const reply = step(state, command, (now += 10))
        fence = yield* store.commit(fence, state)
        committed(state)
        return reply
      })
      const play = Effect.gen(function* () {
        for (const work of yield* obey(lease({ max: 4 }))) yield* obey(report(work))
      })
      for (const command of [...board("plain"), submit(1), submit(2), submit(3), submit(4)]) yield* obey(command)
      for (let i = 0; i < 20; i++) yield* play
      const [waiting] = yield* rows
      assert.isAbove(waiting!.behind, 2)
      assert.isAbove(waiting!.kept, 1)
      ;({ fence, snapshot } = yield* store.claim(season))
      assert.deepStrictEqual(yield* rows, [waiting!])
      assert.deepStrictEqual(sorted(rowsOf(restore(snapshot))), sorted(rowsOf(state)))
      assert.strictEqual(fence.waiting.due, 0)
      state = restore(snapshot)
      for (let i = 0; i < 5; i++) yield* play
      assert.isAbove((yield* rows)[0]!.behind, 1)
      yield* obey({ _tag: "CloseSeason" })
      assert.deepStrictEqual(yield* rows, [{ behind: 0, kept: 0 }])
    })
  )
})

layer(pg(0.1, 100), { excludeTestServices: true })("SeasonStore on PostgreSQL, when a round has started", (it) => {
  it.effect("rows follow one after another; until then they are read as reset, by a claim and by readers", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* SeasonStore
      const season = id("season", 61)
      yield* create(season, settings())
      let { fence, snapshot } = yield* store.claim(season)
      let state = restore(snapshot)
      let now = 2_000
      const obey = Effect.fnUntraced(function* <C extends Command>(command: C, ms = 10) {
        const reply = step(state, command, (now += ms))
        fence = yield* store.commit(fence, state)
        committed(state)
        return reply
      })
      for (const command of [...board("plain"), submit(1), submit(2), submit(3), submit(4)]) yield* obey(command)
      for (let i = 0; i < 20; i++) for (const work of yield* obey(lease({ max: 4 }))) yield* obey(report(work))
      yield* obey({ _tag: "PlanRound", kind: "round", games: 2, starts_at: now + 50 })
      yield* obey({ _tag: "Tick" }, 100)
      assert.strictEqual(state.round, 1)
      const rows = sql.unsafe<{ behind: number; round: number; moved: number }>(`SELECT s.ratings_round AS round,
        (SELECT count(*)::int FROM rating WHERE round = 0 AND active) AS behind,
        (SELECT count(*)::int FROM standing WHERE mu <> 0 OR sigma <> 200 OR trend IS NOT NULL OR round_matches <> 0
          OR history[cardinality(history)] <> 0 OR cardinality(history) > 12) AS moved FROM season s`)
      const [started] = yield* rows
      assert.deepInclude(started, { round: 0, moved: 0 })
      assert.isAbove(started!.behind, 5)
      ;({ fence, snapshot } = yield* store.claim(season))
      assert.deepStrictEqual(sorted(rowsOf(restore(snapshot))), sorted(rowsOf(state)))
      assert.strictEqual(fence.waiting.due, 0)
      state = restore(snapshot)
      const slow = hasty(yield* Clock.Clock, 3_000)
      const behind: Array<number> = []
      for (let i = 0; i < 3; i++) {
        fence = yield* Effect.provideService(store.commit(fence, state), Clock.Clock, slow)
        behind.push(started!.behind - (yield* rows)[0]!.behind)
      }
      assert.deepStrictEqual(
        behind,
        [2, 3, 5],
        "one that waits and one of the earlier round, but none of these for 5 s after a commit of 3 s"
      )
      for (let i = 0; (yield* rows)[0]!.behind > 0; i++) {
        assert.isBelow(i, 10)
        yield* obey({ _tag: "Tick" })
        ;({ fence, snapshot } = yield* store.claim(season)) // each life may write a few at once
        state = restore(snapshot)
      }
      const waited = fence.waiting
      for (let i = 0; (yield* rows)[0]!.round === 0; i++) {
        assert.isBelow(i, 10)
        assert.isBelow(waited.due, Infinity) // rows of ratings that waited may have been of the earlier round
        fence = yield* Effect.provideService(store.commit(fence, state), Clock.Clock, slow)
      }
      assert.deepStrictEqual(yield* rows, [{ behind: 0, round: 1, moved: 0 }])
      assert.deepStrictEqual(sorted(rowsOf(restore((yield* store.claim(season)).snapshot))), sorted(rowsOf(state)))
    })
  )
})

layer(pg(RATINGS_PER_S), { excludeTestServices: true })("SeasonStore on PostgreSQL", (it) => {
  conformance(it, create)

  it.effect("what no claim reads is written too: results, seats, the administrative log, boards, points of the series", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* SeasonStore
      const season = id("season", 50)
      yield* create(season, settings())
      const claimed = yield* store.claim(season)
      const state = restore(claimed.snapshot)
      let { fence } = claimed
      const obey = Effect.fnUntraced(function* <C extends Command>(command: C, now: number) {
        const reply = step(state, command, now)
        const { ended } = structuredClone(state.writes)
        fence = yield* store.commit(fence, state)
        committed(state)
        return { reply, ended }
      })
      for (const command of [...board("plain"), submit(1), submit(2)]) yield* obey(command, 2_000)
      yield* obey({ _tag: "SwitchBoard", board: "plain", enabled: false, audit: audit(9) }, 2_500)
      yield* obey({ _tag: "SwitchBoard", board: "plain", enabled: true, audit: audit(9) }, 2_600) // the same log row: once
      const ended: Array<unknown> = []
      for (let now = 3_000; now < 3_012; now++) {
        const content = now % 2 === 0 ? "the moves, in full: \u0000 ☃" : undefined
        for (const work of (yield* obey(lease({ max: 4 }), now)).reply) {
          ended.push(...(yield* obey(withReplay(report(work), content), now)).ended)
        }
      }
      const matches = yield* sql.unsafe<{ readonly replay_content: Uint8Array | null }>(ENDED)
      const written = matches.map(({ replay_content: bytes, ...match }) => {
        return { ...match, replay_content: bytes === null ? null : Buffer.from(bytes).toString() }
      })
      assert.deepStrictEqual(written, ended as typeof written)
      assert.isAbove(matches.length, 5)
      const seats = yield* sql.unsafe(`SELECT count(*)::int AS n FROM seat s JOIN version v ON v.id = s.version_id
        WHERE (s.model_id, s.owner_id, s.season_id) = (v.model_id, v.owner_id, v.season_id) AND s.ended_at > to_timestamp(2)`)
      assert.deepStrictEqual(seats, [{ n: matches.length * 2 }])
      const log = yield* sql.unsafe(`SELECT actor, action, game, season_id, subject, detail FROM audit WHERE season_id = $1::uuid`, [
        season
      ])
      const entry = { actor: id("owner", 1), action: "season.edit", game: "snakes", season_id: season, subject: "spring", detail: { n: 9 } }
      assert.deepStrictEqual(log, [entry])
      const periods = yield* sql.unsafe("SELECT enabled FROM board_switch WHERE map_id = 'plain' ORDER BY n")
      assert.deepStrictEqual(periods, [{ enabled: true }, { enabled: false }, { enabled: true }])
      assert.deepStrictEqual(yield* sql.unsafe("SELECT file FROM board"), [{ file: { name: "plain" } }])
      assert.deepStrictEqual(yield* sql.unsafe("SELECT note FROM version ORDER BY ord"), [{ note: "entry 1" }, { note: "entry 2" }])
      yield* obey({ _tag: "Tick" }, 70_000)
      const points = yield* sql.unsafe<{ ladder: string; versions: Array<string>; mus: Array<number> }>("SELECT * FROM series_point")
      assert.isAbove(points.length, 0)
      for (const { mus, versions } of points) assert.strictEqual(versions.length, mus.length)
      const rejected = submit(3, { files: null })
      yield* obey(rejected, 71_000)
      yield* obey({ _tag: "RejectFiles", version: rejected.version, reject_reason: "hash_mismatch", reject_detail: "They differ." }, 71_001)
      const [row] = yield* sql.unsafe("SELECT status, reject_reason, reject_detail, note FROM version WHERE id = $1::uuid", [
        rejected.version
      ])
      assert.deepStrictEqual(row, { status: "rejected", reject_reason: "hash_mismatch", reject_detail: "They differ.", note: "entry 3" })
      yield* obey(submit(4), 72_000)
      yield* obey(report((yield* obey(lease(), 72_001)).reply[0]!), 72_002)
      const [trial] = (yield* obey(lease(), 72_003)).reply
      yield* obey({ _tag: "CloseSeason" }, 72_004)
      assert.isFalse(state.versions_by_id.has(id("version", 4)))
      yield* obey(report(trial!), 72_005) // of a candidate that the state no longer holds
      const whose = yield* sql.unsafe("SELECT model_id, owner_id FROM seat WHERE version_id = $1::uuid", [id("version", 4)])
      assert.deepStrictEqual(whose, [{ model_id: id("model", 4), owner_id: id("owner", 4) }])
    })
  )
})
