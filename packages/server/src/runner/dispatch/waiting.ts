/** The answer to a runner whose request waits for work. */

import { Clock, Effect } from "effect"
import { OpenSeasons } from "../../actor/OpenSeasons.ts"
import { Parking } from "../../parking/Parking.ts"
import { uptimeOf_ms } from "../../process/uptime.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import type { Caller } from "../session/Runners.ts"
import { SeasonCalls } from "./SeasonCalls.ts"
import type { Given } from "./Slots.ts"
import { kindOf, type makeTurns, mayAskWith } from "./turns.ts"

/** The work for a runner that waits for it: it is parked, and asks the seasons whenever it is woken. */
export const makeLater = Effect.fnUntraced(function* ({ audit, fill, inSlots, shareOf }: Effect.Success<typeof makeTurns>) {
  const calls = yield* SeasonCalls
  const parking = yield* Parking
  const seasons = yield* OpenSeasons
  const clock = yield* Clock.Clock
  const mayAsk = mayAskWith(yield* KnownRuntimes)

  /** Looked up on each call: a season may have been added while the runner waited. */
  const serves = (caller: Caller) => (id: string) => {
    const found = seasons.get(id)
    return found !== undefined && mayAsk(caller, found)
  }

  const taken = Effect.fnUntraced(function* (caller: Caller, room: number, given: Given) {
    if (room === 0) return undefined
    const audited = yield* audit(caller, room, given)
    const left = room - audited.length
    return [...audited, ...(yield* fill(caller, left, { given, share: shareOf(caller, left), passesOver: true }))]
  })

  /**
   * The work for a request that was woken; undefined where the runner was stopped, its key revoked, or its slots filled by another
   * request, while it waited.
   */
  const askAgain = Effect.fnUntraced(function* (caller: Caller, most: number) {
    const { runner } = yield* calls.caller(caller.key, caller.runner.id)
    return runner.state === "active" ? yield* inSlots({ runner, most }, (room, given) => taken(caller, room, given)) : undefined
  })

  return Effect.fnUntraced(function* (caller: Caller, room: number, from: number, until: number) {
    const waiting = { kind: kindOf(caller), key: caller.key.id, runner: caller.runner.id, serves: serves(caller) }
    for (let since = from; ; ) {
      const wait_ms = until - uptimeOf_ms(clock)
      if (wait_ms <= 0 || parking.isClosed()) return []
      const before = since
      if (!(yield* parking.park(waiting, before, wait_ms))) return []
      since = parking.signal()
      const passOn = Effect.sync(() => parking.passOn(waiting, before))
      const leases = yield* Effect.onError(askAgain(caller, room), () => passOn)
      if (leases === undefined) return yield* Effect.as(passOn, [])
      if (leases.length > 0) return leases
    }
  })
})
