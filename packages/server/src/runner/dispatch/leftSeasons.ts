/** The seasons whose work one request leaves to another that has waited for long (parking/LongWaits.ts). */
import type { Parking } from "../../parking/Parking.ts"

/** `since`: the signal with which the request parks, so that its turn comes after that. */
export const makeLeft = (parking: Parking["Service"]) => {
  const signals = new Map<string, number | undefined>()
  const has = (season: string): boolean => {
    if (!signals.has(season)) signals.set(season, parking.leaves(season))
    return signals.get(season) !== undefined
  }
  const since = (before: number) => Math.min(before, ...[...signals.values()].map((signal) => (signal ?? Infinity) - 1))
  return { has, since }
}
