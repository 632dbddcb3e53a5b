/**
 * The opponents of a version in matches that count, with the results. Counting grows with its
 * matches, so counts are kept:
 *
 *   read ─▶ the next seats in the order of time, a statement each ─▶ all but those of the last instant are added to the kept counts
 *     ◀── there are more                                          └▶ these are counted anew with each read
 *
 * since another match may still be written at the same instant. Seats of matches that ended by a clock that was ahead count as of the last
 * instant until the season's time, which was put back, has passed them. A voided match no longer counts, and others are not counted once the
 * time was put back: the season counts both, and once that counter has moved, everything is counted again. A read holds the
 * counts that it works on, so it gets on whatever other reads throw out of the kept ones meanwhile.
 * Statements stay short however many matches there are, and a seat counted by one read is not counted again:
 * counts are stored after every statement's worth of seats, for other nodes and restarts.
 */
import { Effect } from "effect"
import { BEGINNING } from "../database/rows.ts"
import { type Counted, grow, isStuck, type Stored, type Tallies, type Tally, withNewest } from "./rivalCounts.ts"

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

interface RivalCounts {
  readonly from: Date
  /** Undefined where nothing has been counted yet. */
  readonly voided: number | undefined
  readonly tallies: Map<string, Tally>
  /** Seats counted since the last save. */
  readonly unsaved: number
  /** The same counts once a read has gone on with them; it grows the same tallies. */
  next?: RivalCounts
}

/** A version that a read is counting: the counts so far, and the seats to ask for at least. */
interface Unfinished {
  readonly kept: RivalCounts
  readonly seats: number
}

/** The pairs of a read's versions that are kept, or were until another read threw them out, of each and together. */
interface Mine {
  readonly of: Map<string, number>
  pairs: number
}

/** Seats of one version that are read by one statement: 10 ms where they are in memory. */
export const SEATS_MAX = 2_000
/** Seats of all versions that are read by one statement. */
const STATEMENT_SEATS_MAX = 5_000
/** Versions of one statement; each costs a search in an index even where nothing has come. */
export const VERSIONS_MAX = 200
/** Pairs of a version and a rival kept at once, some 150 bytes each; the versions least recently read leave first. */
const PAIRS_MAX = 200_000

/** The share of each of so many versions. */
const shareOf = (versions: number) => Math.min(SEATS_MAX, Math.floor(STATEMENT_SEATS_MAX / versions))

const nothing = (voided?: number): RivalCounts => ({ from: BEGINNING, voided, tallies: new Map(), unsaved: 0 })

const latest = (kept: RivalCounts): RivalCounts => {
  let last = kept
  while (last.next !== undefined) last = last.next
  return last
}

export class RivalCache {
  readonly #kept = new Map<string, RivalCounts>()
  readonly #most: number
  readonly #store: RivalStore
  #pairs = 0

  constructor(store: RivalStore, most = PAIRS_MAX) {
    this.#store = store
    this.#most = most
  }

