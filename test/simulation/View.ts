/** The rows of a season as the auditor reads them after every commit: in memory or from tables, at no season's word. */

import type { SeriesPoint } from "@agon/domain/season/rating/LadderRating.ts"
import type { Snapshot } from "@agon/domain/season/State.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import type { Rows } from "../support/MemoryStore.ts"
import type { Table } from "../support/Table.ts"
import { startIn } from "./audit/sigmas.ts"

export interface View {
  readonly head: Snapshot["head"]
  readonly settings: Snapshot["settings"]
  /** Every version ever submitted, rejected ones included. */
  readonly versions: ReadonlyMap<string, Version>
  /** By `<ladder> <version>`, those of superseded versions included: their rows, or what was kept of them since. */
  readonly ratings: ReadonlyMap<string, Snapshot["ratings"][number]>
  /** How many of them were kept beside their rows. */
  readonly waiting: number
  /** How many of them are in play by rows of an earlier round, which are read as reset. */
  readonly behind: number
  readonly boards: ReadonlyMap<string, Snapshot["boards"][number]>
  readonly rounds: ReadonlyArray<Snapshot["rounds"][number]>
  readonly live: ReadonlyMap<string, Snapshot["live"][number]>
  readonly reviews: ReadonlyMap<string, Snapshot["reviews"][number]>
  /** Matches that were voided and that ratings still have, by id. */
  readonly voiding: ReadonlyMap<string, Snapshot["voiding"][number]>
  /** In the order in which they ended; only those that were not in the view before. */
  readonly ended: ReadonlyArray<Ended>
  readonly endedCount: number
  /** Matches that had ended before and are not as they were. */
  readonly rewritten: ReadonlyArray<Ended>
  /** Points that were not in the view before, or are not as they were there; earliest first. */
  readonly series: ReadonlyArray<SeriesPoint>
  /** The administrative log: when each of its rows was written, by id. */
  readonly audits: ReadonlyMap<string, number>
}

/**
 * Rows that were seen before, as they were last: matches that have ended by their id, points of
 * the series by ladder and time.
 */
export interface Known {
  readonly ended: ReadonlyMap<string, Ended>
  readonly points: ReadonlyMap<string, SeriesPoint>
}

export const pointOf = ({ at, ladder }: SeriesPoint): string => `${ladder} ${at}`

export const EMPTY = (settings: Snapshot["settings"], head: Snapshot["head"]): View => ({
  head,
  settings,
  versions: new Map(),
  ratings: new Map(),
  waiting: 0,
  behind: 0,
  boards: new Map(),
  rounds: [],
  live: new Map(),
  reviews: new Map(),
  voiding: new Map(),
  ended: [],
  endedCount: 0,
  rewritten: [],
  series: [],
  audits: new Map()
})

/** The ratings kept beside the rows, commit by commit, are newer than they are. */
export const withWaitingRatings = (
  { head, rounds }: Pick<View, "head" | "rounds">,
  rows: View["ratings"],
  commits: ReadonlyArray<ReadonlyArray<RatingRow>>
) => {
  const ratings = new Map(rows)
  const kept = new Set<string>()
  for (const commit of commits) {
    for (const row of commit) {
      const place = `${row.ladder} ${row.version}`
      kept.add(place)
      ratings.set(place, row)
    }
  }
  let behind = 0
  for (const [place, row] of ratings) {
    if (!row.active || row.round >= head.round) continue
    behind++
    ratings.set(place, afterResets(row, head, rounds))
  }
  return { ratings, waiting: kept.size, behind }
}

type RatingRow = Snapshot["ratings"][number]
const SEED = { mu: 0, round_matches: 0, virtual_games: 0, failed: 0, forfeits: 0, trend: null, met: [] }
const REMEMBERED = 12

/** A row in play that is of an earlier round is at the seed, once for each round that has started since. */
const afterResets = (row: RatingRow, { round, starts }: View["head"], rounds: View["rounds"]): RatingRow => {
  const sigma = startIn(starts, round, row.ladder)
  const since = rounds.filter(({ n, started_at }) => started_at !== null && n > row.round && n <= round)
  return { ...row, ...SEED, sigma, round, history: [...row.history, ...since.map(() => 0)].slice(-REMEMBERED) }
}

/** How far somebody has read the rows of a season in memory; views of the same rows share what they consist of. */
export interface Read {
  /** So many of the touched rows are known as they are. */
  readonly known: { ended: number; series: number }
  ratings: { readonly of: string; readonly read: ReturnType<typeof withWaitingRatings> } | undefined
  audits: { readonly of: number; readonly read: View["audits"] } | undefined
}
export const unread = (): Read => ({ known: { ended: 0, series: 0 }, ratings: undefined, audits: undefined })

/**
 * The store in memory replaces rows and never changes them, so a view that copies the
 * tables' outsides stays as it was.
 */
export const ofMemory = (rows: Rows, known: Known, read = unread()): View => {
  const ended = touchedSince(rows.ended, known.ended, read.known, "ended")
  return {
    head: rows.head,
    settings: rows.settings,
    versions: rows.versions.copy(),
    ...ratingsOf(rows, read),
    boards: rows.boards.copy(),
    rounds: [...rows.rounds.values()],
    live: rows.live.copy(),
    reviews: rows.reviews.copy(),
    voiding: rows.voiding.copy(),
    ended: ended.filter(({ id }) => !known.ended.has(id)),
    endedCount: rows.ended.size,
    rewritten: ended.filter(({ id }) => known.ended.has(id)),
    series: touchedSince(rows.series, known.points, read.known, "series"),
    audits: auditsOf(rows, read)
  }
}

/** The rows that are not known, or not as they are, by when they were first written. */
const touchedSince = <Row>(
  table: Table<string, Row>,
  known: ReadonlyMap<string, Row>,
  read: Read["known"],
  which: keyof Read["known"]
): ReadonlyArray<Row> => {
  const isKnown = (key: string) => known.get(key) === table.get(key)
  const { touched } = table
  while (read[which] < touched.length && isKnown(touched[read[which]]!)) read[which]++
  const keys = new Set(touched.slice(read[which]).filter((key) => table.has(key) && !isKnown(key)))
  const inOrder = [...keys].some((key) => known.has(key)) ? [...table.keys()].filter((key) => keys.has(key)) : [...keys]
  return inOrder.map((key) => table.get(key)!)
}

/** Everything that the ratings in a view depend on. */
const ratingsOf = ({ head, ratings, redo, rounds }: Rows, read: Read) => {
  const of = JSON.stringify([ratings.touched.length, redo.touched.length, rounds.touched.length, head.round, head.starts])
  if (read.ratings?.of !== of) {
    const commits = [...redo.keys()].sort((a, b) => a - b).map((seq) => redo.get(seq)!)
    read.ratings = { of, read: withWaitingRatings({ head, rounds: [...rounds.values()] }, ratings, commits) }
  }
  return read.ratings!.read
}

const auditsOf = ({ audits }: Rows, read: Read): View["audits"] => {
  const of = audits.touched.length
  if (read.audits?.of !== of) read.audits = { of, read: new Map([...audits.values()].map(({ at, id }) => [id, at])) }
  return read.audits!.read
}
