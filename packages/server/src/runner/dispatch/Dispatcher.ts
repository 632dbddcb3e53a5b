/**
 * Answers lease requests. One request may carry results for several seasons and be given work of several.
 *
 * results ─▶ all checked, or nothing is applied ─▶ a match to be played again, if one waits ─▶ results are sent to their
 *            seasons; the first season in turn is asked for work in the same message ─▶ the other seasons in turn, each up to
 *            its share, while the runner has room ─▶ nothing? parked, and asked again when woken
 *
 * A request that may wait, or that brings results, passes over seasons that have just given its kind nothing,
 * so thousands of waiting runners do not ask each time, nor does each result ask all seasons that have as
 * many matches in play as they may. A runner that was given nothing with its results asks again, and waits.
 *
 * A season that cannot be asked for work fails the request only if no other season gave any. A season that
 * cannot take results always fails it.
 */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import type { InvalidRequest, NotFound, Unavailable } from "@agon/api/Problem.ts"
import { type LeasedAcceptance, type LeaseRequest, WAIT_S_MAX } from "@agon/api/runner/protocol.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import type { OpenSeasons } from "../../actor/OpenSeasons.ts"
import type { Broadcast } from "../../node/Broadcast.ts"
import { Parking } from "../../parking/Parking.ts"
import { uptimeOf_ms } from "../../process/uptime.ts"
import type { Caller } from "../session/Runners.ts"
import type { LeasePayload } from "../work/LeasePayloads.ts"
import type { ReplayAudits } from "../work/ReplayAudits.ts"
import { makeTellOfAudits } from "./audits.ts"
import { type Asking, type BySeason, bySeason } from "./bySeason.ts"
import { makeLeft } from "./leftSeasons.ts"
import { SeasonCalls } from "./SeasonCalls.ts"
import type { Given } from "./Slots.ts"
import { tellAll } from "./tellAll.ts"
import { makeTurns } from "./turns.ts"
import { makeLater } from "./waiting.ts"

/** A `LeaseAnswer` whose work is already encoded. */
export interface Handed {
  readonly leases: ReadonlyArray<LeasePayload>
  readonly results: ReadonlyArray<LeasedAcceptance>
  readonly drain: boolean
}

export class Dispatcher extends Context.Service<
  Dispatcher,
  { readonly lease: (key: KeyOfRunner, request: LeaseRequest) => Effect.Effect<Handed, InvalidRequest | NotFound | Unavailable> }
>()("agon/Dispatcher") {
  static readonly layer: Layer.Layer<Dispatcher, never, ReplayAudits | SeasonCalls | OpenSeasons | Parking | Broadcast | LocalMailboxes> =
    Layer.effect(
      Dispatcher,
      Effect.suspend(() => makeDispatcher)
    )
}

const makeDispatcher = Effect.gen(function* () {
  const calls = yield* SeasonCalls
  const parking = yield* Parking
  const turns = yield* makeTurns
  const { audit, came, fill, inTurn, inSlots, shareOf, tell } = turns
  const later = yield* makeLater(turns)
  const tellOfAudits = yield* makeTellOfAudits

  /** The receipts of a request, and its work where the runner has room for so much. */
  const asked = Effect.fnUntraced(function* (caller: Caller, request: Asking, about: BySeason, wanted: number, given: Given) {
    const before = parking.signal()
    const left = makeLeft(parking)
    const receipts: Array<LeasedAcceptance> = yield* tellOfAudits(caller, about)
    const leases: Array<LeasePayload> = [...(yield* audit(caller, wanted, given))]
    const room = wanted - leases.length
    const passesOver = request.wait_s > 0 || request.results.length > 0
    const turn = room > 0 ? inTurn(caller, passesOver, (id) => about.has(id)).find(({ id }) => !left.has(id))?.id : undefined
    const share = shareOf(caller, room)
    if (turn !== undefined && !about.has(turn)) about.set(turn, { results: [] })
    const told = yield* tellAll((season, said) => tell(caller, season, said, given), about, { season: turn, share })
    if (told.unheard !== undefined) return yield* Effect.fail(told.unheard)
    receipts.push(...told.receipts)
    leases.push(...told.works)
    const first = turn === undefined ? undefined : { season: turn, given: told.works.length, failed: told.away !== undefined }
    leases.push(...(yield* fill(caller, wanted - leases.length, { given, share, passesOver, first, isLeft: left.has })))
    if (told.away !== undefined && leases.length + receipts.length === 0) return yield* Effect.fail(told.away)
    return { leases, receipts, room: wanted, since: left.since(before) }
  })

  /** Lost leases of a request that ends before it has told all seasons are read from the rows again, so that the next one names them. */
  const forgetUntold = (caller: Caller, about: BySeason) =>
    Effect.sync(() => {
      if ([...about.values()].some(({ lost }) => lost !== undefined)) calls.holdings.forget(caller.runner.id)
    })

  return Dispatcher.of({
    lease: Effect.fnUntraced(function* (key, request) {
      const caller = yield* calls.caller(key, request.runner)
      const results = yield* calls.check(key, caller.runner.id, request.results ?? [])
      if (results.length > 0) came(caller.stays)
      const drain = caller.runner.state === "draining"
      const about = yield* bySeason(calls, caller.runner.id, { ...request, results })
      const wanted = { runner: caller.runner, most: request.max, reporting: new Set(results.map(({ lease }) => lease)) }
      const { leases, receipts, room, since } = yield* inSlots(wanted, (room, given) =>
        asked(caller, { ...request, results }, about, room, given)
      ).pipe(Effect.onError(() => forgetUntold(caller, about)))
      if (leases.length > 0 || results.length > 0 || room <= 0) return { leases, results: receipts, drain }
      const until = uptimeOf_ms(yield* Clock.Clock) + Math.min(request.wait_s, WAIT_S_MAX) * 1000
      return { leases: yield* later(caller, room, since, until), results: receipts, drain }
    })
  })
})
