/**
 * Seasons that could not be asked a moment ago: they are moving, or their node is away. Other
 * seasons are asked before them. Since they give no leases, fairness alone would have every request
 * ask them first, and wait or fail.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import type { Clock } from "effect"
import { uptimeOf_ms } from "../../process/uptime.ts"

/** Longer than most moves between nodes; then one request finds out whether it is back. */
const AWAY_MS = 5_000
/** How many of the seasons that failed last are remembered. */
const SEASONS_MAX = 1_024

export class AwaySeasons {
  readonly #clock: Clock.Clock
  readonly #failed_ms = new CappedMap<string, number>(SEASONS_MAX)

  constructor(clock: Clock.Clock) {
    this.#clock = clock
  }

  failed(season: string): void {
    this.#failed_ms.set(season, uptimeOf_ms(this.#clock))
  }

  answered(season: string): void {
    this.#failed_ms.delete(season)
  }

  has(season: string): boolean {
    const failed_ms = this.#failed_ms.get(season)
    return failed_ms !== undefined && uptimeOf_ms(this.#clock) - failed_ms < AWAY_MS
  }

  /** The same seasons in the same order, those that are away behind the others. */
  behind<A extends { readonly id: string }>(seasons: ReadonlyArray<A>): ReadonlyArray<A> {
    return this.#failed_ms.size === 0 ? seasons : seasons.toSorted((a, b) => Number(this.has(a.id)) - Number(this.has(b.id)))
  }
}
