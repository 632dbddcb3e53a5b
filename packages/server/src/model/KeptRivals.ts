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

/** A version's seats from an instant on, so many at most. */
export interface Asked {
  readonly version: string
  readonly from: Date
  readonly seats: number
}

/** Answers for every version that it is asked for. */
export type Count<E, R> = (asked: ReadonlyArray<Asked>) => Effect.Effect<ReadonlyMap<string, Counted>, E, R>

/** Storage that outlives this process. */
export interface RivalStore {
  readonly load: (versions: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, Stored>>
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

/** Seats of one version that are read by one statement: 10 ms where they are in memory. */
export const SEATS_MAX = 2_000
/** Seats of all versions that are read by one statement. */
const STATEMENT_SEATS_MAX = 5_000
/** Versions of one statement; each costs a search in an index even where nothing has come. */
export const VERSIONS_MAX = 200
/** Pairs of a version and a rival kept at once, some 150 bytes each; the versions least recently read leave first. */
const PAIRS_MAX = 200_000

export const BEGINNING = new Date("0001-01-01T00:00:00Z")

/** The share of each of so many versions. */
const shareOf = (versions: number) => Math.min(SEATS_MAX, Math.floor(STATEMENT_SEATS_MAX / versions))

const nothing = (voided?: number): Kept => ({ from: BEGINNING, voided, tallies: new Map(), unsaved: 0 })

const add = (to: Map<string, Tally>, model_id: string, more: Tally) => {
  const had = to.get(model_id)
  to.set(model_id, had === undefined ? more : sum(had, more))
}

/** Adds counts of the same model's other versions. */
export const addTo = (to: Map<string, Tally>, tallies: Tallies): void => {
  for (const [model_id, tally] of tallies) add(to, model_id, tally)
}

const sum = (one: Tally, other: Tally): Tally => ({
  played: one.played + other.played,
  wins: one.wins + other.wins,
  draws: one.draws + other.draws,
  losses: one.losses + other.losses,
  last_ms: Math.max(one.last_ms, other.last_ms)
})

/** Adds all but the last instant's, which are counted anew the next time. */
const grow = (to: Map<string, Tally>, { rivals }: Counted) => {
  for (const rival of rivals) if (!rival.newest) add(to, rival.model_id, tallyOf(rival))
}

/** Stored counts with the next seats. */
export const advanced = ({ from, tallies }: Pick<Stored, "from" | "tallies">, counted: Counted): Stored => {
  const grown = new Map(tallies)
  grow(grown, counted)
  return { from: counted.last ?? from, voided: counted.voided, tallies: grown }
}

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

  /** By version; `count` answers for up to `VERSIONS_MAX` versions at once, for those alone that have not been counted to their end. */
  read<E, R>(versions: ReadonlyArray<string>, count: Count<E, R>): Effect.Effect<ReadonlyMap<string, Tallies>, E, R> {
    const all = new Map<string, Tallies>()
    /** With each version the seats to ask for at least: more than its share where that many share one instant. */
    const step = (asking: ReadonlyMap<string, number>): Effect.Effect<void, E, R> =>
      Effect.flatMap(this.#loaded([...asking.keys()]), (before) => {
        const share = shareOf(asking.size)
        const asked = [...before].map(([version, { from }]) => ({ version, from, seats: Math.max(share, asking.get(version)!) }))
        return Effect.flatMap(count(asked), (counted) => {
          const unfinished = new Map<string, number>()
          for (const one of asked) {
            const outcome = this.#take(one, before.get(one.version)!, counted.get(one.version)!)
            if (typeof outcome === "number") unfinished.set(one.version, outcome)
            else all.set(one.version, outcome)
          }
          const saved = this.#save(asked.map(({ version }) => version).filter((version) => !unfinished.has(version)))
          return unfinished.size === 0 ? saved : Effect.andThen(saved, step(unfinished))
        })
      })
    const parts = Array.from({ length: Math.ceil(versions.length / VERSIONS_MAX) }, (_, i) =>
      versions.slice(i * VERSIONS_MAX, (i + 1) * VERSIONS_MAX)
    )
    const steps = Effect.forEach(parts, (part) => step(new Map(part.map((version) => [version, 0]))), { discard: true })
    return Effect.as(steps, all)
  }

  /** The counts of a version, or how many seats to ask for at least where it is to be asked again. */
  #take({ from, seats, version }: Asked, before: Kept, counted: Counted): Tallies | number {
    if (this.#kept.get(version) !== before) return 0 // another read has counted them
    if (before.voided !== undefined && before.voided !== counted.voided) {
      this.#put(version, nothing(counted.voided))
      return 0
    }
    const after = this.#add(version, before, counted)
    if (counted.seats < seats) return withNewest(after.tallies, counted)
    return after.from.getTime() === from.getTime() ? seats * 2 : 0
  }

  /** The number of pairs kept. */
  get pairs(): number {
    return this.#pairs
  }

  #loaded(versions: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, Kept>> {
    const absent = versions.filter((version) => !this.#kept.has(version))
    const loaded = absent.length === 0 ? Effect.succeed(new Map<string, Stored>()) : this.#store.load(absent)
    // Another read may have loaded some meanwhile.
    return Effect.map(
      loaded,
      (stored) => new Map(versions.map((version) => [version, this.#kept.get(version) ?? this.#begin(version, stored.get(version))]))
    )
  }

  #begin(version: string, stored: Stored | undefined): Kept {
    const kept = stored === undefined ? nothing() : { ...stored, tallies: new Map(stored.tallies), unsaved: 0 }
    this.#put(version, kept)
    return kept
  }

  /** Not with every read: unsaved seats are counted again by one statement. Tallies are copied, since reads meanwhile go on counting in them. */
  #save(versions: ReadonlyArray<string>): Effect.Effect<void> {
    const due = versions.flatMap((version) => {
      const kept = this.#kept.get(version)
      return kept === undefined || kept.unsaved < SEATS_MAX || kept.voided === undefined
        ? []
        : [[version, { ...kept, tallies: new Map(kept.tallies) }, kept.voided] as const]
    })
    for (const [version] of due) this.#put(version, { ...this.#kept.get(version)!, unsaved: 0 })
    return Effect.forEach(due, ([version, { from, tallies }, voided]) => this.#store.save(version, { from, voided, tallies }), {
      discard: true
    })
  }

  #add(version: string, before: Kept, counted: Counted): Kept {
    const { last, seats, voided } = counted
    const { tallies } = before
    this.#drop(version)
    grow(tallies, counted)
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
