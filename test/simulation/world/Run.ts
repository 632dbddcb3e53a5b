/** One run of the simulation: what it is given, and what it keeps from season to season. */

import type { Settings } from "@agon/domain/season/Rules.ts"
import type { Effect } from "effect"
import type { Beside } from "../audit/Beside.ts"
import type { Known, View } from "../View.ts"
import type { Chance } from "./Chance.ts"
import type { Outside } from "./Outside.ts"
import type { Numbers } from "./People.ts"
import type { Machine } from "./Twin.ts"

/** The code under simulation, which may be a mutant. */
export interface Actor extends Machine {
  readonly Mailbox: typeof import("@agon/server/actor/Mailbox.ts")
  readonly SeasonActor: typeof import("@agon/server/actor/SeasonActor.ts")
}
/** Where its rows are. */
export interface Ground {
  readonly create: (season: string, settings: Settings) => Effect.Effect<void>
  /** The rows; of what has ended what is not known yet, or not so. */
  readonly read: (season: string, known: Known) => Effect.Effect<View>
  /** Where its calls take real time: what lets them out. */
  readonly outside?: Outside
}
export interface Setting {
  readonly actor: Actor
  readonly ground: Ground
  readonly seed: number
  readonly steps: number
  /** The observer of a second season in the same store, which checks that neither touches the other. */
  readonly beside?: Beside
  /** Whether people ask while the log is folded, so that their commands and the fold's are obeyed in one batch. */
  readonly crowded?: boolean
  /** The share of what administrators say that disqualifies entries and removes their owners. */
  readonly exclusions?: number
}
/** Counts of events, for tests that ask whether anything happened. */
export type Seen = Record<string, number>

export interface Run extends Setting {
  readonly chance: Chance
  readonly numbers: Numbers
  readonly seen: Seen
  /** The last steps of the run, earliest first; put into words only for a run that fails. */
  readonly journal: Array<() => string>
  readonly isNeighbour: boolean
  seasons: number
  step: number
}

export const count = (seen: Seen, what: string, by = 1): void => void (seen[what] = (seen[what] ?? 0) + by)
