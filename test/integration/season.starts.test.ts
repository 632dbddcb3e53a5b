/**
 * A season on PostgreSQL that learns how far its field lies apart, by itself: its actor looks at the
 * log, folds it again with the new start and goes on. Its rows are held against a replay of the log
 * that is written here once more.
 */
import { initialRating, type Rating, rated } from "@agon/domain/rating/Rating.ts"
import type { Command } from "@agon/domain/season/Command.ts"
import { mix } from "@agon/domain/season/Random.ts"
import { DEFAULT_RULES, LADDERS } from "@agon/domain/season/Rules.ts"
import { LOOK_MATCHES_MIN } from "@agon/domain/season/rating/Starts.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import * as SeasonActor from "@agon/server/actor/SeasonActor.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { eventually } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { board, id, lease, report, settings, submit } from "../support/SeasonScript.ts"

const SEASON = id("season", 1)
const ENTRIES = 12

const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(Postgres.layer({ migrate: true }))
)

interface Head {
  readonly starts: ReadonlyArray<{ readonly round: number; readonly sigmas: ReadonlyArray<number> }>
  readonly learning: unknown
  readonly look_at: number
  readonly rated: number
  readonly rescaled: number
  readonly round: number
}
interface SeatRow {
  readonly rated_n: number
  readonly ladder: string
  readonly version_id: string
  readonly rank: number
  readonly mu: number
  readonly sigma: number
  readonly open_mu: number | null
  readonly open_sigma: number | null
}

const SEATS = `SELECT m.rated_n, m.ladder, s.version_id, s.rank, s.made_mu AS mu, s.made_sigma AS sigma, s.open_mu, s.open_sigma
  FROM match m JOIN seat s ON s.match_id = m.id WHERE m.status = 'rated' AND m.round = $1 ORDER BY m.rated_n, s.seat`

const stage = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const store = yield* SeasonStore
  yield* sql.unsafe("TRUNCATE game, account, live, match, seat, rating_seed CASCADE")
  const rules = { ...DEFAULT_RULES, trial: { matches: 1 }, cooldown_s: 0, max_models_per_owner: 1_000, learn_spread: 1 }
  yield* insertSeason(sql, SEASON, settings({ rules }))
  yield* insertPeople(sql, SEASON, 40)
  const mailbox = yield* Mailbox.make(SEASON)
  const host = (hosted: SeasonStore["Service"]) =>
    SeasonActor.supervised(mailbox).pipe(
      Effect.provideService(SeasonStore, hosted),
      Effect.provide(SeasonEvents.layerSilent),
      Effect.forkScoped
    )
  const ask = <C extends Command>(command: C) => Effect.retry(Mailbox.ask(mailbox, command), Schedule.spaced("20 millis"))
  const play = Effect.fnUntraced(function* (times: number) {
    for (let i = 0; i < times; i++)
      for (const work of yield* ask(lease({ max: 4 }))) yield* ask(report(work, id("key", 1), mix(i * 7 + work.lease.length) % 2))
  })
  const enter = Effect.gen(function* () {
    for (const command of board("plain")) yield* ask(command)
    for (let n = 1; n <= ENTRIES; n++) yield* ask(submit(n))
    yield* play(ENTRIES)
  })
  const head = Effect.map(sql.unsafe<{ head: Head }>("SELECT head FROM season"), ([row]) => row!.head)
  /** Ratings were made anew, and no look at the log is under way. */
  const isRescaled = Effect.map(head, ({ learning, look_at, rated, rescaled }) => rescaled > 0 && learning === null && look_at > rated)
  return { ask, enter, head, host, isRescaled, play, sql, store }
})

