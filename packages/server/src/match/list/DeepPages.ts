/**
 * Pages far down in a list. Each goes through the rows before it: in a season of 300,000 matches the 50,000th of a filter took a second.
 * Beyond the rows that are kept, a sorted list of a side or of a rare filter takes as long from the start, since all its matches are
 * sorted. Anybody may ask for 30 such pages a second, and visitors share four connections. So they are read few at a time, one of each
 * caller, and first pages never wait for them.
 */
import { Unavailable } from "@agon/api/Problem.ts"
import type { Effect } from "effect"
import { makeShare } from "../../process/Share.ts"
import { FIRST_ROWS } from "./firstRows.ts"

/** A page of a whole season that ends within these rows is not deep, and one of a filter within those that are kept. */
const DEEP_ROWS = 1_000
const TURNS = { places: 2, waiting: 64, wait: "5 seconds", each: { places: 1, waiting: 16 } } as const

const crowded = new Unavailable({ detail: "Too many pages far down in lists of matches are asked for just now; try again in a second." })

interface Page {
  /** Its last row. */
  readonly upTo: number
  /** Whether the list has all matches of a season. */
  readonly isWhole: boolean
}

/** Reads a page, in its turn where that is far down. */
export const makeDeepPages = () => {
  const turns = makeShare(TURNS, () => crowded)
  return <A>({ isWhole, upTo }: Page, read: Effect.Effect<A>): Effect.Effect<A, Unavailable> =>
    upTo <= (isWhole ? DEEP_ROWS : FIRST_ROWS) ? read : turns.use(read)
}
