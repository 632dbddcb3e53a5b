/**
 * What has been counted among a season's matches that count. Counting them grows with the season, so it is kept: matches are
 * numbered in the order in which they were rated (`rated_n`), and a read counts only those after the last that it knows. A match
 * that is voided counts no more; the season counts those too, and once that counter has moved, everything is counted again. The
 * season's counters come from the statement that counts, so that they speak of the same moment.
 */
import { Effect } from "effect"

/** Of a season: its matches that count, and those that did until they were voided. Together the last number given. */
export interface Counters {
  readonly rated: number
  readonly voided: number
}

/** What was found among the matches after the number that was asked for. */
export interface Counted<Found> extends Counters {
  readonly found: Found
}

interface Kept<Found> {
  readonly found: Found
  readonly number: number
  readonly voided: number
}

export interface Options<Found> {
  /** What was found before, with what was found later. */
  readonly join: (before: Found, later: Found) => Found
  /** Counts kept at once; the one that was brought up to date longest ago leaves first. */
  readonly most: number
}

export class KeptCounts<Found> {
  readonly #counts = new Map<string, Kept<Found>>()
  readonly #options: Options<Found>

  constructor(options: Options<Found>) {
    this.#options = options
  }

  /** All that there is of this name, of which `count` finds what comes after a number, or everything after 0. */
  read<E, R>(name: string, count: (after: number) => Effect.Effect<Counted<Found>, E, R>): Effect.Effect<Found, E, R> {
    return Effect.suspend(() => {
      const after = this.after(name)
      return Effect.flatMap(count(after), (counted) => {
        const all = this.add(name, after, counted)
        return all === undefined ? Effect.map(count(0), (whole) => this.add(name, 0, whole)!) : Effect.succeed(all)
      })
    })
  }

  /** The number after which matches have not been counted. */
  after(name: string): number {
    return this.#counts.get(name)?.number ?? 0
  }

  /**
   * What was found after number `after` with what was found before it, or what another read has added meanwhile. Undefined where a
   * match was voided since: count again from 0.
   */
  add(name: string, after: number, { found, rated, voided }: Counted<Found>): Found | undefined {
    const number = rated + voided
    const kept = this.#counts.get(name)
    if (kept !== undefined && kept.voided === voided && kept.number >= number && kept.number > after) return kept.found
    if (after > 0 && (kept?.number !== after || kept.voided !== voided)) return undefined
    const all = after === 0 ? found : this.#options.join(kept!.found, found)
    this.#counts.delete(name)
    this.#counts.set(name, { found: all, number, voided })
    if (this.#counts.size > this.#options.most) this.#counts.delete(this.#counts.keys().next().value!)
    return all
  }
}
