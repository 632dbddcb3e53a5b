/**
 * The total and the first rows of long lists of matches, season by season, for lists of matches (listCaches.ts) and for a model's best and
 * worst results (model/results.ts). Totals alone, of rated matches, are kept by KeptCounts.ts. Finding them grows with the matches that
 * fit, so they are kept; a read looks only at the matches from an instant on, the edge:
 *
 *   read ─▶ one statement: the matches of each season since its edge ─▶ joined with the kept rows ─▶ the total and the first rows
 *                                                                        └▶ all before the season's newest instant is kept
 *
 * A season's matches end in the order of its commits, so nothing comes before an instant that a match of it has ended at; at that very
 * instant another may be written yet, so its matches are read again with each read. So are those that ended by a clock that was ahead, until
 * the season's time, which was put back, has passed them: no edge is later than that time. Where a match was voided or the time put back,
 * the kept rows and totals may be untrue. So the statement answers the season's marks as well, and where these have moved the season is
 * read anew.
 *
 * A list that took long to find is stored (ListStore.ts), and again from time to time: it is as true for the next process, and for other
 * nodes.
 *
 * Whoever may see a season is asked with each read: the statement answers for the seasons that this viewer sees, and the kept
 * rows of others are left out.
 */
import { Clock, Duration, Effect } from "effect"

/** A row in the order of its list: the highest figure first, those without one last; then the last to end; then the highest id. */
export interface Row {
  readonly id: string
  readonly figure: number | null
  readonly ended_us: number
}

/** The first rows of a list; `whole` where there are no others. */
export interface Rows {
  readonly rows: ReadonlyArray<Row>
  readonly whole: boolean
}

interface List extends Rows {
  /** The end of the last trial that may stand between the rows; null where there is none. */
  readonly last_trial: Date | null
}

/** The matches of one season that have come since an instant, or all of them. */
export interface Came extends List {
  readonly season_id: string
  /** Differs once a match that was counted may have been voided, or its figure changed. */
  readonly marks: string
  /** When the season's newest match ended, but no later than its time, in whole milliseconds; null where it has none. */
  readonly edge: Date | null
  readonly total: number
  /** How many of the total ended before the edge. */
  readonly early: number
}

interface Counted extends List {
  readonly total: number
}

export interface Listed extends Counted {
  /** The list of each season. */
  readonly each: ReadonlyMap<string, Rows>
}

/** All of a season's matches before an instant. */
export interface Kept extends Counted {
  readonly from: Date
  readonly marks: string
}
type Seasons = ReadonlyMap<string, Kept>
interface KeptList {
  readonly seasons: Seasons
  readonly read_ms: number
  /** When it was stored; undefined where it was not. */
  readonly stored_ms: number | undefined
}

export interface ListStore {
  readonly load: (name: string) => Effect.Effect<Seasons>
  readonly save: (name: string, seasons: Seasons) => Effect.Effect<void>
  /** A list is stored that took at least so long to find. */
  readonly slow_ms: number
}

/** The list, or the seasons of which what is kept is still true. */
type Step = Listed | Seasons
const isMap = (taken: Step): taken is Seasons => taken instanceof Map

/** After a longer time so many matches may have come that reading them takes more than a request's time. */
const FRESH_MS = 600_000

/** A stored list that is still read is stored again, so that the next process has less to read. */
const STORE_EVERY_MS = 3_600_000

/** From when on matches are to be read, by season; all matches of a season that is not in it. */
export type Since = ReadonlyMap<string, Date>
/** Answers once for each season that the viewer sees, and for no other. */
export type Read<E, R> = (since: Since) => Effect.Effect<ReadonlyArray<Came>, E, R>

export interface Options {
  /** Rows kept of one list. */
  readonly rows: number
  /** Rows kept of all lists; those that were read least recently leave first. */
  readonly all: number
  readonly store?: ListStore
}

export const inOrder = (a: Row, b: Row): number => {
  if (a.figure !== b.figure) return a.figure === null ? 1 : b.figure === null ? -1 : b.figure - a.figure
  if (a.ended_us !== b.ended_us) return b.ended_us - a.ended_us
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0
}

/** The first rows of all lists together: as far as each of them is known. */
const merged = (lists: ReadonlyArray<Rows>, most: number): Rows => {
  const rows = lists.flatMap((list) => list.rows).toSorted(inOrder)
  const ends = lists.flatMap(({ rows, whole }) => (whole ? [] : [rows.at(-1)]))
  const isKnown = (row: Row) => ends.every((end) => end !== undefined && inOrder(row, end) <= 0)
  const known = rows.filter(isKnown).slice(0, most)
  return { rows: known, whole: ends.length === 0 && known.length === rows.length }
}

const lastTrial = (lists: ReadonlyArray<List>): Date | null =>
  lists.reduce<Date | null>(
    (last, { last_trial }) => (last === null || (last_trial !== null && last_trial > last) ? last_trial : last),
    null
  )

