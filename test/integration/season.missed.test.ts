/**
 * A service that was down while rounds were due: the missed events happen when it is back,
 * in order, each at its own time.
 */

import type { Command } from "@agon/domain/season/Command.ts"
import { SeasonActors, layer as seasonsLayer } from "@agon/server/actor/SeasonActors.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Schedule } from "effect"
import { SingleRunner } from "effect/cluster"
import { eventually } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { board, id, lease, report, settings, submit } from "../support/SeasonScript.ts"
import { allowed } from "../support/slack.ts"

const SEASON = id("season", 1)
const database = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(SeasonEvents.layerSilent),
  Layer.provideMerge(Postgres.layer({ migrate: true })),
  Layer.provideMerge(NodeCrypto.layerDigest),
  Layer.provideMerge(Logger.layer([]))
)

/** One life of the service: it wakes whatever is open, does something and goes down. */
const life = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.andThen(
    Effect.flatMap(SeasonActors, ({ wakeAll }) => Effect.flatten(wakeAll)),
    work
  ).pipe(Effect.provide(Layer.fresh(seasonsLayer.pipe(Layer.provide(Layer.fresh(SingleRunner.layer({ runnerStorage: "memory" })))))))

const ask = <C extends Command>(command: C) =>
  Effect.flatMap(SeasonActors, (actors) => actors.ask(SEASON, command)).pipe(
    Effect.retry({ schedule: Schedule.upTo(Schedule.spaced("50 millis"), { times: 200 }), while: ({ _tag }) => _tag === "Unavailable" })
  )

/** Whatever there is to do, done. */
const play = Effect.gen(function* () {
  for (let works = yield* ask(lease({ max: 8 })); works.length > 0; works = yield* ask(lease({ max: 8 }))) {
    for (const work of works) yield* ask(report(work))
  }
})

layer(database, { excludeTestServices: true })("a service that was down", (it) => {
  it.effect("catches up on rounds and finals that began without it, and a newcomer of the last moment is turned away", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* insertSeason(sql, SEASON, settings())
      yield* insertPeople(sql, SEASON, 4)
      const { held, starts } = yield* life(
        Effect.gen(function* () {
          for (const command of [...board("plain"), submit(1), submit(2), submit(3)]) yield* ask(command)
          for (let i = 0; i < 6; i++) for (const work of yield* ask(lease({ max: 4 }))) yield* ask(report(work))
          yield* ask(submit(4, { files: null }))
          const soon = Date.now() + allowed(500)
          const starts = [soon, soon + 100, soon + 200]
          const kinds = ["round", "round", "finals"] as const
          for (const [i, starts_at] of starts.entries()) yield* ask({ _tag: "PlanRound", kind: kinds[i]!, games: 2, starts_at })
          const [held] = yield* ask(lease()) // is being played when the service goes down
          return { held: held!, starts }
        })
      )
      assert.isBelow(Date.now(), starts[0]!, "it went down before the first round")
      yield* eventually(
        "the rounds' starts",
        Effect.sync(() => Date.now() > starts[2]!)
      )
      const rounds = sql<any>`SELECT n, kind, (extract(epoch FROM started_at) * 1000)::float8 AS started,
        (extract(epoch FROM ended_at) * 1000)::float8 AS ended FROM round ORDER BY n`
      assert.deepStrictEqual(
        (yield* rounds).map(({ started }) => started),
        [null, null, null]
      )
      yield* life(
        Effect.gen(function* () {
          yield* ask({ _tag: "Tick" })
          assert.deepStrictEqual(yield* rounds, [
            { n: 1, kind: "round", started: starts[0], ended: starts[1] },
            { n: 2, kind: "round", started: starts[1], ended: starts[2] },
            { n: 3, kind: "finals", started: starts[2], ended: null }
          ])
          const [late] = yield* sql<any>`SELECT status, reject_reason FROM version WHERE id = ${id("version", 4)}`
          assert.deepStrictEqual(late, { status: "rejected", reject_reason: "season_closed" })
          assert.deepStrictEqual(yield* ask(report(held)), { accepted: true })
          const [match] = yield* sql<any>`SELECT status, rated_n FROM match WHERE id = ${held.lease.split(".")[0]!}`
          assert.deepStrictEqual(match, { status: "finished", rated_n: null }) // it belongs to no round that stands
          yield* Effect.ignore(play) // the last report closes the season
        })
      )
      const [season] = yield* sql<any>`SELECT closed_at IS NOT NULL AS closed, head->>'phase' AS phase,
        jsonb_array_length(head->'podium'->'open') AS podium FROM season`
      assert.deepStrictEqual(season, { closed: true, phase: "closed", podium: 3 })
      const [{ least }] = (yield* sql<any>`SELECT min(round_matches) AS least FROM rating WHERE ladder = 'open' AND active`) as [any]
      assert.isAtLeast(least, 2)
    })
  )
})
