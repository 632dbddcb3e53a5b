/**
 * Calls about the leases that a runner holds: a result by itself, giving one back, all of them where
 * it stops, and the heartbeat.
 */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { type InvalidRequest, NotFound, type Unavailable } from "@agon/api/Problem.ts"
import type { Acceptance, Beat, HeartbeatAnswer, LeasedAcceptance, LeasedResult, Result } from "@agon/api/runner/protocol.ts"
import type { Replies } from "@agon/domain/season/Command.ts"
import { Context, Effect, Layer } from "effect"
import { Parking } from "../../parking/Parking.ts"
import { toItsEnd } from "../../process/toItsEnd.ts"
import type { Reported } from "../result/results.ts"
import type { Holding } from "../session/Holdings.ts"
import { callerOfKey, Runners } from "../session/Runners.ts"
import { AUDITS, ReplayAudits } from "../work/ReplayAudits.ts"
import { SeasonCalls, TOGETHER } from "./SeasonCalls.ts"

type Refusal = InvalidRequest | NotFound | Unavailable

export class HeldLeases extends Context.Service<
  HeldLeases,
  {
    readonly result: (key: KeyOfRunner, lease: string, result: Result) => Effect.Effect<Acceptance, Refusal>
    readonly release: (key: KeyOfRunner, lease: string) => Effect.Effect<{ readonly released: true }, Refusal>
    /** The runner has stopped: its session ends, and everything that it holds goes back. */
    readonly close: (key: KeyOfRunner, runner: string) => Effect.Effect<void, NotFound | Unavailable>
    readonly heartbeat: (key: KeyOfRunner, runner: string, leases: ReadonlyArray<string>) => Effect.Effect<HeartbeatAnswer, Refusal>
  }
>()("agon/HeldLeases") {
  static readonly layer: Layer.Layer<HeldLeases, never, Parking | ReplayAudits | Runners | SeasonCalls> = Layer.effect(
    HeldLeases,
    Effect.suspend(() => makeHeldLeases)
  )
}

const noLease = new NotFound({ detail: "There is no lease of this name under this key." })