export class KeptLists {
  readonly #lists = new Map<string, KeptList>()
  readonly #options: Options
  #rows = 0

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * The list of this name. Where all matches of a season are to be read, or what has come for a long time, that is put into `anew`, which
   * may run it elsewhere.
   */
  read<E, R, F>(
    name: string,
    read: Read<E, R>,
    anew: (everything: Effect.Effect<Listed, E, R>) => Effect.Effect<Listed, F, R>
  ): Effect.Effect<Listed, E | F, R> {
    const step = (known: Seasons): Effect.Effect<Step, E, R> =>
      Effect.flatMap(read(new Map(Array.from(known, ([season_id, { from }]) => [season_id, from]))), (came): Effect.Effect<Step> => {
        const isStale = ({ marks, season_id }: Came) => known.has(season_id) && known.get(season_id)!.marks !== marks
        const stale = new Set(came.filter(isStale).map(({ season_id }) => season_id))
        if (stale.size === 0)
          return Effect.flatMap(Clock.currentTimeMillis, (now) => this.#stored(name, now, this.#join(name, known, came, now)))
        return Effect.succeed(new Map([...known].filter(([season_id]) => !stale.has(season_id))))
      })
    // Ends, since nothing can be untrue of a season that is read anew.
    const everything = (known: Seasons): Effect.Effect<Listed, E, R> =>
      Effect.flatMap(step(known), (taken) => (isMap(taken) ? everything(taken) : Effect.succeed(taken)))
    return Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Listed, E | F, R> => {
      const kept = this.#lists.get(name)
      const long = (known: Seasons | undefined) => anew(this.#storing(name, known, everything))
      if (kept === undefined || now - kept.read_ms > FRESH_MS) return long(kept?.seasons)
      return Effect.flatMap(step(kept.seasons), (taken) => (isMap(taken) ? long(taken) : Effect.succeed(taken)))
    })
  }

  /** Where nothing is known, from the list that another process has stored. A list that took long to find is stored. */
  #storing<E, R>(
    name: string,
    known: Seasons | undefined,
    everything: (known: Seasons) => Effect.Effect<Listed, E, R>
  ): Effect.Effect<Listed, E, R> {
    const { store } = this.#options
    if (store === undefined) return everything(known ?? new Map())
    return Effect.gen({ self: this }, function* () {
      const stored = known === undefined ? yield* store.load(name) : undefined
      const [took, listed] = yield* Effect.timed(everything(known ?? stored!))
      const isStored = stored !== undefined && stored.size > 0
      if (isStored || Duration.toMillis(took) >= store.slow_ms) yield* this.#save(name, yield* Clock.currentTimeMillis, store)
      return listed
    })
  }

  #save(name: string, now: number, store: ListStore): Effect.Effect<void> {
    const list = this.#lists.get(name)
    if (list === undefined) return Effect.void
    this.#lists.set(name, { ...list, stored_ms: now })
    return store.save(name, list.seasons)
  }

  #stored(name: string, now: number, listed: Listed): Effect.Effect<Listed> {
    const { store } = this.#options
    const stored_ms = this.#lists.get(name)?.stored_ms
    if (store === undefined || stored_ms === undefined || now - stored_ms < STORE_EVERY_MS) return Effect.succeed(listed)
    return Effect.as(this.#save(name, now, store), listed)
  }

  /** The number of rows kept. */
  get rows(): number {
    return this.#rows
  }

  #join(name: string, known: Seasons, came: ReadonlyArray<Came>, now: number): Listed {
    const { rows } = this.#options
    const stored_ms = this.#lists.get(name)?.stored_ms
    const seasons = new Map(this.#lists.get(name)?.seasons)
    const lists = came.map((each): Counted => {
      const before = known.get(each.season_id)
      const lists = before === undefined ? [each] : [before, each]
      const list = { ...merged(lists, rows), last_trial: lastTrial(lists) }
      const kept = beforeEdge(each, list, (before?.total ?? 0) + each.early)
      if (kept !== undefined && isNewer(kept, seasons.get(each.season_id), before)) seasons.set(each.season_id, kept)
      return { ...list, total: (before?.total ?? 0) + each.total }
    })
    this.#put(name, { seasons, read_ms: now, stored_ms })
    const each = new Map(came.map(({ season_id }, i) => [season_id, lists[i]!]))
    return { ...merged(lists, rows), last_trial: lastTrial(lists), total: lists.reduce((sum, { total }) => sum + total, 0), each }
  }

  #put(name: string, list: KeptList) {
    this.#drop(name)
    if (list.seasons.size === 0) return
    this.#lists.set(name, list)
    this.#rows += sizeOf(list)
    for (const oldest of this.#lists.keys()) {
      if (this.#rows <= this.#options.all) break
      this.#drop(oldest)
    }
  }

  #drop(name: string) {
    const list = this.#lists.get(name)
    if (list === undefined) return
    this.#rows -= sizeOf(list)
    this.#lists.delete(name)
  }
}

/** A list without rows takes room as well. */
const EMPTY_ROWS = 4
const sizeOf = ({ seasons }: KeptList) => seasons.values().reduce((sum, { rows }) => sum + EMPTY_ROWS + rows.length, 0)

/** The part of a list to be kept; undefined where the season has no match, or all known rows may be followed by others of that instant. */
const beforeEdge = ({ edge, marks }: Came, list: List, total: number): Kept | undefined => {
  if (edge === null) return undefined
  const rows = list.rows.filter(({ ended_us }) => ended_us < edge.getTime() * 1_000)
  if (rows.length === 0 && !list.whole) return undefined
  return { from: edge, marks, total, rows, whole: list.whole, last_trial: list.last_trial }
}

/** Whether another read has not kept as much meanwhile. */
const isNewer = (kept: Kept, now: Kept | undefined, before: Kept | undefined) =>
  now === undefined || now === before || now.marks !== kept.marks || now.from.getTime() <= kept.from.getTime()
