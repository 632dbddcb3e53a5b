/** Results against rivals, counted up to an instant, and how counts grow by the next seats. */

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
  /** The last instant among them, but no later than the season's time; null where there are none. */
  readonly last: Date | null
  /** The season's matches that counted until they were voided, and how often its time was put back. */
  readonly voided: number
  readonly rivals: ReadonlyArray<Tally & { readonly model_id: string /** Of the last instant, or later. */; readonly newest: boolean }>
}

export type Tallies = ReadonlyMap<string, Tally>

/** The counts of a version before an instant. */
export interface Stored {
  readonly from: Date
  readonly voided: number
  readonly tallies: Tallies
}

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
export const grow = (to: Map<string, Tally>, { rivals }: Counted) => {
  for (const rival of rivals) if (!rival.newest) add(to, rival.model_id, tallyOf(rival))
}

/** Whether these were nothing but seats that are counted anew the next time: then more are to be asked for. */
export const isStuck = (before: Pick<Stored, "from">, after: Pick<Stored, "from">, { rivals }: Counted): boolean =>
  after.from.getTime() === before.from.getTime() || (rivals.length > 0 && rivals.every(({ newest }) => newest))

/** Stored counts with the next seats. */
export const advanced = ({ from, tallies }: Pick<Stored, "from" | "tallies">, counted: Counted): Stored => {
  const grown = new Map(tallies)
  grow(grown, counted)
  return { from: counted.last ?? from, voided: counted.voided, tallies: grown }
}

const tallyOf = ({ draws, last_ms, losses, played, wins }: Tally): Tally => ({ played, wins, draws, losses, last_ms })

export const withNewest = (tallies: Tallies, { rivals }: Counted, only?: ReadonlySet<string>): Tallies => {
  const all = only === undefined ? new Map(tallies) : new Map([...only].flatMap((id) => (tallies.has(id) ? [[id, tallies.get(id)!]] : [])))
  for (const rival of rivals) if (rival.newest && only?.has(rival.model_id) !== false) add(all, rival.model_id, tallyOf(rival))
  return all
}
