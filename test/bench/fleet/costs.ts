/**
 * The cost of each operation in CPU time, from stages that differ in what is asked; and what those
 * costs predict for other stages.
 *
 *   idle    nobody is there
 *   held    matches are held with heartbeats, all other runners wait: the rest beyond the idle share is what long polls cost
 *   beaten  the same, with many more heartbeats
 *   played  matches end: the rest is what a match costs (its result, with its replay, and the next lease)
 *   read    the same with readers
 */
import type { Measured } from "./messages.ts"

export const PARTS = ["nodes", "postgres", "nginx"] as const
export type Part = (typeof PARTS)[number]
export type Spent = Readonly<Record<Part, number>>

export interface Stage {
  readonly name: string
  readonly took_s: number
  readonly cpu_ms: Spent
  readonly measured: Measured
}

/** CPU milliseconds: of a second of the processes by themselves, and of one operation. */
export interface Cost {
  readonly idle_s: number
  readonly poll: number
  readonly heartbeat: number
  readonly match: number
  readonly read: number
}
export type Costs = Readonly<Record<Part, Cost>>

export const countsOf = ({ measured: { took_ms } }: Stage) => ({
  polls: took_ms.empty.length + took_ms.lease.length,
  heartbeats: took_ms.heartbeat.length,
  matches: took_ms.result.length,
  reads: took_ms.read.length
})

export const costsOf = (stages: ReadonlyMap<string, Stage>): Costs => {
  const [idle, held, beaten, played, read] = ["idle", "held", "beaten", "played", "read"].map((name) => stages.get(name))
  const of = (part: Part): Cost => {
    const idle_s = idle!.cpu_ms[part] / idle!.took_s
    const beyondIdle = (stage: Stage) => stage.cpu_ms[part] - idle_s * stage.took_s
    const [few, many] = [countsOf(held!), countsOf(beaten!)]
    // Two equations: a polls + b heartbeats = CPU time.
    const determinant = few.polls * many.heartbeats - many.polls * few.heartbeats
    const poll =
      determinant === 0 ? 0 : Math.max(0, (beyondIdle(held!) * many.heartbeats - beyondIdle(beaten!) * few.heartbeats) / determinant)
    const heartbeat = Math.max(0, (beyondIdle(beaten!) - poll * many.polls) / many.heartbeats)
    const rest = (stage: Stage) => beyondIdle(stage) - poll * countsOf(stage).polls - heartbeat * countsOf(stage).heartbeats
    const match = rest(played!) / countsOf(played!).matches
    const reads = read === undefined ? 0 : countsOf(read).reads
    return { idle_s, poll, heartbeat, match, read: reads === 0 ? 0 : (rest(read!) - match * countsOf(read!).matches) / reads }
  }
  return { nodes: of("nodes"), postgres: of("postgres"), nginx: of("nginx") }
}

/** The model of a stage: its requests at these costs, in CPU milliseconds. */
export const predicted = (cost: Cost, stage: Stage): number => {
  const { heartbeats, matches, polls, reads } = countsOf(stage)
  return cost.idle_s * stage.took_s + cost.poll * polls + cost.heartbeat * heartbeats + cost.match * matches + cost.read * reads
}
