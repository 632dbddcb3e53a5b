/** The rows of what has ended, kept for the tests that void a match: the log as a store would read it. */
import type { Log } from "./Log.ts"
import type { Ladder } from "./Rules.ts"
import type { Ended, Seed, Standing, State, Writes } from "./State.ts"

export interface Books {
  readonly ended: Map<string, Ended>
  readonly seeds: Map<string, Seed>
  readonly standings: Map<string, Omit<Standing, "key" | "busy">>
}

export const books = (): Books => ({ ended: new Map(), seeds: new Map(), standings: new Map() })

/** Writes what a commit would. */
export const writeEnded = ({ ended, seeds }: Pick<Books, "ended" | "seeds">, writes: Writes): void => {
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
  for (const seed of writes.seeds) seeds.set(`${seed.ladder} ${seed.version}`, seed)
}

export const write = (to: Books, { writes }: State): void => {
  writeEnded(to, writes)
  for (const { busy: _busy, key: _key, ...row } of writes.standings) to.standings.set(`${row.ladder} ${row.version}`, structuredClone(row))
}

const counted = (ended: Books["ended"], round: number) =>
  [...ended.values()].filter((row) => row.rated_n !== null && row.round === round).sort((a, b) => a.rated_n! - b.rated_n!)

export const logOf = ({ ended, seeds, standings }: Books, match: string): Log => {
  const row = ended.get(match)
  if (row === undefined) return { match: null, later: [], before: [], seeds: [], standings: [] }
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
    standings: [...standings.values()].filter(({ active }) => !active)
  }
}
