/** The writes of a season's commit. */

import type { Audit } from "./Audit.ts"
import type { Event } from "./Event.ts"
import type { FaultReason } from "./Reasons.ts"
import type { InheritedRating, LadderRating, SeriesPoint } from "./rating/LadderRating.ts"
import type { SeatChange, Voided } from "./rating/Voided.ts"
import type { Ended } from "./scheduler/Match.ts"
import type { Version } from "./Version.ts"

/** Rows changed since the last commit. Rows are named, not copied: no step runs while a commit is in flight. */
export interface Writes {
  head: boolean // the season's one row, even if no other changed
  settings: boolean
  readonly inserted: Map<string, { readonly note: string | null }> // new versions
  readonly versions: Set<string>
  readonly rejected: Map<string, Version> // rejected versions that the state no longer holds
  readonly left: Map<string, Version> // superseded versions that the state no longer holds
  readonly ratings: Set<LadderRating>
  readonly boards: Set<string>
  readonly newBoards: Map<string, { readonly file: unknown }>
  readonly boardPeriods: Array<{ readonly board: string; readonly enabled: boolean; readonly at: number }>
  readonly rounds: Set<number>
  readonly live: Set<string>
  readonly newLive: Set<string> // those of them created since the last commit
  readonly reviews: Set<string>
  readonly ended: Array<Ended>
  readonly failedTries: Array<FaultReason> // attempts at matches that came to nothing; counted, not written
  readonly keptBack: Array<string> // keys that have one lease at a time from now on; told, not written
  readonly voided: Array<Voided>
  readonly voiding: Set<string>
  readonly rerated: Array<SeatChange> // all seats of a match, or none
  readonly seeds: Array<InheritedRating>
  readonly series: Array<SeriesPoint>
  readonly audits: Array<Audit & { readonly at: number }>
}

export const emptyWrites = (): Writes => ({
  head: false,
  settings: false,
  inserted: new Map(),
  versions: new Set(),
  rejected: new Map(),
  left: new Map(),
  ratings: new Set(),
  boards: new Set(),
  newBoards: new Map(),
  boardPeriods: [],
  rounds: new Set(),
  live: new Set(),
  newLive: new Set(),
  reviews: new Set(),
  ended: [],
  failedTries: [],
  keptBack: [],
  voided: [],
  voiding: new Set(),
  rerated: [],
  seeds: [],
  series: [],
  audits: []
})

/** The commit succeeded: nothing is left to write. */
export const committed = (state: { readonly writes: Writes; events: Array<Event> }): void => {
  const { writes } = state
  writes.head = false
  writes.settings = false
  for (const rows of [writes.inserted, writes.rejected, writes.left, writes.newBoards]) rows.clear()
  for (const rows of [writes.versions, writes.boards, writes.live, writes.newLive, writes.reviews, writes.voiding]) rows.clear()
  writes.ratings.clear()
  writes.rounds.clear()
  for (const rows of [
    writes.boardPeriods,
    writes.ended,
    writes.failedTries,
    writes.keptBack,
    writes.voided,
    writes.rerated,
    writes.seeds,
    writes.series,
    writes.audits
  ])
    rows.length = 0
  state.events = []
}
