/**
 * Where runners' lease requests wait when there is nothing to do (long poll). New work, told by
 * actor/SeasonEventsBroadcast.ts, wakes one request; once that one has asked, the next is woken, and so on
 * while there is work: a crowd of idle runners does not ask all at once.
 *
 *   park ──signal of a season it serves──▶ woken ──asks──▶ told: given something ─▶ the next is woken
 *    ▲                                                     └─ given nothing ─▶ the next of another key or kind is woken
 *    └────────────────────────────────────────────────────────┘
 *
 * A woken request that never asks, because its runner was stopped or its client is gone, passes the wake
 * on. Requests of one kind (the same fleet, engines and kinds of work) and key get the same answer. So once one was
 * given nothing after a signal (GivenNothing.ts), no other of its kind and key is woken for that signal, and a later
 * one that may wait does not ask the season. Those of other keys of the kind are woken, few of them: a match is kept
 * from two keys at most. A request does not park if a signal came, or its runner was stopped, since it asked. Who has waited for seconds goes
 * before who comes (LongWaits.ts).
 *
 * Each answered lease request looks for the next to wake, and thousands may be parked. So each kind has a
 * line of its own (WaitingLine.ts), whose first request tells whether any of the line is to be woken. Of
 * several lines the one goes first whose first request has been parked longest.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { readGauges } from "../metric/gauge.ts"
import { uptimeOf_ms } from "../process/uptime.ts"
import { GivenNothing } from "./GivenNothing.ts"
import { type Parked, ParkedRequests, type Waiting } from "./ParkedRequests.ts"
import { makeWaking } from "./waking.ts"

/** How many of the runners stopped last are remembered, for requests of theirs that are on their way to park. */
const STOPPED_MAX = 1_000
export class Parking extends Context.Service<
  Parking,
  {
    /** The number of the last signal, to be read before asking. */
    readonly signal: () => number
    /** Signals that there may be work in this season. */
    readonly wake: (season: string) => void
    /** Notes that a request of this kind, under this key, has asked the season, after this signal. */
    readonly told: (season: string, kind: string, since: number, given: boolean, key?: string) => void
    /**
     * Whether a request of this kind and key was given nothing by the season since its last signal, within
     * the last seconds: it would be given nothing again. By key, since a match may be kept from a single one.
     */
    readonly refused: (season: string, kind: string, key: string) => boolean
    /**
     * Whether a request that comes leaves the season's work to one that has waited for long: by which signal that one was woken.
     * To park with an earlier one brings its turn after that.
     */
    readonly leaves: (season: string) => number | undefined
    /**
     * Waits until work appears in a season that it serves, or for `wait_ms`. Answers whether to
     * ask: false where the time ended.
     */
    readonly park: (waiting: Waiting, since: number, wait_ms: number) => Effect.Effect<boolean>
    /** Wakes the next request in place of one that was woken and does not ask. */
    readonly passOn: (waiting: Waiting, since: number) => void
    /** Wakes the requests of a runner that was stopped: they ask, and are told so. */
    readonly stop: (runner: string) => void
    readonly size: () => number
    /** This node stops: every parked request is woken, and none parks from now on. */
    readonly close: Effect.Effect<void>
    readonly isClosed: () => boolean
  }
>()("agon/Parking") {
  static readonly layer = Layer.effect(
    Parking,
    Effect.gen(function* () {
      const parking = makeParking(yield* Clock.Clock)
      const description = "Lease requests that wait at this node for work"
      yield* readGauges([{ name: "agon_lease_requests_waiting", description, read: parking.size }])
      return parking
    })
  )
}

const makeParking = (clock: Clock.Clock): Parking["Service"] => {
  const parked = new ParkedRequests()
  const givenNothing = new GivenNothing(clock)
  const { leaves, longWaits, newest, signals, wake, wakeNext, wakeUp } = makeWaking(clock, parked, givenNothing)
  const stopped = new CappedMap<string, true>(STOPPED_MAX)
  let closed = false

  const passOn = ({ serves }: Waiting, since: number): void => {
    for (const [season, at] of signals) if (at > since && serves(season)) wakeNext(season)
  }

  const park = (waiting: Waiting, since: number, wait_ms: number) =>
    Effect.suspend(() => {
      const { key = "", kind, runner, serves } = waiting
      if (closed || (runner !== undefined && stopped.has(runner))) return Effect.succeed(true)
      const at_ms = uptimeOf_ms(clock)
      let until_ms = wait_ms
      for (const [season, at] of signals) {
        if (at <= since || !serves(season) || !givenNothing.mayAsk(season, kind, key, at)) continue
        until_ms = Math.min(until_ms, longWaits.leftMs(season, at_ms))
        if (until_ms === 0) return Effect.succeed(true)
      }
      const each: Parked = { ...waiting, key, since, nth: parked.arrivals++, at_ms, woken: Deferred.makeUnsafe() }
      return Effect.acquireUseRelease(
        Effect.sync(() => parked.enter(each)),
        () => Effect.timeoutOption(Deferred.await(each.woken), until_ms),
        () => Effect.sync(() => parked.leave(each))
      ).pipe(
        // Also where it was woken just as its time ended, or where who goes before it did not ask.
        Effect.map(() => until_ms < wait_ms || Deferred.isDoneUnsafe(each.woken))
      )
    })

  return Parking.of({
    signal: newest,
    wake,
    told: (season, kind, since, given, key = "") => {
      longWaits.asked(season)
      if (!given) givenNothing.note(season, kind, key, since)
      wakeNext(season)
    },
    refused: (season, kind, key) => givenNothing.standsFor(season, kind, key, signals.get(season) ?? 0),
    leaves,
    park,
    passOn,
    stop: (runner) => {
      stopped.set(runner, true)
      for (const each of parked.all) if (each.runner === runner) wakeUp(each)
    },
    size: () => parked.all.size,
    close: Effect.sync(() => {
      closed = true
      for (const each of parked.all) wakeUp(each)
    }),
    isClosed: () => closed
  })
}
