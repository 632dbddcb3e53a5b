/** Runners that cannot play some matches, and a driver that lets them take turns. */
import type { Command, Work } from "../Command.ts"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import { outcome, RUNNER, version } from "./testSeason.ts"

export type Match = Extract<Work, { kind: "match" }>
export interface Machine {
  readonly key: string
  /** Its report of a match; undefined: nothing, and the lease runs out. */
  readonly says: (match: Match) => "played" | "weights_unavailable" | "engine_fault" | undefined
  /** Whether it names the entry whose weights it cannot have. */
  readonly names?: boolean | ((match: Match) => string)
}

/** The entry that honest machines cannot play. */
export const LOST = version(1)
export const honest = (key: string, names = true): Machine => ({
  key,
  names,
  says: ({ versions }) => (versions.includes(LOST) ? "weights_unavailable" : "played")
})
export const dying = (key: string): Machine => ({ key, says: ({ versions }) => (versions.includes(LOST) ? undefined : "played") })

/** The machines take turns, one match at a time each, a second a turn. */
export const play = (state: State, machines: ReadonlyArray<Machine>, from: number, turns: number, until = (_: State) => false): number => {
  let now = from
  for (let i = 0; i < turns && !until(state); i++, now += 1_000) {
    const { key, names, says } = machines[i % machines.length]!
    const [work] = step(state, { _tag: "LeaseWork", ...RUNNER, runner: key, key, max: 1 }, now)
    if (work?.kind !== "match") continue
    const said = says(work)
    if (said === undefined) continue
    const about = { key, lease: work.lease }
    if (said === "played") step(state, { _tag: "ReportMatch", ...about, outcome: outcome(work.versions.length, i % 2) }, now)
    else step(state, fault(about, said, typeof names === "function" ? names(work) : names === true ? LOST : null), now)
  }
  return now
}

export const fault = (about: { key: string; lease: string }, fault_reason: "weights_unavailable" | "engine_fault", named: string | null) =>
  ({ _tag: "ReportFault", ...about, fault_reason, version: named, detail: "gone" }) satisfies Command
