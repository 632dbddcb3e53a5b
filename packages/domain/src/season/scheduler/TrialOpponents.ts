/**
 * Opponents of candidates: baselines in play, then the entries of other owners, then the candidate owner's, then entries whose last
 * match failed, perhaps through their own fault; in random order within each.
 *
 * The entries are listed once for all trials that go on together, and no more of them are drawn than a match has seats: thousands of
 * candidates may go on at once, beside tens of thousands of entries.
 */
import { draw, type Source } from "../Random.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"

/** Versions in play; one that is superseded later stays in its list. */
export interface Opponents {
  readonly baselines: Array<Version>
  readonly owned: Array<Version>
}

/** Lists them when the first match is made: most results of a trial queue none. */
export const opponentsIn = (state: Pick<State, "versions_by_id">): (() => Opponents) => {
  let listed: Opponents | undefined
  return () => (listed ??= list(state))
}

const list = ({ versions_by_id }: Pick<State, "versions_by_id">): Opponents => {
  const opponents: Opponents = { baselines: [], owned: [] }
  for (const version of versions_by_id.values())
    if (isInPlay(version)) (version.owner === null ? opponents.baselines : opponents.owned).push(version)
  return opponents
}

const isInPlay = ({ phase, status }: Version): boolean => status === "entered" && phase === null

/** Ids of at most `n` different versions. Reorders the lists, whose order means nothing. */
export const drawOpponents = (source: Source, { baselines, owned }: Opponents, candidate: Version, n: number): ReadonlyArray<string> => {
  const drawn: Array<Version> = []
  const own: Array<Version> = []
  const failing: Array<Version> = []
  const lotOf = (version: Version) => (version.streak !== null ? failing : version.owner === candidate.owner ? own : drawn)
  for (const list of [baselines, owned]) {
    for (let i = 0; i < list.length && drawn.length < n; i++) {
      const version = lot(source, list, i)
      if (isInPlay(version) && version.id !== candidate.id) lotOf(version).push(version)
    }
  }
  return [...drawn, ...own, ...failing].slice(0, n).map(({ id }) => id)
}

/** Moves a random one of the list's elements from `i` on to `i`. */
const lot = (source: Source, list: Array<Version>, i: number): Version => {
  const at = i + Math.floor(draw(source) * (list.length - i))
  const version = list[at]!
  list[at] = list[i]!
  list[i] = version
  return version
}
