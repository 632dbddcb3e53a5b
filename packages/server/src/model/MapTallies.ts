/**
 * How a version did on boards. Counting grows with its matches, so counts are stored: all but those of the
 * last instant counted, at which another match may still be written, and of those that ended by a clock that was
 * ahead, until the season's time has passed them. A read counts what came since, a
 * statement for so many seats; nothing is written by the season. Once ratings have been made without a voided
 * match, everything is counted again, since changes of later matches are others; and where the season's time was put back, since some are not counted.
 */
import { Effect } from "effect"
import { BEGINNING } from "../database/rows.ts"
import type { CountedRow, MapTally, makeQueries, StoredRow } from "./mapQueries.ts"

/** Seats of one statement: 10 ms where they are in memory. A shorter rest is counted again by the next read. */
const SEATS_MAX = 2_000

type Queries = Effect.Success<typeof makeQueries>
type Tallies = Readonly<Record<string, MapTally>>

const sum = (one: Tallies, other: ReadonlyArray<readonly [string, MapTally]>): Tallies => {
  const all: Record<string, MapTally> = { ...one }
  for (const [map_id, [played, ranks, scores, changes]] of other) {
    const [a, b, c, d] = all[map_id] ?? [0, 0, 0, 0]
    all[map_id] = [a + played, b + ranks, c + scores, d + changes]
  }
  return all
}

const ofRows = (rows: ReadonlyArray<CountedRow>, newest: boolean) =>
  rows.flatMap(
    (row): ReadonlyArray<readonly [string, MapTally]> =>
      row.map_id === null || row.tally === null || row.newest !== newest ? [] : [[row.map_id, row.tally]]
  )

/** The tallies of one version, by board. */
const countOne = Effect.fnUntraced(function* (queries: Queries, version: string, stored: StoredRow | undefined) {
  const nothing = (voided: number): StoredRow => ({ version, counted_to: BEGINNING, voided, tallies: {} })
  let [known, unsaved, seats] = [stored, 0, SEATS_MAX]
  for (;;) {
    const rows = yield* queries.counted({ version, from: known?.counted_to ?? BEGINNING, seats })
    const { last, seats: found, voided } = rows[0]!
    if (known !== undefined && known.voided !== voided) {
      known = nothing(voided)
      continue
    }
    const before = known ?? nothing(voided)
    const after: StoredRow = { ...before, counted_to: last ?? before.counted_to, tallies: sum(before.tallies, ofRows(rows, false)) }
    known = after
    unsaved += found
    if (found < seats) {
      if (unsaved >= SEATS_MAX)
        yield* Effect.catch(queries.store(after), (error) => Effect.logWarning("how a version did on boards is not stored", error))
      return sum(after.tallies, ofRows(rows, true))
    }
    // More than that many at one instant, or later than the season's time, are counted by one statement.
    seats = rows.every(({ newest }) => newest) ? seats * 2 : SEATS_MAX
  }
})

/** The tallies of versions together, by board. */
export const countMaps = Effect.fnUntraced(function* (queries: Queries, versions: ReadonlyArray<string>) {
  const stored = new Map((yield* queries.talliesOf(versions)).map((row) => [row.version, row]))
  let all: Tallies = {}
  for (const version of versions) all = sum(all, Object.entries(yield* countOne(queries, version, stored.get(version))))
  return all
})
