import { isDeepStrictEqual } from "node:util"
import * as LogLines from "@agon/api/program/LogLines.ts"
import { LocalMailboxes } from "@agon/server/actor/LocalMailboxes.ts"
import { SeasonActors, layer as seasonsLayer } from "@agon/server/actor/SeasonActors.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Logger } from "effect"
import { SingleRunner } from "effect/cluster"
import { PrometheusMetrics } from "effect/observability"
import { eventually, untilSuccess } from "../support/eventually.ts"
import * as HostClock from "../support/HostClock.ts"
import * as Postgres from "../support/Postgres.ts"
import { create, node, shared } from "../support/SeasonNode.ts"
import { board, id, lease, report, submit } from "../support/SeasonScript.ts"
import { valueOf } from "../support/scrape.ts"
import { allowed } from "../support/slack.ts"

/**
 * The cluster keeps what keeps an entity alive, until that is answered: whoever stops before
 * leaves it to the next process.
 */
const mayRest = (season: string) =>
  eventually(
    "the season's entity may rest",
    Effect.flatMap(PgClient.PgClient, (sql) =>
      Effect.map(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM cluster_messages WHERE entity_id = ${season} AND NOT processed`,
        ([row]) => row!.n === 0
      )
    )
  )

/** A candidate in review, and the lease of that review. */
const play = (actors: SeasonActors["Service"], season: string, n: number) =>
  Effect.gen(function* () {
    for (const command of [...board("plain"), submit(n)]) yield* actors.ask(season, command)
    const [review] = yield* actors.ask(season, lease())
    return review!
  })

/** Of `/metrics`: the series of a season that lives in this process. */
const isHere = (season: string) => Effect.map(PrometheusMetrics.format(), (text) => valueOf(text, "agon_season_here", { season }))

/** The log's lines, in order; nodes are not told apart. */
const said: Array<{ readonly message: string; readonly season: string; readonly epoch: number }> = []
const hears = Logger.layer([Logger.map(LogLines.json, (line) => void said.push(JSON.parse(line)))])
const linesOf = (season: string, message: string) => said.filter((line) => line.season === season && line.message === message)

const alone = seasonsLayer.pipe(Layer.provide(SingleRunner.layer({ runnerStorage: "memory" })))
const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(SeasonEvents.layerSilent),
  Layer.provideMerge(Postgres.layer({ migrate: true })),
  Layer.provideMerge(NodeCrypto.layerDigest),
  Layer.provideMerge(hears)
)

layer(pg, { excludeTestServices: true })("a season in a cluster", (it) => {
  it.effect("one process: whoever starts wakes every open season and finds its mailbox on this node", () =>
    Effect.gen(function* () {
      const season = yield* create(1)
      yield* Effect.gen(function* () {
        const actors = yield* SeasonActors
        yield* Effect.flatten(actors.wakeAll)
        assert.isTrue((yield* LocalMailboxes).has(season))
        const review = yield* untilSuccess(play(actors, season, 1))
        assert.strictEqual(review.lease, `${id("version", 1)}.1`)
        const [receipt, next] = yield* actors.askAll(season, [report(review), lease()])
        assert.deepStrictEqual(receipt, { accepted: true })
        assert.lengthOf(next as ReadonlyArray<unknown>, 1)
      }).pipe(Effect.provide(alone))
    })
  )

  it.effect("a season that closes ends its actor, and says so to whoever asks, also in the next process", () =>
    Effect.gen(function* () {
      const season = yield* create(2)
      yield* Effect.gen(function* () {
        const actors = yield* SeasonActors
        yield* untilSuccess(actors.wake(season))
        assert.strictEqual(yield* isHere(season), 1)
        yield* untilSuccess(actors.ask(season, { _tag: "CloseSeason" }))
        assert.strictEqual((yield* Effect.flip(actors.ask(season, lease())))._tag, "SeasonClosed")
        yield* mayRest(season)
      }).pipe(Effect.provide(alone))
      assert.isUndefined(yield* isHere(season), "seasons that are gone leave no series behind")
      yield* Effect.gen(function* () {
        const actors = yield* SeasonActors
        yield* Effect.flatten(actors.wakeAll)
        assert.isFalse((yield* LocalMailboxes).has(season))
        const closed = Effect.flip(actors.ask(season, lease())).pipe(
          Effect.flatMap((error) => (error._tag === "SeasonClosed" ? Effect.succeed(error) : Effect.fail(error)))
        )
        assert.strictEqual((yield* untilSuccess(closed)).season, season)
      }).pipe(Effect.provide(alone))
    })
  )

  it.effect("a host whose clock jumps an hour ahead plays on by the database's", () =>
    Effect.gen(function* () {
      const season = yield* create(6)
      const host = yield* HostClock.make
      yield* Effect.gen(function* () {
        const actors = yield* SeasonActors
        const review = yield* untilSuccess(play(actors, season, 6))
        host.ahead_ms = 3_600_000
        const [receipt, submitted] = yield* actors.askAll(season, [report(review), submit(7)])
        assert.deepStrictEqual(receipt, { accepted: true })
        assert.propertyVal(submitted, "fresh", true)
        const [next] = yield* actors.ask(season, lease())
        assert.isDefined(next, "the review of the second")
      }).pipe(Effect.provide(alone), Effect.provideService(Clock.Clock, host.clock))
      assert.lengthOf(linesOf(season, "season reloads"), 0)
    })
  )

  it.effect("a message in flight when its node stops is answered before the node lets go of the season", () =>
    Effect.gen(function* () {
      const store = yield* SeasonStore
      const season = yield* create(3)
      let slow = false
      const begun = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const held = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn))
      const slowed = SeasonStore.of({
        ...store,
        commit: (fence, state) => Effect.andThen(slow ? held : Effect.void, store.commit(fence, state))
      })
      const a = yield* node(seasonsLayer).pipe(Effect.provideService(SeasonStore, slowed))
      yield* untilSuccess(a.actors.wake(season))
      const b = yield* node(seasonsLayer).pipe(Effect.provideService(SeasonStore, slowed))
      yield* shared(a, b)
      yield* untilSuccess(a.actors.wake(season))
      const [home, away] = a.local.has(season) ? [a, b] : [b, a]
      yield* untilSuccess(away.actors.ask(season, submit(3)))
      slow = true
      const caller = yield* Effect.forkChild(Effect.exit(away.actors.ask(season, lease())))
      yield* Deferred.await(begun)
      const stopping = yield* Effect.forkChild(home.stop, { startImmediately: true })
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(stopping)
      assert.isTrue(Exit.isSuccess(yield* Fiber.join(caller)))
      slow = false
      yield* away.stop
    })
  )

  it.effect("two nodes: the other one asks over HTTP, and takes the season over", () =>
    Effect.gen(function* () {
      const season = yield* create(4)
      const a = yield* node(seasonsLayer)
      yield* untilSuccess(a.actors.wake(season))
      const first = yield* untilSuccess(play(a.actors, season, 4))
      const b = yield* node(seasonsLayer)
      yield* shared(a, b)
      yield* untilSuccess(a.actors.wake(season))
      const [home, away] = a.local.has(season) ? [a, b] : [b, a]
      assert.deepStrictEqual(yield* untilSuccess(away.actors.ask(season, report(first))), { accepted: true })
      assert.isFalse(away.local.has(season))
      const reach = { admitters: 1, players: 1 }
      const look = ({ actors }: typeof a) => actors.forecast(season, [id("version", 4), id("version", 5)], reach)
      const nothing = { waiting: null, next_match_eta_s: null }
      const trial = { reason: "trial", ahead: 0, eta_s: [0, 3] } as const
      assert.deepStrictEqual(yield* look(home), [{ waiting: trial, next_match_eta_s: null }, nothing])
      // One that is asked of another node may take longer than a reader waits: then it is empty.
      yield* eventually(
        "what a version waits for is told on every node",
        Effect.zipWith(look(away), look(home), (there, here) => isDeepStrictEqual(there, here))
      )
      const t0 = performance.now()
      yield* home.stop
      const [work] = yield* untilSuccess(away.actors.ask(season, lease())) // remembered by the rows
      assert.deepInclude(work, { kind: "match", is_trial: true })
      const taken_over_ms = performance.now() - t0
      assert.isBelow(taken_over_ms, allowed(5_000))
      assert.isTrue(away.local.has(season))
      yield* away.stop
      const claims = linesOf(season, "season claimed").map(({ epoch }) => epoch)
      assert.isAtLeast(claims.length, 2)
      assert.deepStrictEqual(
        claims,
        [...new Set(claims)].toSorted((a, b) => a - b),
        "one line for each claim, in their order"
      )
      assert.isAtLeast(linesOf(season, "season left this node").length, 2)
    })
  )

  it.effect("two nodes: a command that only a later release knows is refused for now, and the season goes on", () =>
    Effect.gen(function* () {
      const season = yield* create(5)
      const a = yield* node(seasonsLayer)
      yield* untilSuccess(a.actors.wake(season))
      const b = yield* node(seasonsLayer)
      yield* shared(a, b)
      yield* untilSuccess(a.actors.wake(season))
      const [home, away] = a.local.has(season) ? [a, b] : [b, a]
      yield* untilSuccess(play(away.actors, season, 5))
      const later = { _tag: "OfALaterRelease" } as unknown as Parameters<typeof away.actors.ask>[1]
      const refused = yield* Effect.flip(away.actors.ask(season, later))
      assert.deepInclude(refused, { _tag: "Unavailable", season })
      assert.match((refused as { readonly reason: string }).reason, /does not know the command, which a later release has sent/)
      assert.isTrue(home.local.has(season))
      assert.lengthOf(linesOf(season, "season reloads"), 0)
      assert.deepStrictEqual(yield* away.actors.ask(season, lease()), [])
      yield* away.stop
      yield* home.stop
    })
  )
})
