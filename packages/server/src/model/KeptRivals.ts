/**
 * Whom a version met in matches that count, and how that went. Counting grows with its matches, so what has been counted is kept:
 *
 *   read ─▶ the next seats in the order of time, so many a statement ─▶ all but those of the last instant are added to what is kept
 *     ◀── there are more                                             └▶ these are counted anew with each read
 *
 * since another match may still be written under the same instant. A match that is voided counts no more: the season counts those,
 * and once its counter has moved, everything is counted again. Statements stay short however many matches there are, and what one
 * read has counted, no other counts again.
 */
import { Effect } from "effect"

export interface Tally {
  readonly played: number
  readonly wins: number
  readonly draws: number
  readonly losses: number
  readonly last_ms: number
}

/** Of seats from an instant on, so many at most. */
export interface Counted {
  readonly seats: number
  /** The last instant among them; null where there are none. */
  readonly last: Date | null
  /** Of the season: matches that counted until they were voided. */
  readonly voided: number
  readonly rivals: ReadonlyArray<Tally & { readonly model_id: string /** Of the last instant. */; readonly newest: boolean }>
}

export type Tallies = ReadonlyMap<string, Tally>

interface Kept {
  readonly from: Date
  readonly voided: number
  readonly tallies: Map<string, Tally>
}

/** Seats of a statement: 10 ms where they are in memory. */
export const SEATS_MAX = 2_000
/** Pairs of a version and a rival kept at once, some 150 bytes each; versions that were read longest ago leave first. */
const PAIRS_MAX = 200_000

const BEGINNING = new Date("0001-01-01T00:00:00Z")

const add = (to: Map<string, Tally>, model_id: string, more: Tally) => {
  const had = to.get(model_id)
  to.set(model_id, had === undefined ? more : sum(had, more))
}

export const sum = (one: Tally, other: Tally): Tally => ({
  played: one.played + other.played,
  wins: one.wins + other.wins,
  draws: one.draws + other.draws,
  losses: one.losses + other.losses,
  last_ms: Math.max(one.last_ms, other.last_ms)
})

const tallyOf = ({ draws, last_ms, losses, played, wins }: Tally): Tally => ({ played, wins, draws, losses, last_ms })

export class KeptRivals {
  readonly #kept = new Map<string, Kept>()
  readonly #most: number
  #pairs = 0

  constructor(most = PAIRS_MAX) {
    this.#most = most
  }

  /** `count` finds what there is from an instant on, of `SEATS_MAX` seats at most, or of `seats` where all of those are of one instant. */
  read<E, R>(version: string, count: (from: Date, seats: number) => Effect.Effect<Counted, E, R>): Effect.Effect<Tallies, E, R> {
    const step = (seats: number): Effect.Effect<Tallies, E, R> =>
      Effect.suspend(() => {
        const before = this.#kept.get(version)
        const from = before?.from ?? BEGINNING
        return Effect.flatMap(count(from, seats), (counted) => {
          if (this.#kept.get(version) !== before) return step(SEATS_MAX) // another read has counted them
          if (before !== undefined && before.voided !== counted.voided) {
            this.#drop(version)
            return step(SEATS_MAX)
          }
          const after = this.#add(version, before, counted)
          if (counted.seats < seats) return Effect.succeed(withNewest(after.tallies, counted))
          return step(after.from.getTime() === from.getTime() ? seats * 2 : SEATS_MAX)
        })
      })
    return step(SEATS_MAX)
  }

  /** So many pairs are kept. */
  get pairs(): number {
    return this.#pairs
  }

  #add(version: string, before: Kept | undefined, { last, rivals, voided }: Counted): Kept {
    const tallies = before?.tallies ?? new Map<string, Tally>()
    this.#drop(version)
    for (const rival of rivals) if (!rival.newest) add(tallies, rival.model_id, tallyOf(rival))
    const kept: Kept = { from: last ?? before?.from ?? BEGINNING, voided, tallies }
    this.#kept.set(version, kept)
    this.#pairs += tallies.size
    for (const oldest of this.#kept.keys()) {
      if (this.#pairs <= this.#most) break
      this.#drop(oldest)
    }
    return kept
  }

  #drop(version: string) {
    const kept = this.#kept.get(version)
    if (kept === undefined) return
    this.#kept.delete(version)
    this.#pairs -= kept.tallies.size
  }
}

const withNewest = (tallies: Tallies, { rivals }: Counted): Tallies => {
  const all = new Map(tallies)
  for (const rival of rivals) if (rival.newest) add(all, rival.model_id, tallyOf(rival))
  return all
}
