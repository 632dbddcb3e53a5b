/** A process of simulated runners, and of visitors who read. It does what `fleet.ts` orders over its channel. */
import { setTimeout as pause } from "node:timers/promises"
import { type News, OPERATIONS, type Operation, type Order, READS_AN_ADDRESS_PER_S, readerAddressOf, type Tempo } from "./messages.ts"
import { PageReader } from "./PageReader.ts"
import { type Crew, SimulatedRunner } from "./SimulatedRunner.ts"
import { hangUp } from "./wire.ts"

const DRAIN_LOOK_MS = 100
const READS_EVERY_MS = 20

const none = () => Object.fromEntries(OPERATIONS.map((operation) => [operation, [] as Array<number>])) as Record<Operation, Array<number>>

let took = none()
let failures: Record<string, number> = {}
let tempo: Tempo
let stops = false
let reads_per_s = 0
let paths: ReadonlyArray<string> = []
let crew: Crew
const accepted: Array<string> = []
const broken: Array<string> = []
const runners: Array<Promise<void>> = []

const failed = (what: string) => {
  failures[what] = (failures[what] ?? 0) + 1
}
const say = (news: News) => process.send!(news)

/** As many as asked for, however long the answers take, and not those of more than a second at once. */
const read = async () => {
  let due = 0
  for (let n = 0, at = performance.now(); !stops; ) {
    await pause(READS_EVERY_MS)
    const now = performance.now()
    due = Math.min(due + (reads_per_s * (now - at)) / 1_000, reads_per_s)
    at = now
    for (; due >= 1; due--, n++) void readOnce(n)
  }
}

/** Connections that wait for the next page, by their visitor. */
const idle = new Map<number, Array<PageReader>>()

const readOnce = async (n: number) => {
  const { ports } = crew.target
  const began = performance.now()
  const visitor = n % Math.ceil(reads_per_s / READS_AN_ADDRESS_PER_S)
  const waiting = idle.get(visitor) ?? []
  idle.set(visitor, waiting)
  const reader = waiting.pop() ?? new PageReader(ports[visitor % ports.length]!, readerAddressOf(visitor))
  const status = await reader.read(paths[n % paths.length]!)
  waiting.push(reader)
  if (status === 200) crew.took("read", performance.now() - began)
  else failed(`read ${status}`)
}

const stop = async () => {
  stops = true
  while (crew.playing > 0) await pause(DRAIN_LOOK_MS)
  hangUp()
  for (const reader of [...idle.values()].flat()) reader.end()
  await Promise.all(runners)
  say({ kind: "done", accepted, broken })
}

const tell = () => {
  const arrays = OPERATIONS.map((operation) => [operation, Float64Array.from(took[operation])])
  say({ kind: "told", took_ms: Object.fromEntries(arrays), failures, waiting: crew.waiting, playing: crew.playing })
  took = none()
  failures = {}
}

process.on("message", (order: Order) => {
  if (order.kind === "begin") {
    tempo = order.tempo
    crew = {
      target: order.target,
      tempo: () => tempo,
      stops: () => stops,
      took: (operation, ms) => took[operation].push(ms),
      failed,
      accepted: (match) => accepted.push(match),
      broken: (what) => broken.push(what),
      waiting: 0,
      playing: 0
    }
  } else if (order.kind === "grow") {
    while (runners.length < order.to) runners.push(new SimulatedRunner(crew, crew.target.first_runner + runners.length).run())
  } else if (order.kind === "tempo") tempo = order.tempo
  else if (order.kind === "read") {
    if (reads_per_s === 0) void read()
    ;({ per_s: reads_per_s, paths } = order)
  } else if (order.kind === "tell") tell()
  else void stop()
})
process.on("disconnect", () => process.exit(0))
say({ kind: "ready" })
