/** The changes that a season's file asks for. Pure: the commands say it, or carry it out. */
import type { PlanRound, Round } from "@agon/api/season/rounds.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import type { SeasonFile } from "./SeasonFile.ts"

/** `from` is undefined for what is new, `to` for what goes. */
export interface Change {
  readonly what: string
  readonly from?: unknown
  readonly to?: unknown
}

export interface Changes {
  readonly changes: ReadonlyArray<Change>
  /** Differences between the file and the season that nothing can settle any more. */
  readonly fixed: ReadonlyArray<Change>
}

/** The leaves of an object, by their paths; a list is one leaf. */
const leavesOf = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, value: unknown]> =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? [[path, value]]
    : Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, path === "" ? key : `${path}.${key}`))

const same = (one: unknown, other: unknown): boolean =>
  one !== undefined && other !== undefined && canonicalJson(one) === canonicalJson(other)

/** The service does not tell these of a season. */
const UNTOLD = ["fleet", "providers", "admins"] as const

/**
 * The changes of the season's record; rounds have a command of their own. A private season is restricted, whatever
 * its file says. Once a season is not scheduled any more, all of it is fixed.
 */
export const seasonChanges = ({ rounds: _, ...written }: SeasonFile, season: Season | undefined): Changes => {
  const file = written.visibility === "private" ? { ...written, entry: "restricted" } : written
  if (season === undefined) return { changes: leavesOf(file).map(([what, to]) => ({ what, to })), fixed: [] }
  const told = Object.fromEntries(Object.entries(file).filter(([key]) => !(UNTOLD as ReadonlyArray<string>).includes(key)))
  const present = new Map(leavesOf({ ...season }))
  const changes = leavesOf(told).flatMap(([what, to]): ReadonlyArray<Change> => {
    const from = present.get(what)
    return same(from, to) ? [] : [{ what, from, to }]
  })
  const isFixed = ({ from, what }: Change) =>
    season.state !== "scheduled" || what === "name" || what === "visibility" || (what === "entry" && from === "restricted")
  return { changes: changes.filter((change) => !isFixed(change)), fixed: changes.filter(isFixed) }
}

export type RoundStep =
  | { readonly kind: "plan"; readonly to: PlanRound }
  | { readonly kind: "move"; readonly n: number; readonly from: Round; readonly to: PlanRound }
  | { readonly kind: "withdraw"; readonly from: Round }

/**
 * The file's rounds against those of the season that are not withdrawn, in their order. Steps come in an
 * order in which every round stays between its neighbours: withdrawals, then moves to later from the last
 * round on and to earlier from the first, then new rounds.
 */
export const roundSteps = (wanted: ReadonlyArray<PlanRound>, rounds: ReadonlyArray<Round>) => {
  const standing = rounds.filter(({ state }) => state !== "withdrawn").toSorted((a, b) => a.n - b.n)
  const fixed: Array<Change> = []
  const [plans, moves, withdrawals]: [Array<RoundStep>, Array<RoundStep & { readonly kind: "move" }>, Array<RoundStep>] = [[], [], []]
  for (let at = 0; at < Math.max(wanted.length, standing.length); at++) {
    const [from, to] = [standing[at], wanted[at]]
    if (from !== undefined && to !== undefined && same(plannedOf(from), plannedOf(to))) continue
    if (from !== undefined && from.state !== "pending")
      fixed.push({ what: `round ${from.n}`, from: plannedOf(from), ...(to === undefined ? {} : { to: plannedOf(to) }) })
    else if (from !== undefined && to !== undefined && from.kind === to.kind) moves.push({ kind: "move", n: from.n, from, to })
    else {
      if (from !== undefined) withdrawals.push({ kind: "withdraw", from })
      if (to !== undefined) plans.push({ kind: "plan", to })
    }
  }
  const isLater = ({ from, to }: { readonly from: Round; readonly to: PlanRound }) => Date.parse(to.starts_at) > Date.parse(from.starts_at)
  const moved = [...moves.filter(isLater).reverse(), ...moves.filter((move) => !isLater(move))]
  return { steps: [...withdrawals, ...moved, ...plans] as ReadonlyArray<RoundStep>, fixed }
}

const plannedOf = ({ games, kind, starts_at }: PlanRound | Round) => ({ kind, games, starts_at: new Date(starts_at).toISOString() })

export const changeOf = (step: RoundStep): Change => {
  if (step.kind === "plan") return { what: "round", to: plannedOf(step.to) }
  if (step.kind === "withdraw") return { what: `round ${step.from.n}`, from: plannedOf(step.from) }
  return { what: `round ${step.n}`, from: plannedOf(step.from), to: plannedOf(step.to) }
}