const makeHeldLeases = Effect.gen(function* () {
  const calls = yield* SeasonCalls
  const audits = yield* ReplayAudits
  const runners = yield* Runners
  const parking = yield* Parking
  return HeldLeases.of({
    result: Effect.fnUntraced(function* (key, lease, result) {
      const season = yield* calls.seasonOf(lease)
      if (season === undefined) return yield* noLease
      const results = yield* calls.check(key, undefined, [{ lease, ...result } as LeasedResult])
      const told =
        season === AUDITS
          ? tellAudits(calls, audits, key, results)
          : Effect.map(calls.tell(callerOfKey(key), season, { results, max: 0 }), ({ receipts }) => receipts)
      // Whatever follows from a result that the season has taken is done as well where its runner does not wait for the answer.
      const receipts: ReadonlyArray<LeasedAcceptance> = yield* toItsEnd(told)
      const { reason } = receipts[0]!
      if (reason === "unknown") return yield* noLease
      return reason === null ? { accepted: true } : { accepted: false, reason }
    }),

    release: Effect.fn("HeldLeases.release")(function* (key, lease) {
      const season = yield* calls.seasonOf(lease)
      if (season === undefined) return yield* noLease
      const released = season === AUDITS ? audits.release(key, lease) : releaseIn(calls, season, key, lease)
      // Dropped also where the runner does not wait for the answer, or the lease would take one of its slots for ever.
      const dropped = Effect.tap(released, (known) => Effect.sync(() => known && calls.holdings.drop(lease)))
      if (!(yield* toItsEnd(dropped))) return yield* noLease
      return { released: true }
    }),

    close: Effect.fn("HeldLeases.close")(function* (key, id) {
      const stopped = Effect.tap(runners.close(key, id), () => Effect.sync(() => parking.stop(id)))
      // A runner that ends before the answer has given everything back all the same.
      yield* toItsEnd(Effect.andThen(stopped, returnAll(calls, audits, id)))
    }),

    heartbeat: Effect.fn("HeldLeases.heartbeat")(function* (key, id, leases) {
      const { runner } = yield* calls.known(key, id) // a lease stays in its season
      const beats = new Map<string, Beat>()
      const seasons = yield* Effect.forEach(
        leases,
        (lease) => Effect.mapEager(calls.seasonOf(lease), (season) => ({ lease, season })),
        TOGETHER
      )
      const keep = (lease: string, until: number | Date) => beats.set(lease, { lease, expires_at: new Date(until).toISOString() })
      const beatIn = Effect.fnUntraced(function* (season: string | undefined, named: typeof seasons) {
        const leases = named.map(({ lease }) => lease)
        if (season === AUDITS) for (const [lease, until] of yield* audits.heartbeat(key, leases)) keep(lease, until)
        else {
          const replies = season === undefined ? undefined : yield* calls.ask(season, [{ _tag: "Heartbeat", key: key.id, leases }])
          for (const beat of (replies?.[0] as Replies["Heartbeat"] | undefined) ?? []) if ("until" in beat) keep(beat.lease, beat.until)
        }
        // A runner that is told so plays it no more, and need not name what it holds: it would take one of its slots for ever.
        for (const lease of leases) if (!beats.has(lease) && calls.holdings.get(lease)?.runner === runner.id) calls.holdings.drop(lease)
      })
      // Where a season is away the call fails, and the leases in the others are kept all the same: they are asked beside it, since
      // one that does not answer takes up to ten seconds, and of a few of them the runner does not wait for the end.
      const bySeason = Map.groupBy(seasons, ({ season }) => season)
      const exits = yield* Effect.forEach(bySeason, ([season, named]) => Effect.exit(beatIn(season, named)), TOGETHER)
      yield* Effect.all(exits, { discard: true })
      return { leases: leases.map((lease) => beats.get(lease) ?? { lease, lost: true as const }), drain: runner.state === "draining" }
    })
  })
})

/** Whether such a lease exists or existed; a closed season has no live one. */
const releaseIn = (calls: SeasonCalls["Service"], season: string, key: KeyOfRunner, lease: string) =>
  Effect.map(calls.ask(season, [{ _tag: "Release", key: key.id, lease }]), (replies) =>
    replies === undefined ? true : !(replies[0] as Replies["Release"]).unknown
  )

/** Everything that a runner held goes back; where a season is away, the others take theirs all the same. */
const returnAll = Effect.fnUntraced(function* (calls: SeasonCalls["Service"], audits: ReplayAudits["Service"], runner: string) {
  const returned = Effect.fnUntraced(function* (season: string, leases: ReadonlyArray<Holding>) {
    if (season === AUDITS) yield* audits.keepOnly(runner, [])
    else yield* calls.ask(season, [{ _tag: "HoldOnly", runner, holds: [] }])
    for (const { lease } of leases) calls.holdings.drop(lease)
  })
  const held = Map.groupBy(yield* calls.heldBy(runner), ({ season }) => season)
  const exits = yield* Effect.forEach(held, ([season, leases]) => Effect.exit(returned(season, leases)), TOGETHER)
  yield* Effect.all(exits, { discard: true })
})

/** Sends results of audits to their own queue. */
export const tellAudits = (
  calls: SeasonCalls["Service"],
  audits: ReplayAudits["Service"],
  key: KeyOfRunner,
  results: ReadonlyArray<Reported>
) =>
  Effect.forEach(
    results,
    Effect.fnUntraced(function* (result) {
      const { lease } = result
      const reason = result.kind === "audit" ? yield* audits.result(key, lease, result.state_sha256) : ("unknown" as const)
      if (reason !== "unknown") calls.holdings.drop(lease)
      return { lease, accepted: reason === null, reason }
    })
  )
