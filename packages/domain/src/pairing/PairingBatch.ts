/**
 * Pairing. A pairing batch takes entries that are owed a match and groups neighbours in sampled strength,
 * avoiding recent opponents and two entries of one owner (docs/design.md#pairing-and-rating: within noise of
 * the best pairing that could be built, at a cost that does not grow with the field).
 */
import { normal } from "../rating/normal.ts"
import type { Rating } from "../rating/Rating.ts"

export interface Entrant extends Readonly<Rating> {
  readonly ord: number
  /** The `ord`s of the last opponents. */
  readonly met: ReadonlyArray<number>
}
/** Uniform in [0, 1). */
export type Random = () => number

export const BATCH_ENTRIES = 64
export const MET_KEPT = 12
/** Somebody's opponent in a pair is chosen among so many neighbours. */
const LOOK_AHEAD = 6
/**
 * The others of a larger match are chosen among this many times as many. By neighbours alone the same few sit together all the time, and say
 * nothing of how far they are from everybody else: ratings are then off by more than with random matches, and too sure of themselves.
 */
const LOOK_AHEAD_TIMES = 2
/** An entry's strength is sampled with this share of its deviation when neighbours are looked for. */
const SAMPLED = 0.25

/** Groups of `seats` entries each. A group with a single owner is not made; its entries are left over. */
export const groupsOf = <A extends Entrant>(
  entries: ReadonlyArray<A>,
  seats: number,
  ownerOf: (entry: A) => string,
  random: Random
): Array<Array<A>> => {
  const sorted = byStrength(entries, ownerOf, random)
  const groups = seats === 2 ? rematched(mixed(pairsOf(sorted))) : mixed(largerGroups(sorted, seats))
  return shuffled(
    groups.filter((group) => group.some((one) => strangers(one, group[0]!))),
    random
  ).map((group) => group.map(({ entry }) => entry))
}

/** An entry of this pairing batch, with values that are read many times. */
interface Candidate<A extends Entrant> {
  readonly entry: A
  readonly owner: string
  readonly z: number // its strength, as sampled
}
type Pair<A extends Entrant> = [Candidate<A>, Candidate<A>]

const strangers = (a: Candidate<Entrant>, b: Candidate<Entrant>): boolean => a.owner !== b.owner

const byStrength = <A extends Entrant>(entries: ReadonlyArray<A>, ownerOf: (entry: A) => string, random: Random): Array<Candidate<A>> => {
  const drawn = entries.map((entry) => ({
    entry,
    owner: ownerOf(entry),
    z: entry.mu + SAMPLED * entry.sigma * normal(random)
  }))
  const sign = random() < 0.5 ? -1 : 1
  return drawn.sort((a, b) => sign * (a.z - b.z) || a.entry.ord - b.entry.ord)
}

const meetings = (a: Candidate<Entrant>, b: Candidate<Entrant>): number => {
  const { met } = a.entry
  const { ord } = b.entry
  let n = 0
  for (let i = 0; i < met.length; i++) if (met[i] === ord) n++
  return n
}

/**
 * Whom to seat beside those of a group: the least met (ties: nearest) of the next `among` unpaired who are strangers to all of them.
 * Answers its place, or -1 if there is no stranger.
 */
const leastMet = <A extends Entrant>(group: ReadonlyArray<Candidate<A>>, free: ReadonlyArray<Candidate<A>>, among: number): number => {
  let best = -1
  let least = Infinity
  let seen = 0
  for (let i = 0; i < free.length && seen < among && least > 0; i++) {
    const next = free[i]!
    if (!group.every((entry) => strangers(entry, next))) continue
    seen++
    const met = group.reduce((sum, entry) => sum + meetings(entry, next), 0)
    if (met >= least) continue
    best = i
    least = met
  }
  return best
}

/** Pairs each with the least met of the next six strangers. Those without a stranger are paired last. */
const pairsOf = <A extends Entrant>(sorted: Array<Candidate<A>>): Array<Pair<A>> => {
  const pairs: Array<Pair<A>> = []
  const left: Array<Candidate<A>> = [] // pairs with one owner
  const free = [...sorted]
  for (let a = free.shift(); a !== undefined; a = free.shift()) {
    const best = leastMet([a], free, LOOK_AHEAD)
    if (best >= 0) pairs.push([a, free.splice(best, 1)[0]!])
    else left.push(a)
  }
  for (let i = 0; i + 1 < left.length; i += 2) pairs.push([left[i]!, left[i + 1]!])
  return pairs
}

/**
 * A group with a single owner could not play, and entries with more virtual games would. It swaps an
 * entry for a stranger from a group that can spare one. Such groups remain only for an owner with more
 * entries than all others can seat.
 */
const mixed = <A extends Entrant, G extends Array<Candidate<A>>>(groups: Array<G>): Array<G> => {
  for (const group of groups) {
    const own = group[0]!
    if (group.some((entry) => strangers(entry, own))) continue
    const other = groups.find((each) => each.filter((entry) => strangers(entry, own)).length > 1)
    if (other === undefined) continue
    const seat = other.findIndex((entry) => strangers(entry, own))
    group[0] = other[seat]!
    other[seat] = own
  }
  return groups
}

/** Re-matches two neighbouring pairs if that repeats fewer meetings. */
const rematched = <A extends Entrant>(pairs: Array<Pair<A>>): Array<Pair<A>> => {
  const cost = (a: Candidate<A>, b: Candidate<A>): number => (strangers(a, b) ? meetings(a, b) : Infinity)
  for (let i = 0; i + 1 < pairs.length; i++) {
    const [a, b] = pairs[i]!
    const [c, d] = pairs[i + 1]!
    const now = cost(a, b) + cost(c, d)
    if (now === 0) continue
    const crossed = cost(a, c) + cost(b, d)
    const turned = cost(a, d) + cost(b, c)
    if (crossed < now && crossed <= turned) {
      pairs[i] = [a, c]
      pairs[i + 1] = [b, d]
    } else if (turned < now) {
      pairs[i] = [a, d]
      pairs[i + 1] = [b, c]
    }
  }
  return pairs
}

/** Seats beside the next unpaired entry the least met of those near it; the nearest of one owner if there are too few strangers. */
const largerGroups = <A extends Entrant>(sorted: Array<Candidate<A>>, seats: number): Array<Array<Candidate<A>>> => {
  const groups: Array<Array<Candidate<A>>> = []
  const free = [...sorted]
  while (free.length >= seats) {
    const group = [free.shift()!]
    while (group.length < seats) {
      const best = leastMet(group, free, LOOK_AHEAD_TIMES * (seats - 1) - (group.length - 1))
      group.push(free.splice(Math.max(best, 0), 1)[0]!)
    }
    groups.push(group)
  }
  return groups
}

export const shuffled = <A>(items: ReadonlyArray<A>, random: Random): Array<A> => {
  const order = [...items]
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const held = order[i]!
    order[i] = order[j]!
    order[j] = held
  }
  return order
}
