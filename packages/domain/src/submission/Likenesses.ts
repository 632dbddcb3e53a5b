/** Versions of different owners with the same network, byte for byte (docs/rating.md#copies). */

export interface OwnedModel {
  readonly id: string
  readonly owner: string
  readonly weights_hash: string
}

export interface Likeness {
  readonly earlier: string
  readonly later: string
}

export const SHOWN_LIKENESSES_MAX = 20

/**
 * The first pair of each two owners, among versions in the order of their submission. A copy of a baseline, by
 * its hash, is nobody's: everybody may begin with one.
 */
export const likenessesOf = (versions: ReadonlyArray<OwnedModel>, baselines: ReadonlySet<string>): ReadonlyArray<Likeness> => {
  const seen = new Map<string, Array<OwnedModel>>()
  const pairs = new Set<string>()
  const found: Array<Likeness> = []
  for (const later of versions) {
    if (baselines.has(later.weights_hash)) continue
    const same = seen.get(later.weights_hash) ?? []
    for (const earlier of same) {
      const pair = [earlier.owner, later.owner].sort().join(" ")
      if (earlier.owner === later.owner || pairs.has(pair)) continue
      pairs.add(pair)
      found.push({ earlier: earlier.id, later: later.id })
      if (found.length === SHOWN_LIKENESSES_MAX) return found
    }
    seen.set(later.weights_hash, [...same, later])
  }
  return found
}
