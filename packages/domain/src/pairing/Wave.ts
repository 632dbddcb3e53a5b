/**
 * Who meets whom. A wave takes entries that are owed a match and groups neighbours in sampled strength, avoiding
 * recent opponents and two entries of one owner (DESIGN section 4: within noise of the best pairing that could be
 * built, at a cost that does not grow with the field).
 */
import type { Rating } from "../rating/Rating.ts"

export interface Entrant extends Readonly<Rating> {
  readonly ord: number
  /** Ords of the last opponents. */
  readonly met: ReadonlyArray<number>
}
/** Uniform in [0, 1). */
export type Random = () => number

export const WAVE_ENTRIES = 64
export const MET_KEPT = 12
const LOOK_AHEAD = 6
/** How much of its deviation an entry's strength is spread by when neighbours are looked for. */
const SAMPLED = 0.25

/** Groups of `seats` entries each; a group of one owner only is never made, its entries are left over. */
export const groupsOf = <A extends Entrant>(
  entries: ReadonlyArray<A>,
  seats: number,
  ownerOf: (entry: A) => string,
  random: Random
): Array<Array<A>> => {
  const sorted = byStrength(entries, random)
  const strangers: Strangers<A> = (a, b) => ownerOf(a) !== ownerOf(b)
  const groups =
    seats === 2
      ? rematched(mixed(neighbours(sorted, strangers), strangers), strangers)
      : mixed(consecutive(sorted, seats, strangers), strangers)
  return shuffled(
    groups.filter((group) => group.some((entry) => strangers(entry, group[0]!))),
    random
  )
}

type Strangers<A> = (a: A, b: A) => boolean

const byStrength = <A extends Entrant>(entries: ReadonlyArray<A>, random: Random): Array<A> => {
  const drawn = entries.map((entry) => ({ entry, z: entry.mu + SAMPLED * entry.sigma * normal(random) }))
  const sign = random() < 0.5 ? -1 : 1
  return drawn.sort((a, b) => sign * (a.z - b.z) || a.entry.ord - b.entry.ord).map(({ entry }) => entry)
}

const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

const meetings = (a: Entrant, b: Entrant): number => {
  let n = 0
  for (const ord of a.met) if (ord === b.ord) n++
  return n
}

/** Each takes, among the next six unpaired strangers, the one it has met least; then the nearest. Those without one pair up last. */
const neighbours = <A extends Entrant>(sorted: Array<A>, strangers: Strangers<A>): Array<[A, A]> => {
  const pairs: Array<[A, A]> = []
  const left: Array<A> = [] // of one owner
  const free = [...sorted]
  for (let a = free.shift(); a !== undefined; a = free.shift()) {
    let best = -1
    let seen = 0
    for (let i = 0; i < free.length && seen < LOOK_AHEAD; i++) {
      if (!strangers(a, free[i]!)) continue
      seen++
      if (best < 0 || meetings(a, free[i]!) < meetings(a, free[best]!)) best = i
    }
    if (best >= 0) pairs.push([a, free.splice(best, 1)[0]!])
    else left.push(a)
  }
  for (let i = 0; i + 1 < left.length; i += 2) pairs.push([left[i]!, left[i + 1]!])
  return pairs
}

/**
 * A group of one owner takes a stranger from a group that can spare one and gives an entry in return: it could not play,
 * and others with more credit would. Only an owner of more entries than all others can seat is left with such groups.
 */
const mixed = <A, G extends Array<A>>(groups: Array<G>, strangers: Strangers<A>): Array<G> => {
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

/** Two neighbouring pairs are re-matched where that repeats fewer meetings. */
const rematched = <A extends Entrant>(pairs: Array<[A, A]>, strangers: Strangers<A>): Array<[A, A]> => {
  const cost = (a: A, b: A): number => (strangers(a, b) ? meetings(a, b) : Infinity)
  for (let i = 0; i + 1 < pairs.length; i++) {
    const [a, b] = pairs[i]!
    const [c, d] = pairs[i + 1]!
    const now = cost(a, b) + cost(c, d)
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

/** The next unpaired and, in order, those after it who are strangers to all in the group; the nearest where there are too few. */
const consecutive = <A extends Entrant>(sorted: Array<A>, seats: number, strangers: Strangers<A>): Array<Array<A>> => {
  const groups: Array<Array<A>> = []
  const free = [...sorted]
  while (free.length >= seats) {
    const group = [free.shift()!]
    for (let i = 0; i < free.length && group.length < seats; ) {
      if (group.every((entry) => strangers(entry, free[i]!))) group.push(free.splice(i, 1)[0]!)
      else i++
    }
    while (group.length < seats) group.push(free.shift()!)
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
