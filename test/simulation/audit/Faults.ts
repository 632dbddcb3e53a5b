/**
 * Entries that are suspended: rightly, and whoever gives every reason for it is. An entry's failures are
 * followed from the rows alone. Results and failures of one commit have no order here, so each of the two
 * looks at what speaks for it.
 */
import type { Command } from "@agon/domain/season/Command.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { Try } from "@agon/domain/season/scheduler/Tries.ts"
import { must } from "./Promise.ts"
import { leaseOf, ownerOf, type Window } from "./Window.ts"

const RUNNING = 5
const SECOND_KEY = 2
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

interface Failure {
  readonly suspects: ReadonlyArray<string>
  readonly sure: boolean // whether it is known which report of a fault came first
  readonly keys: ReadonlySet<string>
  readonly results: readonly [number, number] // of the season before and after the commit in which it failed
}

export interface Faults {
  readonly check: (window: Window) => void
}

export const make = (): Faults => {
  /** By version, since its last result: all that may speak against it, and what nobody can dispute. */
  const against = new Map<string, Array<Failure>>()
  const plain = new Map<string, Array<Failure>>()
  const brought = new Map<string, number>() // by key: its last result
  let results = 0
  return {
    check: (window) => {
      const { before, now } = window
      const failed = new Map<string, Array<Failure>>()
      const [cleared, justified] = [new Set<string>(), new Set<string>()]
      const isResult = ({ ending }: Ended) => ending === "rated" || ending === "finished"
      const heard = new Set([...brought].filter(([, at]) => now.head.now < at + DAY_MS - HOUR_MS).map(([key]) => key))
      for (const match of now.ended) if (isResult(match)) brought.set(match.key!, match.ended_at)
      const perhaps = new Set([...brought].filter(([, at]) => now.head.now < at + DAY_MS).map(([key]) => key))
      const span = [results, results + now.ended.filter(isResult).length] as const
      for (const match of now.ended) {
        if (isResult(match)) for (const id of match.versions) cleared.add(id)
        if (match.ending !== "failed" || match.ladder === null) continue
        const failure = failureOf(window, match, span)
        if (failure === undefined) continue
        const of = (id: string): Failure => (failure.sure ? failure : { ...failure, suspects: [id] })
        for (const id of failure.suspects) failed.set(id, [...(failed.get(id) ?? []), of(id)])
      }
      for (const [id, more] of failed) {
        const all = [...(against.get(id) ?? []), ...more]
        if (speaksAgainst(window, all, heard, perhaps)) justified.add(id)
        against.set(id, cleared.has(id) ? more : all)
        const certain = more.filter(({ suspects, sure }) => sure && suspects.length === 1)
        if (!cleared.has(id)) plain.set(id, apart([...(plain.get(id) ?? []), ...certain]))
      }
      for (const id of cleared) {
        if (!failed.has(id)) against.delete(id)
        plain.delete(id)
      }
      results = span[1]
      for (const { id, phase, status } of now.versions.values()) {
        const was = before.versions.get(id)
        if (phase === "suspended" && was?.phase !== "suspended") must(justified.has(id), "only who fails is suspended", id, against.get(id))
        if (was !== undefined && (was.status !== status || (was.phase === "suspended" && phase === null))) {
          against.set(id, failed.get(id) ?? []) // what failed in this commit may have failed after it came back
          plain.delete(id)
        }
        const due = status === "entered" && phase === null && failed.has(id) && isCertain(plain.get(id) ?? [], heard)
        must(!due, "who keeps failing by its own fault is suspended", now.versions.get(id), plain.get(id))
      }
    }
  }
}

/**
 * The versions whose fault a failed match can be, with its tries; not sure where the last of them
 * may have named either of two.
 */
export const suspectsOf = (window: Window, match: Ended) => {
  const told = match.fault_reason === "runner_lost" ? [] : namedIn(window, match)
  const tries: ReadonlyArray<Pick<Try, "key" | "reason" | "version">> = [
    ...(window.before.live.get(match.id)?.tries ?? []),
    { key: match.key!, reason: match.fault_reason as Try["reason"], version: told[0] ?? null }
  ]
  const named = new Set(tries.flatMap(({ version }) => version ?? []))
  const sure = new Set(told).size < 2
  return { suspects: sure && named.size === 1 ? [...named] : match.versions, sure, tries }
}

/** Nobody is blamed for what a machine could not do. */
const failureOf = (window: Window, match: Ended, results: Failure["results"]): Failure | undefined => {
  const { suspects, sure, tries } = suspectsOf(window, match)
  if (tries.some(({ reason }) => reason === "engine_fault")) return undefined
  return { suspects, sure, keys: new Set(tries.map(({ key }) => key)), results }
}

/** The versions that reports of a fault under the last lease have named: the first report counts, whichever that was. */
const namedIn = (window: Window, match: Ended): ReadonlyArray<string | null> => {
  const about = (command: Command) => command._tag === "ReportFault" && command.lease === leaseOf(match) && command.key === match.key
  return window.recent.filter(about).map((command) => (command._tag === "ReportFault" ? (command.version ?? null) : null))
}

/** Those between which the season had results: while it has none its fleet may be to blame. */
const apart = (failures: ReadonlyArray<Failure>): Array<Failure> =>
  failures.filter(({ results }, i) => i === 0 || results[0] > failures[i - 1]!.results[1])

const keysOf = (failures: ReadonlyArray<Failure>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { keys } of failures) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return counts
}
/** How many of the keys have failed two of them. */
const witnesses = (failures: ReadonlyArray<Failure>, among?: ReadonlySet<string>): number =>
  [...keysOf(failures)].filter(([key, n]) => n >= SECOND_KEY && (among === undefined || among.has(key))).length

/** `heard`: keys that the season is sure to have had a result of within a day, as it notes them once an hour. */
const isCertain = (failures: ReadonlyArray<Failure>, heard: ReadonlySet<string>): boolean =>
  failures.length >= RUNNING && witnesses(failures, heard) > 1

/** `perhaps`: keys that it may have noted. */
const speaksAgainst = (
  { now }: Window,
  failures: ReadonlyArray<Failure>,
  heard: ReadonlySet<string>,
  perhaps: ReadonlySet<string>
): boolean => {
  const common = (of: (id: string) => string) =>
    failures.map(({ suspects }) => new Set(suspects.map(of))).reduce((all, each) => all.intersection(each)).size
  if (failures.length < RUNNING || common((id) => id) > 1 || common((id) => ownerOf(now, id)) > 1) return false
  const alone = heard.size === 0 && (keysOf(failures).size < 2 || witnesses(failures) > 1)
  return alone || witnesses(failures, perhaps) >= Math.min(2, Math.max(1, heard.size))
}
