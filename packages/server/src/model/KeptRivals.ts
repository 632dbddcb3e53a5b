/**
 * The opponents of a version in matches that count, with the results. Counting grows with its matches, so counts are kept:
 *
 *   read ─▶ the next seats in the order of time, a statement each ─▶ all but those of the last instant are added to the kept counts
 *     ◀── there are more                                          └▶ these are counted anew with each read
 *
 * since another match may still be written at the same instant. A voided match no longer counts: the season counts voided
 * matches, and once that counter has moved, everything is counted again. Statements stay short however many matches there are, and a
 * seat counted by one read is not counted again: counts are stored after every statement's worth of seats, for other nodes and restarts.
 */
import { Effect } from "effect"

export interface Tally {
  readonly played: number
  readonly wins: number
  readonly draws: number
  readonly losses: number
  readonly last_ms: number
}

/** Counts of seats from an instant on, up to a limit. */
export interface Counted {
  readonly seats: number
  /** The last instant among them; null where there are none. */
  readonly last: Date | null
  /** The season's matches that counted until they were voided. */
  readonly voided: number
  readonly rivals: ReadonlyArray<Tally & { readonly model_id: string /** Of the last instant. */; readonly newest: boolean }>
}

export type Tallies = ReadonlyMap<string, Tally>

/** The counts of a version before an instant. */
export interface Stored {
  readonly from: Date
  readonly voided: number
  readonly tallies: Tallies
}

/** Storage that outlives this process. */
export interface RivalStore {
  readonly load: (version: string) => Effect.Effect<Stored | undefined>
  readonly save: (version: string, stored: Stored) => Effect.Effect<void>
}

interface Kept {
  readonly from: Date
  /** Undefined where nothing has been counted yet. */
  readonly voided: number | undefined
  readonly tallies: Map<string, Tally>
  /** Seats counted since the last save. */
  readonly unsaved: number
}

/** Seats read by one statement: 10 ms where they are in memory. */
export const SEATS_MAX = 2_000
/** Pairs of a version and a rival kept at once, some 150 bytes each; the versions least recently read leave first. */
const PAIRS_MAX = 200_000

const BEGINNING = new Date("0001-01-01T00:00:00Z")

const nothing = (voided?: number): Kept => ({ from: BEGINNING, voided, tallies: new Map(), unsaved: 0 })

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
  readonly #store: RivalStore
  #pairs = 0

  constructor(store: RivalStore, most = PAIRS_MAX) {
    this.#store = store
    this.#most = most
  }

  /** `count` answers the seats from an instant on, up to `seats`: `SEATS_MAX`, or more where that many share one instant. */
  read<E, R>(version: string, count: (from: Date, seats: number) => Effect.Effect<Counted, E, R>): Effect.Effect<Tallies, E, R> {
    const step = (seats: number): Effect.Effect<Tallies, E, R> =>
      Effect.suspend(() => {
        const before = this.#kept.get(version)
        if (before === undefined) return Effect.andThen(this.#load(version), step(SEATS_MAX))
        return Effect.flatMap(count(before.from, seats), (counted) => {
          if (this.#kept.get(version) !== before) return step(SEATS_MAX) // another read has counted them
          if (before.voided !== undefined && before.voided !== counted.voided) {
            this.#put(version, nothing(counted.voided))
            return step(SEATS_MAX)
          }
          const after = this.#add(version, before, counted)
          if (counted.seats < seats) return Effect.as(this.#save(version, after), withNewest(after.tallies, counted))
          return step(after.from.getTime() === before.from.getTime() ? seats * 2 : SEATS_MAX)
        })
      })
    return step(SEATS_MAX)
  }

  /** The number of pairs kept. */
  get pairs(): number {
    return this.#pairs
  }

  #load(version: string): Effect.Effect<void> {
    return Effect.map(this.#store.load(version), (stored) => {
      if (this.#kept.has(version)) return // another read has loaded it
      this.#put(version, stored === undefined ? nothing() : { ...stored, tallies: new Map(stored.tallies), unsaved: 0 })
    })
  }

  /** Not with every read: unsaved seats are counted again by one statement. */
  #save(version: string, kept: Kept): Effect.Effect<void> {
    const { from, tallies, unsaved, voided } = kept
    if (unsaved < SEATS_MAX || voided === undefined) return Effect.void
    if (this.#kept.get(version) === kept) this.#put(version, { ...kept, unsaved: 0 })
    return this.#store.save(version, { from, voided, tallies })
  }

  #add(version: string, before: Kept, { last, rivals, seats, voided }: Counted): Kept {
    const { tallies } = before
    this.#drop(version)
    for (const rival of rivals) if (!rival.newest) add(tallies, rival.model_id, tallyOf(rival))
    const kept: Kept = { from: last ?? before.from, voided, tallies, unsaved: before.unsaved + seats }
    this.#put(version, kept)
    return kept
  }

  #put(version: string, kept: Kept) {
    this.#drop(version)
    this.#kept.set(version, kept)
    this.#pairs += kept.tallies.size
    for (const oldest of this.#kept.keys()) {
      if (this.#pairs <= this.#most) break
      this.#drop(oldest)
    }
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
