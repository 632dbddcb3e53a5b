/**
 * A season of 100,000 entries: how long a claim takes, a preflight, a submission and the start of a round,
 * how long whoever asks waits meanwhile, and what the state takes.
 *
 *   node test/bench/large.ts [entries, 100000] [superseded versions, as many]
 */

import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Work } from "@agon/domain/season/Command.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore } from "@agon/domain/season/State.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import * as SeasonActor from "@agon/server/actor/SeasonActor.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import * as Database from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Layer, Logger } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { id, lease, report } from "../support/SeasonScript.ts"
import { insertField, supersede } from "./play/field.ts"

const [entries = "100000", superseded = entries] = process.argv.slice(2)
const ENTRIES = Number(entries)
const SEASON = id("season", 1)
const ASKED = 200

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const heap_mb = () => {
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}
const tell = (what: string, ms: number) => console.log(`${what.padEnd(60)}${ms.toFixed(2).padStart(12)} ms`)
const timed = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const t0 = performance.now()
    const answer = yield* effect
    tell(what, performance.now() - t0)
    return answer
  })

const preflight = (n: number) =>
  ({
    _tag: "Preflight",
    owner: id("owner", n),
    model: id("model", n),
    eligible: true,
    retired: false,
    hashes: { weights_hash: "sha256:new", manifest_hash: "sha256:new" }
  }) as const

/** Claims and restores, says what the state takes, and what a preflight costs it. */
const claims = Effect.gen(function* () {
  const store = yield* SeasonStore
  const before_mb = heap_mb()
  const { snapshot } = yield* timed("claim: the rows", store.claim(SEASON))
  const t0 = performance.now()
  const state = restore(snapshot)
  tell("claim: the state", performance.now() - t0)
  const held = `${state.versions_by_id.size} versions, ${snapshot.ratings.length} ratings`
  console.log(`the state holds ${held}; with the rows it takes ${(heap_mb() - before_mb).toFixed(0)} MB`)
  const now = Date.now()
  const t1 = performance.now()
  for (let i = 0; i < ASKED; i++) step(state, preflight(1 + ((i * 7_919) % ENTRIES)), now)
  tell(`a preflight, of ${ASKED}`, (performance.now() - t1) / ASKED)
  committed(state)
})

/** A runner that plays without a break, and the longest that it waited for an answer. */
const player = (mailbox: Mailbox.Mailbox, n: number, waits: Array<number>) =>
  Effect.gen(function* () {
    const key = id("key", 1)
    let works: ReadonlyArray<Work> = []
    while (true) {
      const t0 = performance.now()
      const more = lease({ runner: id("runner", n), key, max: 2, admissions: false })
      const replies = yield* Mailbox.askAll(mailbox, [...works.map((work) => report(work, key)), more])
      waits.push(performance.now() - t0)
      works = replies.at(-1) as typeof works
      yield* Effect.sleep("1 millis")
    }
  })

const main = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* claims
  yield* claims
  const mailbox = yield* Mailbox.make(SEASON)
  const actor = yield* Effect.forkScoped(SeasonActor.supervised(mailbox))
  while (mailbox.state !== "running") yield* Effect.sleep("10 millis")
  const waits: Array<number> = []
  const players = yield* Effect.forEach([1, 2, 3, 4], (n) => Effect.forkScoped(player(mailbox, n, waits)))
  const longest = () => waits.splice(0).reduce((most, each) => Math.max(most, each), 0)
  yield* Effect.sleep("2 seconds")
  tell("the longest wait of a command in 2 s of play", longest())
  const starts_at = Date.now() + 1_000
  yield* Mailbox.ask(mailbox, { _tag: "PlanRound", kind: "round", games: 40, starts_at })
  yield* Effect.sleep("900 millis")
  longest()
  const t0 = performance.now()
  const started = Effect.map(sql.unsafe<{ on: boolean }>("SELECT started_at IS NOT NULL AS on FROM round"), ([row]) => row?.on === true)
  while (!(yield* started)) yield* Effect.sleep("5 millis")
  tell("a round has started this long after its time", Date.now() - starts_at)
  const followed = Effect.map(sql.unsafe<{ done: boolean }>(FOLLOWED), ([row]) => row!.done)
  while (!(yield* followed)) yield* Effect.sleep("100 millis")
  tell("and every rating's row says so after", performance.now() - t0)
  tell("the longest wait of a command meanwhile", longest())
  console.log(`the process takes ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`)
  yield* Fiber.interruptAll(players)
  yield* Fiber.interrupt(actor)
  yield* claims
})
/** As the season itself says it: counting 200,000 rows ten times a second would be most of what is measured. */
const FOLLOWED = "SELECT ratings_round = 1 AS done FROM season WHERE closed_at IS NULL"

/** On a connection without the service's limits: so many rows take longer than a statement may. */
const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* insertField(sql, SEASON, ENTRIES, Date.now())
  yield* supersede(sql, SEASON, Number(superseded), ENTRIES)
})

const layers = (url: Parameters<typeof Database.layerPools>[0]["url"]) =>
  SeasonStorePg.layer.pipe(
    Layer.provideMerge(Database.layerPools({ url })),
    Layer.provideMerge(SeasonEvents.layerSilent),
    Layer.provideMerge(Logger.layer([Logger.consolePretty()]))
  )

Postgres.url({ migrate: true, durable: true })
  .pipe(
    Effect.tap((url) => fill.pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))),
    Effect.flatMap((url) => main.pipe(Effect.provide(layers(url)))),
    Effect.scoped,
    Effect.runPromise
  )
  .then(() => process.exit(0))
