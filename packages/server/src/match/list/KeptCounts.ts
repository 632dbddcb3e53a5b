/**
 * One number a name: cached counts of a season's rated matches, for the totals of lists (listCaches.ts) and of boards (board/Boards.ts).
 * Rows are kept by KeptLists.ts.
 *
 * Counting grows with the season, so results are kept. Matches are numbered in the order in which they were rated (`rated_n`), and a read
 * counts only those after the last known number. A voided match no longer counts; the season counts voided matches too, and once that
 * counter has moved, everything is counted again. The season's counters come from the counting statement itself, so that all are of the
 * same moment.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Effect } from "effect"

/** A season's matches that count, and those voided after they counted. Their sum is the last number given. */
export interface Counters {
  readonly rated: number
  readonly voided: number
}

/** The count of the matches after the requested number. */
export interface Counted<Found> extends Counters {
  readonly found: Found
}

interface Kept<Found> {
  readonly found: Found
  readonly number: number
  readonly voided: number
}

export interface Options<Found> {
  /** Joins an earlier count with a later one. */
  readonly join: (before: Found, later: Found) => Found
  /** Counts kept at once; the least recently updated one leaves first. */
  readonly most: number
}

export class KeptCounts<Found> {
  readonly #counts: CappedMap<string, Kept<Found>>
  readonly #options: Options<Found>

  constructor(options: Options<Found>) {
    this.#options = options
    this.#counts = new CappedMap(options.most)
  }

  /**
   * The whole count under this name. `count` answers the count after a number. A count of everything is made by `whole`, which may run it
   * elsewhere, and passes it on to be kept.
   */
  read<E>(
    name: string,
    count: (after: number) => Effect.Effect<Counted<Found>>,
    whole: (keep: (counted: Effect.Effect<Counted<Found>>) => Effect.Effect<Found>) => Effect.Effect<Found, E>
  ): Effect.Effect<Found, E> {
    const everything = whole(Effect.map((counted) => this.add(name, 0, counted)!))
    return Effect.suspend(() => {
      const after = this.after(name)
      if (after === 0) return everything
      return Effect.flatMap(count(after), (counted) => {
        const all = this.add(name, after, counted)
        return all === undefined ? everything : Effect.succeed(all)
      })
    })
  }

  /** The number up to which matches have been counted. */
  after(name: string): number {
    return this.#counts.get(name)?.number ?? 0
  }

  /**
   * Joins the count after number `after` with the one before it, or with a concurrent read's addition. Undefined where a
   * match was voided since: count again from 0.
   */
  add(name: string, after: number, { found, rated, voided }: Counted<Found>): Found | undefined {
    const number = rated + voided
    const kept = this.#counts.get(name)
    if (kept !== undefined && kept.voided === voided && kept.number >= number && kept.number > after) return kept.found
    if (after > 0 && (kept?.number !== after || kept.voided !== voided)) return undefined
    const all = after === 0 ? found : this.#options.join(kept!.found, found)
    this.#counts.set(name, { found: all, number, voided })
    return all
  }
}
