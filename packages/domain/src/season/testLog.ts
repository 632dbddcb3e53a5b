/** The rows of what has ended, kept for the tests that void a match: the log as a store would read it. */
import { EMPTY_LOG, type Log, type Tail } from "./Log.ts"
import type { Ladder } from "./Rules.ts"
import type { Ended, Seed, SeriesPoint, Standing, State, Writes } from "./State.ts"

export interface Books {
  readonly ended: Map<string, Ended>
  readonly seeds: Map<string, Seed>
  readonly standings: Map<string, Omit<Standing, "key" | "busy">>
  readonly series: Map<string, SeriesPoint>
}

export const books = (): Books => ({ ended: new Map(), seeds: new Map(), standings: new Map(), series: new Map() })

/** Writes what a commit would. */
export const writeEnded = ({ ended, seeds, series }: Omit<Books, "standings">, writes: Writes): void => {
  const { voided } = writes
  if (voided !== null) {
    const row = ended.get(voided.id)!
    const seats = row.seats.map((seat) => ({ ...seat, rank: 0, place: null, made: null, open: null }))
    const failed = { ending: "failed", rated_n: null, fault_reason: "replay_mismatch", fault_detail: voided.detail } as const
    ended.set(voided.id, { ...row, ...failed, seats })
    for (const { made, match, open, seat } of voided.rerated) {
      const other = ended.get(match)!
      ended.set(match, { ...other, seats: other.seats.map((one, i) => (i === seat ? { ...one, made, open } : one)) })
    }
  }
  for (const row of writes.ended) {
    if (ended.has(row.id)) throw new Error(`match ${row.id} ended twice`) // the primary key
    ended.set(row.id, structuredClone(row))
  }
  for (const point of writes.series) series.set(`${point.ladder} ${point.at}`, structuredClone(point))
  for (const seed of writes.seeds) seeds.set(`${seed.ladder} ${seed.version}`, seed)
}

export const write = (to: Books, { writes }: State): void => {
  writeEnded(to, writes)
  for (const { busy: _busy, key: _key, suspended: _suspended, ...row } of writes.standings)
    to.standings.set(`${row.ladder} ${row.version}`, structuredClone(row))
}

const counted = (ended: Books["ended"], round: number) =>
  [...ended.values()].filter((row) => row.rated_n !== null && row.round === round).sort((a, b) => a.rated_n! - b.rated_n!)

/** `round` is the current one. */
export const logOf = ({ ended, seeds, series, standings }: Books, match: string, round: number): Log => {
  const row = ended.get(match)
  if (row === undefined) return EMPTY_LOG
  const ofRound = counted(ended, row.round)
  const n = row.rated_n ?? Infinity
  const before = new Map<string, Log["before"][number]>()
  for (const each of ofRound) {
    if (each.rated_n! >= n) continue
    for (const { made, open, version } of each.seats) {
      const moves = [
        [each.ladder!, made],
        ["open", open]
      ] as const
      for (const [ladder, moved] of moves)
        if (moved !== null) before.set(`${ladder} ${version}`, { ladder: ladder as Ladder, version, ...moved })
    }
  }
  return {
    match: row,
    later: ofRound.filter((each) => each.rated_n! > n) as unknown as Log["later"],
    before: [...before.values()],
    seeds: [...seeds.values()].filter(({ round }) => round === row.round).sort((a, b) => a.n - b.n || a.ord - b.ord),
    standings: [...standings.values()].filter(({ active }) => !active),
    points: [...series.values()].filter((point) => point.round === row.round && point.n >= n),
    tails: [...new Set([row.ladder, "open"])].flatMap((ladder) => tailsOf({ ended, seeds }, ladder as Ladder)),
    over: row.round !== round,
    first: ![...ended.values()].some(({ rated_n }) => rated_n !== null && rated_n < n)
  }
}

/** More than are needed, since a history is cut. */
const tailsOf = ({ ended, seeds }: Pick<Books, "ended" | "seeds">, ladder: Ladder): ReadonlyArray<Tail> => {
  const tails = new Map<string, Array<Tail["matches"][number]>>()
  for (const { ladder: made, rated_n, round, seats } of [...ended.values()].sort((a, b) => (b.rated_n ?? 0) - (a.rated_n ?? 0))) {
    if (rated_n === null || (made !== ladder && ladder !== "open")) continue
    for (const seat of seats) {
      const { mu } = made === ladder ? seat.made! : seat.open!
      tails.set(seat.version, [...(tails.get(seat.version) ?? []), { rated_n, round, mu }])
    }
  }
  return [...tails].map(([version, matches]) => {
    const seed = seeds.get(`${ladder} ${version}`)
    return { ladder, version, seed: seed === undefined ? null : { mu: seed.mu, round: seed.round }, matches }
  })
}
