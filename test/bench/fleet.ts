/**
 * A fleet of simulated runners that comes within minutes: from 205 to as many as this machine holds, each a
 * session of the real protocol over HTTP, through nginx with scripts/nginx.conf or past it, on one Postgres
 * and one Redis. Most of them wait in long polls; a sixth as many matches as entries are played, with
 * heartbeats, replays that hold good, and audits. It reports latencies, what a waiting runner takes of
 * memory, and what each operation takes of CPU time; with `--faults` a node, Redis and Postgres are killed in
 * the midst. Afterwards it adds up the books: no lease was lost that was kept in time, every accepted result
 * is rated once, and the ratings are what a replay of the log makes. It fails where they do not add up.
 *
 *   node test/bench/fleet.ts [--nodes 3] [--from 205] [--runners 2000] [--entries 3000] [--ramp 30] [--seconds 20] [--play 20]
 *     [--readers 0] [--faults node,redis,postgres] [--straight] [--profile DIRECTORY] [--write COSTS.json] [--check COSTS.json]
 */
import { readFileSync, writeFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { audit } from "../e2e/Ledger.ts"
import * as Nodes from "../e2e/Nodes.ts"
import { killIfThere, postgresPid } from "../e2e/Service.ts"
import { eventuallyAsync } from "../support/eventually.ts"
import { Redis } from "../support/Redis.ts"
import { Crews } from "./fleet/Crews.ts"
import { type Costs, costsOf, type Spent, type Stage } from "./fleet/costs.ts"
import { DIGEST, fill, SEASON } from "./fleet/field.ts"
import type { Done, Tempo } from "./fleet/messages.ts"
import { type Fault, options } from "./fleet/options.ts"
import * as Report from "./fleet/report.ts"
import { nodeCpu_us, residentOf_mb, serverCpu_us } from "./play/cpu.ts"

/** A heartbeat is sent at a third of a lease. */
const BEAT_MS = 10_000
const RAMP_STEPS = 20
const NODE_AWAY_MS = 5_000
const BOOKS_PATIENCE_MS = 120_000
const LADDER_PAGES = 20

const tempo: Tempo = { beat_ms: BEAT_MS, play_ms: options.play_s * 1_000, finish: true }
const scope = Scope.makeUnsafe()

const started = async () => {
  const redis = Context.get(await Effect.runPromise(Layer.buildWithScope(Redis.layer, scope)), Redis)
  const profiled = options.profile === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${options.profile}` }
  const world = await Nodes.start(options.nodes, {
    environment: { REDIS_URL: Redacted.value(redis.url), AGON_RUNNERS: "0", AGON_DATASETS: "off", ...profiled },
    apart: false,
    prepare: (url) => fill(url, options.entries, options.runners),
    nginx: { connections: 20_000, workers: 2 + Math.ceil(options.runners / 8_000) }
  })
  const ports = options.straight ? world.nodes.map(({ origin }) => Number(new URL(origin).port)) : [world.nginx.port]
  const crews = await Crews.started(options.runners, ports, DIGEST, tempo)
  return { world, redis, crews }
}
type Started = Awaited<ReturnType<typeof started>>

const spent = ({ world }: Started): Spent => ({
  nodes: world.nodes.filter(({ runs }) => runs).reduce((sum, node) => sum + nodeCpu_us(node.process.pid), 0) / 1_000,
  postgres: serverCpu_us(postgresPid(world)!) / 1_000,
  nginx: serverCpu_us(world.nginx.pid()) / 1_000
})

const residentOf = ({ world }: Started) => world.nodes.reduce((sum, node) => sum + residentOf_mb(node.process.pid), 0)

const stage = async (all: Started, name: string, seconds: number, meanwhile?: () => Promise<void>): Promise<Stage> => {
  await all.crews.told()
  const [before, began] = [spent(all), performance.now()]
  await Promise.all([pause(seconds * 1_000), meanwhile?.()])
  const [after, measured] = [spent(all), await all.crews.told()]
  const of = (part: keyof Spent) => after[part] - before[part]
  const cpu_ms = { nodes: of("nodes"), postgres: of("postgres"), nginx: of("nginx") }
  const done = { name, took_s: (performance.now() - began) / 1_000, cpu_ms, measured }
  Report.told(done)
  return done
}

const ramp = (crews: Crews) => async () => {
  for (let step = 0; step <= RAMP_STEPS; step++) {
    crews.grow(Math.round(options.from + ((options.runners - options.from) * step) / RAMP_STEPS))
    await pause((options.ramp_s * 1_000) / (RAMP_STEPS + 1))
  }
}

const strike: Readonly<Record<Fault, (all: Started) => Promise<void>>> = {
  node: async ({ world }) => {
    const owner = (await world.owner(SEASON)) ?? world.nodes[0]!
    owner.signal("SIGKILL")
    await owner.process.ended
    await pause(NODE_AWAY_MS)
    await owner.start()
  },
  redis: async ({ redis }) => {
    await Effect.runPromise(redis.kill)
    await pause(NODE_AWAY_MS)
    await Effect.runPromise(redis.start)
  },
  postgres: async ({ world }) => {
    if (!killIfThere(postgresPid(world))) throw new Error("there was no Postgres to kill")
  }
}

/** In the midst of play, one after the other. */
const faults = (all: Started) => async () => {
  for (const fault of options.faults) {
    await pause(BEAT_MS)
    console.log(`  ${fault} is killed`)
    await strike[fault](all)
  }
}

const ladderPages = Array.from(
  { length: LADDER_PAGES },
  (_, page) => `/v1/games/snakes/leaderboard?season=${SEASON}&cursor=${page * 50}&limit=50`
)

const stages = async (all: Started): Promise<ReadonlyMap<string, Stage>> => {
  const { crews } = all
  const found = new Map<string, Stage>()
  const note = async (name: string, seconds: number, meanwhile?: () => Promise<void>) =>
    found.set(name, await stage(all, name, seconds, meanwhile))
  await note("idle", Math.min(10, options.stage_s))
  const resident_mb = residentOf(all)
  await note("ramp", options.ramp_s, ramp(crews))
  crews.tempo({ ...tempo, finish: false })
  await note("settled", Math.min(10, options.stage_s))
  await note("held", options.stage_s)
  Report.memory(residentOf(all) - resident_mb, options.runners)
  crews.tempo({ ...tempo, finish: false, beat_ms: BEAT_MS / 10 })
  await note("beaten", options.stage_s)
  crews.tempo(tempo)
  await note("warm", Math.min(10, options.stage_s))
  await note("played", options.stage_s)
  if (options.reads_per_s > 0) {
    crews.read(options.reads_per_s, ladderPages)
    await note("readers come", Math.min(10, options.stage_s))
    await note("read", options.stage_s)
  }
  if (options.faults.length > 0) await note("faults", options.stage_s, faults(all))
  return found
}

/** Fails where a promise was broken. */
const books = async ({ world }: Started, { accepted, broken }: Done) => {
  const twice = accepted.length - new Set(accepted).size
  const rows = await world.query<{ id: string }>("SELECT id FROM match WHERE status = 'rated'")
  const rated = new Set(rows.map(({ id }) => id))
  const missing = accepted.filter((id) => !rated.has(id))
  await eventuallyAsync("books that add up", async () => (await audit(world, SEASON)).results.size === rated.size, BOOKS_PATIENCE_MS)
  console.log(`\n${accepted.length} results accepted, ${rated.size} matches rated once, every rating as a replay of the log makes it;`)
  console.log(`${missing.length} accepted results without a rated match, ${twice} accepted twice, ${broken.length} broken promises`)
  for (const what of broken.slice(0, 20)) console.log(`  ${what}`)
  if (missing.length > 0 || twice > 0 || broken.length > 0) process.exitCode = 1
}

const main = async () => {
  const all = await started()
  const { crews, world } = all
  try {
    const found = await stages(all)
    const done = await crews.stopped()
    await books(all, done)
    const costs = costsOf(found)
    Report.costs(costs)
    if (options.write !== undefined) writeFileSync(options.write, JSON.stringify(costs, null, 2))
    if (options.check !== undefined) Report.check(JSON.parse(readFileSync(options.check, "utf8")) as Costs, found)
    if (options.profile !== undefined) {
      for (const node of world.nodes) node.signal("SIGTERM") // a profile is written at the end
      await Promise.all(world.nodes.map((node) => node.process.ended))
    }
  } finally {
    await world.end()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

await main()
process.exit()