  /**
   * By version, of all rivals or of `rivals` alone; `count` answers for up to `VERSIONS_MAX` versions at
   * once, for those alone that have not been counted to their end.
   */
  read<E, R>(
    versions: ReadonlyArray<string>,
    count: Count<E, R>,
    rivals?: ReadonlySet<string>
  ): Effect.Effect<ReadonlyMap<string, Tallies>, E, R> {
    const all = new Map<string, Tallies>()
    const mine = this.#mineOf(versions)
    /**
     * With each version the counts so far, and the seats to ask for at least: more than its share where
     * that many share one instant.
     */
    const step = (asking: ReadonlyMap<string, Unfinished>): Effect.Effect<void, E, R> => {
      const share = shareOf(asking.size)
      const asked = Array.from(asking, ([version, { kept, seats }]) => ({ version, from: kept.from, seats: Math.max(share, seats) }))
      return Effect.flatMap(count(asked), (counted) => {
        const unfinished = new Map<string, Unfinished>()
        const finished = new Map<string, RivalCounts>()
        for (const one of asked) {
          const of = counted.get(one.version)!
          const { again, kept } = this.#take(one, asking.get(one.version)!.kept, of, mine)
          if (again !== undefined) unfinished.set(one.version, { kept, seats: again })
          else finished.set(one.version, kept)
          if (again === undefined) all.set(one.version, withNewest(kept.tallies, of, rivals))
        }
        const saved = this.#save(finished, mine)
        return unfinished.size === 0 ? saved : Effect.andThen(saved, step(unfinished))
      })
    }
    const parts = Array.from({ length: Math.ceil(versions.length / VERSIONS_MAX) }, (_, i) =>
      versions.slice(i * VERSIONS_MAX, (i + 1) * VERSIONS_MAX)
    )
    const steps = Effect.forEach(parts, (part) => Effect.flatMap(this.#loaded(part, mine), step), { discard: true })
    return Effect.as(steps, all)
  }

  /** The counts of a version, and how many seats to ask for at least where it is to be asked again. */
  #take(
    { from, seats, version }: Asked,
    before: RivalCounts,
    counted: Counted,
    mine: Mine
  ): { readonly kept: RivalCounts; readonly again?: number } {
    if (before.next !== undefined) return { kept: latest(before), again: 0 } // another read has counted them
    if (before.voided !== undefined && before.voided !== counted.voided) {
      const kept = nothing(counted.voided)
      this.#replace(version, before, kept, mine)
      return { kept, again: 0 }
    }
    const kept = this.#add(version, before, counted, mine)
    if (counted.seats < seats) return { kept }
    return { kept, again: isStuck({ from }, kept, counted) ? seats * 2 : 0 }
  }

  /** The number of pairs kept. */
  get pairs(): number {
    return this.#pairs
  }

  /** Those that are kept already come first. */
  #mineOf(versions: ReadonlyArray<string>): Mine {
    const of = new Map(versions.flatMap((version) => (this.#kept.has(version) ? [[version, this.#kept.get(version)!.tallies.size]] : [])))
    return { of, pairs: of.values().reduce((sum, pairs) => sum + pairs, 0) }
  }

  #loaded(versions: ReadonlyArray<string>, mine: Mine): Effect.Effect<ReadonlyMap<string, Unfinished>> {
    const absent = versions.filter((version) => !this.#kept.has(version))
    const loaded = absent.length === 0 ? Effect.succeed(new Map<string, Stored>()) : this.#store.load(absent)
    // Another read may have loaded some meanwhile, or thrown some out.
    return Effect.map(loaded, (stored) => {
      const kept = (version: string) => this.#kept.get(version) ?? this.#begin(version, stored.get(version), mine)
      return new Map(versions.map((version) => [version, { kept: kept(version), seats: 0 }]))
    })
  }

  #begin(version: string, stored: Stored | undefined, mine: Mine): RivalCounts {
    const kept = stored === undefined ? nothing() : { ...stored, tallies: new Map(stored.tallies), unsaved: 0 }
    this.#put(version, kept, mine)
    return kept
  }

  /**
   * Not with every read: unsaved seats are counted again by one statement. Tallies are copied, since reads
   * meanwhile go on counting in them.
   */
  #save(finished: ReadonlyMap<string, RivalCounts>, mine: Mine): Effect.Effect<void> {
    const due = [...finished].flatMap(([version, kept]) =>
      kept.unsaved < SEATS_MAX || kept.voided === undefined
        ? []
        : [{ version, kept, stored: { from: kept.from, voided: kept.voided, tallies: new Map(kept.tallies) } }]
    )
    for (const { kept, version } of due) this.#replace(version, kept, { ...kept, unsaved: 0 }, mine)
    return Effect.forEach(due, ({ stored, version }) => this.#store.save(version, stored), { discard: true })
  }

  #add(version: string, before: RivalCounts, counted: Counted, mine: Mine): RivalCounts {
    const { last, seats, voided } = counted
    const { tallies } = before
    const had = tallies.size
    grow(tallies, counted)
    if (this.#kept.get(version)?.tallies === tallies) this.#pairs += tallies.size - had
    const kept: RivalCounts = { from: last ?? before.from, voided, tallies, unsaved: before.unsaved + seats }
    this.#replace(version, before, kept, mine)
    return kept
  }

  /** Also counts that were thrown out meanwhile go on in those who still read them. */
  #replace(version: string, before: RivalCounts, after: RivalCounts, mine: Mine) {
    before.next = after
    this.#put(version, after, mine)
  }

  /**
   * A read brings in no more than half of the pairs, or one version where that has more: the versions of
   * a large read would only throw each other out, and those of all others. A version beyond that is
   * loaded again by the next read.
   */
  #put(version: string, kept: RivalCounts, mine: Mine) {
    const had = this.#drop(version)
    const { size } = kept.tallies
    const pairs = mine.pairs - (mine.of.get(version) ?? 0) + size
    if (!had && mine.of.size > 0 && pairs > this.#most / 2) return
    mine.of.set(version, size)
    mine.pairs = pairs
    this.#kept.set(version, kept)
    this.#pairs += size
    for (const oldest of this.#kept.keys()) {
      if (this.#pairs <= this.#most && this.#kept.size <= this.#most) break // a version without a match has no pairs
      this.#drop(oldest)
    }
  }

  #drop(version: string): boolean {
    const kept = this.#kept.get(version)
    if (kept === undefined) return false
    this.#pairs -= kept.tallies.size
    return this.#kept.delete(version)
  }
}
