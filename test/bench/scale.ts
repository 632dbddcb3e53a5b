/**
 * Scale-out: one, two and three nodes with the same share of a core each, many seasons, and as many runners
 * as keep all of them full. The share is small, so that three nodes, Postgres, Redis and the runners fit on
 * two cores, and only the nodes are short of anything. Matches rated a second, of two nodes and three against
 * one; the books are added up as in `fleet.ts`.
 *
 *   node test/bench/scale.ts [share of a core, 0.15] [seasons, 24] [runners, 90] [seconds, 20] [nodes, 1,2,3]
 *
 * Bars: two nodes do at least 1.7 times the work of one, three 2.4 times. Seasons are placed by a hash, so
 * the fullest node has more than its share of them; the table says how much. Needs root, for control groups.
 */
import { setTimeout as pause } from "node:timers/promises"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import * as Nodes from "../e2e/Nodes.ts"
import { postgresPid } from "../e2e/Service.ts"
import { Redis } from "../support/Redis.ts"
import { Crews } from "./fleet/Crews.ts"
import { DIGEST, fill } from "./fleet/field.ts"
import { type Limit, limitCpu } from "./fleet/limitCpu.ts"
import { nodeCpu_us, serverCpu_us } from "./play/cpu.ts"

const [share = "0.15", seasons = "24", runners = "90", seconds = "20", counts = "1,2,3"] = process.argv.slice(2)
const ENTRIES = 60
const WARM_MS = 60_000
const SETTLE_MS = 3_000
const BARS: Readonly<Record<number, number>> = { 2: 1.7, 3: 2.4 }
/** Matches take no time, so that the service is what they wait for. */
const TEMPO = { beat_ms: 10_000, play_ms: 1, finish: true }

interface Run {
  readonly nodes: number
  readonly per_s: number
  /** The largest share of the seasons that one node has. */
  readonly fullest: number
  readonly full: ReadonlyArray<number>
  readonly cores: { readonly nodes: number; readonly postgres: number }
  /** Asks of a season on another node, for each match. */
  readonly elsewhere: number
  readonly missing: number
}

const rated = async (world: Nodes.World) =>
  Number((await world.query<{ n: string }>("SELECT count(*) AS n FROM match WHERE status = 'rated'"))[0]!.n)

const measured = async (nodes: number): Promise<Run> => {
  const scope = Scope.makeUnsafe()
  const redis = Context.get(await Effect.runPromise(Layer.buildWithScope(Redis.layer, scope)), Redis)
  const world = await Nodes.start(nodes, {
    environment: { REDIS_URL: Redacted.value(redis.url), AGON_RUNNERS: "0", AGON_DATASETS: "off", AGON_SITE: "off" },
    apart: false,
    prepare: (url) => fill(url, ENTRIES, Number(runners), Number(seasons))
  })
  const limits: Array<Limit> = []
  try {
    const ports = world.nodes.map(({ origin }) => Number(new URL(origin).port))
    const crews = await Crews.started(Number(runners), ports, DIGEST, TEMPO)
    crews.grow(Number(runners))
    await pause(WARM_MS) // with all that the machine has, or compiling would take minutes
    for (const node of world.nodes) limits.push(limitCpu(node.process.pid, Number(share)))
    await pause(SETTLE_MS)
    const cpu = () => world.nodes.reduce((sum, node) => sum + nodeCpu_us(node.process.pid), 0)
    const asks = async () => (await Promise.all(world.nodes.map((node) => node.asksElsewhere()))).reduce((sum, of) => sum + of, 0)
    const asked = await asks()
    const [before, nodes_us, postgres_us, began] = [await rated(world), cpu(), serverCpu_us(postgresPid(world)!), performance.now()]
    await pause(Number(seconds) * 1_000)
    const took_us = (performance.now() - began) * 1_000
    const per_s = ((await rated(world)) - before) / (took_us / 1_000_000)
    const cores = { nodes: (cpu() - nodes_us) / took_us, postgres: (serverCpu_us(postgresPid(world)!) - postgres_us) / took_us }
    const elsewhere = ((await asks()) - asked) / (per_s * (took_us / 1_000_000))
    const full = limits.map((limit) => limit.full())
    for (const limit of limits) limit.lift()
    const { failures } = await crews.told()
    for (const [what, n] of Object.entries(failures)) console.log(`  ${n} times ${what}`)
    const here = await Promise.all(world.nodes.map((node) => node.seasons()))
    const { accepted, broken } = await crews.stopped()
    for (const what of broken.slice(0, 10)) console.log(`  ${what}`)
    const rows = await world.query<{ id: string }>("SELECT id FROM match WHERE status = 'rated'")
    const all = new Set(rows.map(({ id }) => id))
    const missing = accepted.filter((match) => !all.has(match)).length + (accepted.length - new Set(accepted).size)
    return { nodes, per_s, fullest: Math.max(...here.map((those) => those.length)) / Number(seasons), full, cores, elsewhere, missing }
  } finally {
    await world.end()
    for (const limit of limits) limit.remove()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

const runs: Array<Run> = []
console.log(`${seasons} seasons of ${ENTRIES} entries, ${runners} runners, ${share} of a core for each node`)
for (const count of counts.split(",").map(Number)) {
  const run = await measured(count)
  runs.push(run)
  const one = runs.find(({ nodes }) => nodes === 1)
  const times = one === undefined ? "" : `, ${(run.per_s / one.per_s).toFixed(2)} times one node's`
  const bar =
    BARS[count] === undefined || one === undefined
      ? ""
      : run.per_s / one.per_s >= BARS[count]
        ? " (bar reached)"
        : ` (bar ${BARS[count]} MISSED)`
  console.log(`${count} nodes: ${run.per_s.toFixed(1)} matches a second${times}${bar}`)
  console.log(
    `  kept waiting by their share: ${run.full.map((each) => `${(each * 100).toFixed(0)} %`).join(", ")} of the time; the fullest has ${(run.fullest * 100).toFixed(0)} % of the seasons`
  )
  const us = (cores: number) => ((cores * 1_000_000) / run.per_s).toFixed(0)
  console.log(
    `  a match: nodes ${us(run.cores.nodes)} us, Postgres ${us(run.cores.postgres)} us, ${run.elsewhere.toFixed(2)} asks of another node`
  )
  console.log(
    `  cores: nodes ${run.cores.nodes.toFixed(2)}, Postgres ${run.cores.postgres.toFixed(2)}; ${run.missing} results lost or rated twice`
  )
}
process.exit(runs.some(({ missing }) => missing > 0) ? 1 : 0)
