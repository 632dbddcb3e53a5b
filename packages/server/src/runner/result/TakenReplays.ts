/**
 * The replays that results brought for open matches, by their hashes; a bounded number is
 * remembered. A replay is taken over before the season answers its result, so a refused result
 * leaves a copy behind. A match that several replays were brought for may have such copies: each is
 * looked at once the match has ended.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"

/** The most matches that are remembered, and the most copies to be looked at. */
const REMEMBERED_MAX = 10_000
/** Different replays of one lease. A runner has one, and sends it again where an answer was lost. */
const PER_LEASE_MAX = 16

export interface Copy {
  readonly match: string
  readonly hash: string
}

export class TakenReplays {
  readonly #last = new CappedMap<string, string>(REMEMBERED_MAX)
  readonly #several = new CappedMap<string, Copy>(REMEMBERED_MAX)
  readonly #ofLease = new CappedMap<string, Set<string>>(REMEMBERED_MAX)

  /** Notes that a result brings this replay; false where the lease has had too many others. */
  take(lease: string, hash: string): boolean {
    const match = parseLease(lease)!.id
    const before = this.#last.get(match)
    if (before !== undefined && before !== hash) {
      const hashes = this.#ofLease.get(lease) ?? new Set([before])
      if (!hashes.has(hash) && hashes.size >= PER_LEASE_MAX) return false
      this.#ofLease.set(lease, hashes.add(hash))
      for (const each of [before, hash]) this.#several.set(`${match} ${each}`, { match, hash: each })
    }
    this.#last.set(match, hash)
    return true
  }

  /** The replays of matches for which several were brought. */
  several(): ReadonlyArray<Copy> {
    return [...this.#several.values()]
  }

  /** It was looked at. */
  forget({ hash, match }: Copy): void {
    this.#several.delete(`${match} ${hash}`)
  }
}
