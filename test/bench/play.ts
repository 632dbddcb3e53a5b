/**
 * Match cycles a second: a match leased, its result taken, both entries rated on every ladder it counts for,
 * and its history written, all durable before the reply. The season's mailbox against job queues on the same
 * Postgres (fsync on), taking turns in one run so that the machine's moods meet all of them. Ratios are of
 * the medians. On busy cores they mean little: a season's commits are one chain of two processes, while a
 * queue's ten connections get ten shares of the processor.
 *
 *   node test/bench/play.ts [seconds a slot, 2] [turns, 3] [runners, 1,8,64,256] [contestants, a regular expression]
 */

import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { restore } from "@agon/domain/season/State.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import * as SeasonActor from "@agon/server/actor/SeasonActor.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import * as Database from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { id, lease } from "../support/SeasonScript.ts"
import { agon, MANNERS } from "./play/agon.ts"
import type { Contestant } from "./play/contestant.ts"
import { nodeCpu_us, parentOf, serverCpu_us } from "./play/cpu.ts"
import { insertField } from "./play/field.ts"
import { serve } from "./play/overHttp.ts"
import { graphileWorker, pgBoss, prepareQueues } from "./play/queues.ts"

const [seconds = "2", turns = "3", counts = "1,8,64,256", only = ""] = process.argv.slice(2)
const ENTRIES = 10_000
const OPEN_MATCHES = 1_000
const WARM_MS = 400
/** Until what the slots left has been let go, and memory can be compared. */
const SETTLE = "500 millis"
const SEASON = id("season", 1)
const BASELINE = "graphile-worker, default"

interface Slot {
  readonly per_s: number
  readonly node_us: number
  readonly postgres_us: number
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const slot = async (contestant: Contestant, runners: number, postmaster: number): Promise<Slot> => {
  const playing = await contestant.start(runners)
  await pause(WARM_MS)
  const [cycles, node, server, t0] = [playing.cycles(), nodeCpu_us(contestant.pid), serverCpu_us(postmaster), performance.now()]
  await pause(Number(seconds) * 1000)
  const done = playing.cycles() - cycles
  const taken_s = (performance.now() - t0) / 1000
  const result = {
    per_s: done / taken_s,
    node_us: (nodeCpu_us(contestant.pid) - node) / done,
    postgres_us: (serverCpu_us(postmaster) - server) / done
  }
  await playing.stop()
  return result
}

const median = (values: ReadonlyArray<number>): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

const compare = async (contestants: ReadonlyArray<Contestant>, runners: number, postmaster: number) => {
  const slots = new Map<string, Array<Slot>>(contestants.map(({ name }) => [name, []]))
  for (let turn = 0; turn < Number(turns); turn++) {
    for (const contestant of contestants) {
      slots.get(contestant.name)!.push(await slot(contestant, runners, postmaster))
    }
  }
  const of = (name: string, field: keyof Slot) => median(slots.get(name)!.map((each) => each[field]))
  console.log(`\n${runners} runners${" ".repeat(32)}cycles/s   x graphile   us Node   us Postgres`)
  for (const { name } of contestants) {
    const ratio = of(name, "per_s") / of(BASELINE, "per_s")
    const figures = [of(name, "per_s").toFixed(0), ratio.toFixed(1), of(name, "node_us").toFixed(0), of(name, "postgres_us").toFixed(0)]
    console.log(`  ${name.padEnd(38)}${figures.map((figure, i) => figure.padStart([10, 13, 10, 14][i]!)).join("")}`)
  }
}

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void
const heap_mb = () => {
  collect()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/**
 * The time from claiming a season to its first command, with 10,000 entries on two ladders and 1,000 open
 * matches, and what its state takes.
 */
const restart = Effect.gen(function* () {
  const store = yield* SeasonStore
  const before_mb = heap_mb()
  const left = performance.now()
  const { snapshot: first } = yield* store.claim(SEASON)
  console.log(`the first claim, which writes the ratings that waited: ${(performance.now() - left).toFixed(0)} ms`)
  const kept = restore(first)
  console.log(`the state of ${kept.versions_by_id.size} entries takes ${(heap_mb() - before_mb).toFixed(1)} MB`)
  for (const _ of [1, 2, 3]) {
    const t0 = performance.now()
    const { snapshot } = yield* store.claim(SEASON)
    const read_ms = performance.now() - t0
    const state = restore(snapshot)
    const whole = `${(performance.now() - t0).toFixed(0)} ms (${read_ms.toFixed(0)} reading)`
    const held = `${state.versions_by_id.size} entries, ${snapshot.ratings.length} ratings, ${state.live.size} open matches`
    console.log(`restart with ${held}: ${whole}`)
  }
})

const main = (url: string, served: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* insertField(sql, SEASON, ENTRIES, Date.now())
    const [backend] = yield* sql.unsafe<{ pid: number }>("SELECT pg_backend_pid() AS pid")
    const postmaster = parentOf(backend!.pid)
    const mailbox = yield* Mailbox.make(SEASON)
    const fiber = yield* Effect.forkScoped(SeasonActor.supervised(mailbox))
    while (mailbox.state !== "running") yield* Effect.sleep("10 millis")
    const queues = yield* Effect.promise(() => prepareQueues(url))
    const service = yield* Effect.promise(() => serve(served, ENTRIES))
    const idle_mb = service.resident_mb()
    const slot_s = Math.ceil(Number(seconds) + WARM_MS / 1000)
    const contestants = [
      graphileWorker(url, queues.pool, slot_s, "default"),
      ...MANNERS.map((manner) => agon(mailbox, manner)),
      ...service.contestants,
      graphileWorker(url, queues.pool, slot_s, "batched"),
      graphileWorker(url, queues.pool, slot_s, "same rows"),
      pgBoss(url, queues.pool, slot_s, 1),
      pgBoss(url, queues.pool, slot_s, 10)
    ].filter(({ name }) => name === BASELINE || new RegExp(only).test(name))
    for (const runners of counts.split(",").map(Number)) yield* Effect.promise(() => compare(contestants, runners, postmaster))
    const resident = `${idle_mb.toFixed(0)} MB before its runners came, ${service.resident_mb().toFixed(0)} MB after`
    console.log(`\nthe service over HTTP, ${ENTRIES} entries: ${resident}`)
    yield* Effect.promise(() => Promise.all([queues.close(), service.stop()]))
    for (let open = 0; open < OPEN_MATCHES; ) {
      const works = yield* Mailbox.ask(mailbox, lease({ max: Math.min(50, OPEN_MATCHES - open) }))
      open += works.length
    }
    yield* Fiber.interrupt(fiber)
    yield* Effect.sleep(SETTLE)
    yield* restart
  })

const layers = (url: Redacted.Redacted) =>
  SeasonStorePg.layer.pipe(
    Layer.provideMerge(Database.layerPools({ url })),
    Layer.provideMerge(SeasonEvents.layerSilent),
    Layer.provideMerge(Logger.layer([Logger.consolePretty()]))
  )

const database = Postgres.url({ migrate: true, durable: true })
Effect.all([database, database])
  .pipe(
    Effect.flatMap(([url, served]) => main(Redacted.value(url), served).pipe(Effect.provide(layers(url)))),
    Effect.scoped,
    Effect.runPromise
  )
  .then(() => process.exit(0))
