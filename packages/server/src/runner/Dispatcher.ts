/**
 * Between runners and seasons: a request of one runner may carry results for several seasons and be given work of
 * several.
 *
 * results ─▶ all checked, or nothing is applied ─▶ sent to their seasons, the first season in turn is asked for work in
 *            the same message (hand.ts) ─▶ the other seasons in turn, while the runner has room (sources.ts) ─▶ nothing? parked
 */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { type InvalidRequest, NotFound, type Unavailable } from "@agon/api/Problem.ts"
import {
  type Acceptance,
  type Beat,
  type HeartbeatAnswer,
  type LeasedAcceptance,
  type LeasedResult,
  type LeaseRequest,
  maxWait_s,
  type Result
} from "@agon/api/runner/protocol.ts"
import type { Replies } from "@agon/domain/season/Command.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { OpenSeasons } from "../actor/OpenSeasons.ts"
import type { Parking } from "../actor/Parking.ts"
import { callerOfKey } from "./Caller.ts"
import { makeHand, tellAudits } from "./hand.ts"
import type { LeasePayload } from "./leasePayload.ts"
import { AUDITS, ReplayAudits } from "./ReplayAudits.ts"
import { SeasonCalls } from "./SeasonCalls.ts"

type Refusal = InvalidRequest | NotFound | Unavailable

/** A `LeaseAnswer` whose work is already encoded. */
export interface Handed {
  readonly leases: ReadonlyArray<LeasePayload>
  readonly results: ReadonlyArray<LeasedAcceptance>
  readonly drain: boolean
}

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    readonly lease: (key: KeyOfRunner, request: LeaseRequest) => Effect.Effect<Handed, Refusal>
    readonly result: (key: KeyOfRunner, lease: string, result: Result) => Effect.Effect<Acceptance, Refusal>
    readonly release: (key: KeyOfRunner, lease: string) => Effect.Effect<{ readonly released: true }, Refusal>
    readonly heartbeat: (key: KeyOfRunner, runner: string, leases: ReadonlyArray<string>) => Effect.Effect<HeartbeatAnswer, Refusal>
  }
>()("agon/Dispatcher") {
  static readonly layer: Layer.Layer<Dispatcher, never, ReplayAudits | SeasonCalls | OpenSeasons | Parking> = Layer.effect(
    Dispatcher,
    Effect.suspend(() => makeDispatcher)
  )
}

const noLease = new NotFound({ detail: "There is no lease of this name under this key." })

const makeDispatcher = Effect.gen(function* () {
  const desk = yield* SeasonCalls
  const audits = yield* ReplayAudits
  const hand = yield* makeHand
  return Dispatcher.of({
    lease: Effect.fnUntraced(function* (key, request) {
      const caller = yield* desk.caller(key, request.runner)
      const results = yield* desk.check(key, caller.runner.id, request.results ?? [])
      const drain = caller.runner.state === "draining"
      const { leases, receipts, room, since } = yield* hand.first(caller, { ...request, results })
      if (leases.length > 0 || results.length > 0 || room <= 0) return { leases, results: receipts, drain }
      const until = (yield* Clock.currentTimeMillis) + Math.min(request.wait_s, maxWait_s) * 1000
      return { leases: yield* hand.later(caller, room, since, until), results: receipts, drain }
    }),

    result: Effect.fnUntraced(function* (key, lease, result) {
      const season = yield* desk.seasonOf(lease)
      if (season === undefined) return yield* noLease
      const results = yield* desk.check(key, undefined, [{ lease, ...result } as LeasedResult])
      const { receipts } = yield* season === AUDITS
        ? Effect.map(tellAudits(desk, audits, key, results), (receipts) => ({ receipts }))
        : desk.tell(callerOfKey(key), season, { results, max: 0 })
      const { reason } = receipts[0]!
      if (reason === "unknown") return yield* noLease
      return reason === null ? { accepted: true } : { accepted: false, reason }
    }),

    release: Effect.fn("Dispatcher.release")(function* (key, lease) {
      const season = yield* desk.seasonOf(lease)
      if (season === undefined) return yield* noLease
      const known = season === AUDITS ? yield* audits.release(key, lease) : yield* releaseIn(desk, season, key, lease)
      if (!known) return yield* noLease
      desk.holdings.drop(lease)
      return { released: true }
    }),

    heartbeat: Effect.fn("Dispatcher.heartbeat")(function* (key, id, leases) {
      const { runner } = yield* desk.caller(key, id)
      const beats = new Map<string, Beat>()
      const seasons = yield* Effect.forEach(leases, (lease) => Effect.map(desk.seasonOf(lease), (season) => ({ lease, season })))
      for (const [season, named] of Map.groupBy(seasons, ({ season }) => season)) {
        if (season === AUDITS) {
          const held = yield* audits.heartbeat(
            key,
            named.map(({ lease }) => lease)
          )
          for (const [lease, until] of held) beats.set(lease, { lease, expires_at: new Date(until).toISOString() })
          continue
        }
        const said = { _tag: "Heartbeat", key: key.id, leases: named.map(({ lease }) => lease) } as const
        const replies = season === undefined ? undefined : yield* desk.ask(season, [said])
        for (const beat of (replies?.[0] as Replies["Heartbeat"] | undefined) ?? []) {
          if ("until" in beat) beats.set(beat.lease, { lease: beat.lease, expires_at: new Date(beat.until).toISOString() })
        }
      }
      return { leases: leases.map((lease) => beats.get(lease) ?? { lease, lost: true as const }), drain: runner.state === "draining" }
    })
  })
})

/** Whether such a lease exists or existed; a closed season has no live one. */
const releaseIn = (desk: SeasonCalls["Service"], season: string, key: KeyOfRunner, lease: string) =>
  Effect.map(desk.ask(season, [{ _tag: "Release", key: key.id, lease }]), (replies) =>
    replies === undefined ? true : !(replies[0] as Replies["Release"]).unknown
  )
