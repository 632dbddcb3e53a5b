/**
 * Who has waited for seconds goes before who comes. A runner is given its next match in the answer to its result, before anybody is woken:
 * in a small field one that plays fast would be given every match, and those that wait none. So a request that comes leaves a season's work
 * to one that has waited for long, which is woken for it. Once a second at most, so that a full fleet asks hardly more than it would.
 *
 *   a request comes ─▶ has one waited for 5 s? ─ no ─▶ it asks
 *                                └─ yes ─▶ that one is woken ─▶ it asks, or does not within half a second ─▶ all others may ask again
 */
import { CappedMap } from "@agon/api/program/CappedMap.ts"

export const LONG_MS = 5_000
const EVERY_MS = 1_000
/** One that was woken asks within milliseconds. */
const ASKS_WITHIN_MS = 500
/** The most seasons that are remembered. */
const SEASONS_MAX = 1_024

/** One that is woken and has not asked. */
interface Left {
  readonly at_ms: number
  /** By which the one that has waited was woken. */
  readonly signal: number
}

/** Times are those of a clock that nobody sets (process/uptime.ts). */
export class LongWaits {
  readonly #left = new CappedMap<string, Left>(SEASONS_MAX)
  readonly #looked_ms = new CappedMap<string, number>(SEASONS_MAX)

  /** Whether it is time to look for one that has waited. */
  isTime(season: string, now: number): boolean {
    const at = this.#looked_ms.get(season)
    if (at !== undefined && now - at < EVERY_MS) return false
    this.#looked_ms.set(season, now)
    return true
  }

  leave(season: string, at_ms: number, signal: number): void {
    this.#left.set(season, { at_ms, signal })
  }

  /** The signal of one that is woken and has not asked. */
  signalOf(season: string, now: number): number | undefined {
    return this.leftMs(season, now) > 0 ? this.#left.get(season)!.signal : undefined
  }

  /** So long others leave the season's work to it. */
  leftMs(season: string, now: number): number {
    const left = this.#left.get(season)
    return left === undefined ? 0 : Math.max(0, Math.ceil(left.at_ms + ASKS_WITHIN_MS - now))
  }

  asked(season: string): void {
    this.#left.delete(season)
  }
}
