/**
 * How many counted matches of a season fit a filter. Counting them grows with the season, so what has been counted is kept:
 * matches are numbered in the order in which they were rated (`rated_n`), and a read counts only those after the last that
 * it knows. A match that is voided counts no more; the season counts those too, and once that counter has moved, everything
 * is counted again. The season's counters come from the statement that counts, so that they speak of the same moment.
 */
export interface Found {
  readonly total: number
  /** When the first and the last of them ended; null where there is none. */
  readonly first: Date | null
  readonly last: Date | null
}
/** What was found among the matches after the number that was asked for. */
export interface Counted extends Found {
  /** Of the season: those that count, and those that did until they were voided. Together the last number given. */
  readonly rated: number
  readonly voided: number
}

interface Kept extends Found {
  readonly number: number
  readonly voided: number
}

/** Some 300 bytes each; the filter that was counted longest ago leaves first. */
const FILTERS_MAX = 10_000

export class KeptTotals {
  readonly #totals = new Map<string, Kept>()

  /** The number after which matches have not been counted for the filter. */
  after(filter: string): number {
    return this.#totals.get(filter)?.number ?? 0
  }

  /**
   * All that fit, with what was found after number `after`, or what another read has added meanwhile. Undefined where a match
   * was voided since: count again from 0.
   */
  add(filter: string, after: number, { first, last, rated, total, voided }: Counted): Found | undefined {
    const number = rated + voided
    const kept = this.#totals.get(filter)
    if (kept !== undefined && kept.voided === voided && kept.number >= number && kept.number > after) return foundOf(kept)
    if (after > 0 && (kept?.number !== after || kept.voided !== voided)) return undefined
    const before = after === 0 ? undefined : kept
    const sum = { total: total + (before?.total ?? 0), first: before?.first ?? first, last: last ?? before?.last ?? null }
    this.#totals.delete(filter)
    this.#totals.set(filter, { ...sum, number, voided })
    if (this.#totals.size > FILTERS_MAX) this.#totals.delete(this.#totals.keys().next().value!)
    return sum
  }
}

const foundOf = ({ first, last, total }: Kept): Found => ({ first, last, total })
