/** The rows of a season as the auditor reads them after every commit: in memory or from tables, at no season's word. */
import type { Ended, Snapshot, Version } from "@agon/domain/season/State.ts"
import type { Rows } from "../support/MemoryStore.ts"

export interface View {
  readonly head: Snapshot["head"]
  readonly settings: Snapshot["settings"]
  /** Every version ever submitted, rejected ones included. */
  readonly versions: ReadonlyMap<string, Version>
  /** By `<ladder> <version>`, those of superseded versions included. */
  readonly standings: ReadonlyMap<string, Snapshot["standings"][number]>
  readonly boards: ReadonlyMap<string, Snapshot["boards"][number]>
  readonly rounds: ReadonlyArray<Snapshot["rounds"][number]>
  readonly live: ReadonlyMap<string, Snapshot["live"][number]>
  readonly reviews: ReadonlyMap<string, Snapshot["reviews"][number]>
  /** In the order in which they ended; only those that were not in the view before. */
  readonly ended: ReadonlyArray<Ended>
  readonly endedCount: number
}

export const EMPTY = (settings: Snapshot["settings"], head: Snapshot["head"]): View => ({
  head,
  settings,
  versions: new Map(),
  standings: new Map(),
  boards: new Map(),
  rounds: [],
  live: new Map(),
  reviews: new Map(),
  ended: [],
  endedCount: 0
})

/** The store in memory replaces rows and never changes them, so a view that copies the tables' outsides stays as it was. */
export const ofMemory = (rows: Rows, seen: ReadonlySet<string>): View => ({
  head: rows.head,
  settings: rows.settings,
  versions: new Map(rows.versions),
  standings: new Map(rows.standings),
  boards: new Map(rows.boards),
  rounds: [...rows.rounds.values()],
  live: new Map(rows.live),
  reviews: new Map(rows.reviews),
  ended: [...rows.ended.values()].slice(seen.size),
  endedCount: rows.ended.size
})