/** Every seat and every rating of the round, from the starts that the season's row names. */
const assertAsReplayed = Effect.fnUntraced(function* (sql: PgClient.PgClient, { round, starts }: Head) {
  const sigmas = starts.findLast((each) => each.round <= round)?.sigmas ?? LADDERS.map(() => 200)
  const ratings = new Map<string, Rating>()
  const of = (ladder: string, version: string) =>
    ratings.get(`${ladder} ${version}`) ?? initialRating(sigmas[LADDERS.indexOf(ladder as "open")]!)
  const seats = yield* sql.unsafe<SeatRow>(SEATS, [round])
  for (const rows of Map.groupBy(seats, ({ rated_n }) => rated_n).values())
    for (const ladder of new Set([rows[0]!.ladder, "open"])) {
      const after = rated(
        rows.map(({ version_id }) => of(ladder, version_id)),
        rows.map(({ rank }) => rank)
      )
      rows.forEach((row, i) => {
        const [mu, sigma] = ladder === row.ladder ? [row.mu, row.sigma] : [row.open_mu, row.open_sigma]
        assert.deepStrictEqual({ n: row.rated_n, mu, sigma }, { n: row.rated_n, ...after[i]! })
        ratings.set(`${ladder} ${row.version_id}`, after[i]!)
      })
    }
  const standing = yield* sql.unsafe<Rating & { ladder: string; version_id: string }>("SELECT ladder, version_id, mu, sigma FROM standing")
  assert.isAbove(standing.length, ENTRIES)
  for (const { ladder, mu, sigma, version_id } of standing)
    assert.deepStrictEqual({ ladder, version_id, mu, sigma }, { ladder, version_id, ...of(ladder, version_id) })
  return seats.length / 2
})

layer(pg, { excludeTestServices: true })("a season that learns how far its field lies apart", (it) => {
  it.effect(
    "rates its round again from another start, and begins the next round with it",
    () =>
      Effect.gen(function* () {
        const { ask, enter, head, host, isRescaled, play, sql, store } = yield* stage
        yield* host(store)
        yield* enter
        yield* play(LOOK_MATCHES_MIN)
        yield* play(30)
        yield* eventually("the ratings were made anew", isRescaled)
        const learned = yield* head
        assert.isBelow(learned.starts[0]!.sigmas[LADDERS.indexOf("open")]!, 150, "all are equally strong")
        assert.isAbove(yield* assertAsReplayed(sql, learned), LOOK_MATCHES_MIN)
        yield* ask({ _tag: "PlanRound", kind: "round", games: 20, starts_at: Date.now() + 300 })
        yield* eventually(
          "the round has started",
          Effect.map(head, ({ round }) => round === 1)
        )
        const next = yield* head
        assert.deepStrictEqual(next.starts, learned.starts)
        assert.strictEqual(yield* assertAsReplayed(sql, next), 0)
        yield* play(20)
        yield* assertAsReplayed(sql, yield* head)
        yield* sql.unsafe("UPDATE rating SET round = 0, mu = 5, sigma = 7")
        const behind = yield* sql.unsafe<{ ladder: "open"; sigma: number }>("SELECT DISTINCT ladder, sigma FROM standing ORDER BY ladder")
        const due = ["nano", "open"].map((ladder) => ({ ladder, sigma: learned.starts.at(-1)!.sigmas[LADDERS.indexOf(ladder as "open")] }))
        assert.deepStrictEqual(behind, due as typeof behind, "rows of the round before are read as reset to its start")
      }).pipe(Effect.scoped),
    60_000
  )

  it.effect(
    "does so once more where its actor was lost while the log was being rated again",
    () =>
      Effect.gen(function* () {
        const { enter, head, host, isRescaled, play, sql, store } = yield* stage
        const reached = yield* Deferred.make<void>()
        const lost = yield* host({
          ...store,
          log: { ...store.log, rewrite: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) }
        })
        yield* enter
        yield* play(LOOK_MATCHES_MIN)
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(lost)
        assert.isNotNull((yield* head).learning, "it is known what was learned")
        yield* host(store)
        yield* play(10)
        yield* eventually("the ratings were made anew", isRescaled)
        yield* assertAsReplayed(sql, yield* head)
      }).pipe(Effect.scoped),
    60_000
  )
})
