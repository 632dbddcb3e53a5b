/** The signals of seasons, and whom they wake. */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { type Clock, Deferred, Effect } from "effect"
import { uptimeOf_ms } from "../process/uptime.ts"
import type { GivenNothing } from "./GivenNothing.ts"
import { LONG_MS, LongWaits } from "./LongWaits.ts"
import type { Parked, ParkedRequests } from "./ParkedRequests.ts"

/**
 * How many seasons' last signals are remembered, since nobody tells when a season ends. A signal counts for
 * requests that asked just before it.
 */
const SIGNALS_MAX = 4_096

export const makeWaking = (clock: Clock.Clock, parked: ParkedRequests, givenNothing: GivenNothing) => {
  const signals = new CappedMap<string, number>(SIGNALS_MAX)
  const longWaits = new LongWaits()
  let newest = 0

  const wakeUp = (each: Parked): void => {
    parked.leave(each)
    Deferred.doneUnsafe(each.woken, Effect.void)
  }

  const wakeNext = (season: string): void => {
    const last = signals.get(season) ?? 0
    const next = parked.first(season, (name, kind) => {
      const keys = givenNothing.keysSince(season, name, last)
      return keys === "all" ? undefined : kind.firstBut(keys, last)
    })
    if (next !== undefined) wakeUp(next)
  }

  const wake = (season: string): void => {
    signals.set(season, ++newest)
    givenNothing.forget(season)
    wakeNext(season)
  }

  const leaves = (season: string): number | undefined => {
    if (parked.all.size === 0) return undefined
    const now = uptimeOf_ms(clock)
    const left = longWaits.signalOf(season, now)
    if (left !== undefined || !longWaits.isTime(season, now)) return left
    const first = parked.first(season, (_, { line }) => line.first)
    if (first === undefined || now - first.at_ms < LONG_MS) return undefined
    wake(season)
    longWaits.leave(season, now, newest)
    return newest
  }

  return { signals, longWaits, newest: () => newest, wakeUp, wakeNext, wake, leaves }
}
