/**
 * A season restored from its rows goes on as the one that was lost: the state of an actor that has just died, which
 * nobody will touch again, and one restored from the rows are played on side by side.
 */
import type { Command } from "@agon/domain/season/Command.ts"
import type { Snapshot, State } from "@agon/domain/season/State.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { id } from "../../support/SeasonScript.ts"
import { isSame } from "../audit/isSame.ts"
import { must } from "../audit/Promise.ts"
import type { Chance } from "./Chance.ts"

export interface Machine {
  readonly Season: typeof import("@agon/domain/season/Season.ts")
  readonly State: typeof import("@agon/domain/season/State.ts")
}

const COMMANDS = 40

export const playOn = ({ Season, State }: Machine, lost: State, rows: Snapshot, chance: Chance): void => {
  const twin = State.restore(rows)
  const same = () => {
    const differences = difference(lost, twin, State)
    must(differences.length === 0, "a restored season is the one that was lost", differences)
  }
  Season.step(lost, { _tag: "Tick" }, lost.now)
  Season.step(twin, { _tag: "Tick" }, lost.now)
  let now = lost.now
  same()
  for (let i = 0; i < COMMANDS; i++) {
    for (const state of [lost, twin]) must(Season.deadline(state) > now, "a deadline lies ahead", Season.deadline(state), now)
    now += chance.in(0.1) ? 40_000 : chance.between(0, 2_000)
    const command = next(lost, now, chance)
    const [a, b] = [Season.step(lost, command, now), Season.step(twin, command, now)]
    must(JSON.stringify(a) === JSON.stringify(b), "a restored season gives the same replies", command, a, b)
    must(JSON.stringify(lost.events) === JSON.stringify(twin.events), "a restored season tells the same", command, lost.events, twin.events)
    committed(lost)
    committed(twin)
  }
  same()
}

const next = (state: State, now: number, chance: Chance): Command => {
  const x = chance.next()
  const leased = [...state.live.values()].filter(({ until }) => until !== null)
  if (x < 0.4 || leased.length === 0) {
    const as = { runner: id("runner", 1), key: id("key", 1), fleet: chance.pick(["own", "platform"] as const) }
    return {
      _tag: "LeaseWork",
      ...as,
      engine_digest: state.settings.engine_digest,
      matches: true,
      admissions: true,
      max: chance.between(1, 4)
    }
  }
  if (x < 0.42) return { _tag: "PlanRound", kind: "round", games: 2, starts_at: now + 5_000 }
  if (x < 0.45 && state.boards.size > 0)
    return { _tag: "SwitchBoard", board: chance.pick([...state.boards.keys()]), enabled: chance.in(0.6) }
  const match = chance.pick(leased)
  const seats = match.versions.map((_, i) => ({ score: -i, rank: i + 1, strikes: 0 }))
  const outcome = { runtime_version: "ort", reason: "r", turns: 1, played_ms: 1, seats, state_sha256: "s", replay: null }
  return { _tag: "ReportMatch", key: match.key!, lease: `${match.id}.${match.lease_n}`, outcome }
}

/** Rows have no order, and what no restored season needs is left out. */
const sorted = ({ head, live, owners, reviews, settings, ratings, versions, ...rest }: Snapshot) => {
  const cooling = (at: number | null) => at !== null && at + settings.rules.cooldown_s * 1_000 > head.now
  const by = <A>(rows: ReadonlyArray<A>, key: (row: A) => string) => [...rows].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return {
    ...rest,
    head,
    settings,
    live: by(live, (row) => row.id),
    owners: by(owners, (row) => row.id).filter((row) => cooling(row.last_submitted_at)),
    reviews: by(reviews, (row) => row.version),
    ratings: by(ratings, (row) => row.ladder + row.version),
    versions: by(versions, (row) => row.id)
  }
}

/** By table, the rows that only one of the two has. */
const difference = (lost: State, twin: State, { snapshot }: Machine["State"]): ReadonlyArray<unknown> => {
  const [a, b] = [sorted(snapshot(lost)), sorted(snapshot(twin))] as [Record<string, unknown>, Record<string, unknown>]
  if (isSame(a, b)) return []
  return Object.keys(a).flatMap((table) => {
    const [mine, other] = [a[table], b[table]].map((rows) => new Set((Array.isArray(rows) ? rows : [rows]).map(text)))
    const [more, less] = [mine!.difference(other!), other!.difference(mine!)]
    return more.size + less.size === 0 ? [] : [{ table, lost: [...more], twin: [...less] }]
  })
}

/** The same text for the same row, whatever the order of its fields. */
const text = (row: unknown): string =>
  JSON.stringify(row, (_, value) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  )
