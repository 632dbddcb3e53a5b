/** Calls about the leases that a runner holds: a result by itself, giving one back, and the heartbeat. */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { type InvalidRequest, NotFound, type Unavailable } from "@agon/api/Problem.ts"
import type { Acceptance, Beat, HeartbeatAnswer, LeasedResult, Result } from "@agon/api/runner/protocol.ts"
import type { Replies } from "@agon/domain/season/Command.ts"
import { Context, Effect, Layer } from "effect"
import { AUDITS, ReplayAudits } from "./ReplayAudits.ts"
import { callerOfKey } from "./Runners.ts"
import type { Reported } from "./results.ts"
import { SeasonCalls } from "./SeasonCalls.ts"

type Refusal = InvalidRequest | NotFound | Unavailable

export class HeldLeases extends Context.Service<
  HeldLeases,
  {
    readonly result: (key: KeyOfRunner, lease: string, result: Result) => Effect.Effect<Acceptance, Refusal>
    readonly release: (key: KeyOfRunner, lease: string) => Effect.Effect<{ readonly released: true }, Refusal>
    readonly heartbeat: (key: KeyOfRunner, runner: string, leases: ReadonlyArray<string>) => Effect.Effect<HeartbeatAnswer, Refusal>
  }
>()("agon/HeldLeases") {
  static readonly layer: Layer.Layer<HeldLeases, never, ReplayAudits | SeasonCalls> = Layer.effect(
    HeldLeases,
    Effect.suspend(() => makeHeldLeases)
  )
}

const noLease = new NotFound({ detail: "There is no lease of this name under this key." })

const makeHeldLeases = Effect.gen(function* () {
  const calls = yield* SeasonCalls
  const audits = yield* ReplayAudits
  return HeldLeases.of({
    result: Effect.fnUntraced(function* (key, lease, result) {
      const season = yield* calls.seasonOf(lease)
      if (season === undefined) return yield* noLease
      const results = yield* calls.check(key, undefined, [{ lease, ...result } as LeasedResult])
      const { receipts } = yield* season === AUDITS
        ? Effect.map(tellAudits(calls, audits, key, results), (receipts) => ({ receipts }))
        : calls.tell(callerOfKey(key), season, { results, max: 0 })
      const { reason } = receipts[0]!
      if (reason === "unknown") return yield* noLease
      return reason === null ? { accepted: true } : { accepted: false, reason }
    }),

    release: Effect.fn("HeldLeases.release")(function* (key, lease) {
      const season = yield* calls.seasonOf(lease)
      if (season === undefined) return yield* noLease
      const known = season === AUDITS ? yield* audits.release(key, lease) : yield* releaseIn(calls, season, key, lease)
      if (!known) return yield* noLease
      calls.holdings.drop(lease)
      return { released: true }
    }),

    heartbeat: Effect.fn("HeldLeases.heartbeat")(function* (key, id, leases) {
      const { runner } = yield* calls.caller(key, id)
      const beats = new Map<string, Beat>()
      const seasons = yield* Effect.forEach(leases, (lease) => Effect.map(calls.seasonOf(lease), (season) => ({ lease, season })))
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
        const replies = season === undefined ? undefined : yield* calls.ask(season, [said])
        for (const beat of (replies?.[0] as Replies["Heartbeat"] | undefined) ?? []) {
          if ("until" in beat) beats.set(beat.lease, { lease: beat.lease, expires_at: new Date(beat.until).toISOString() })
        }
      }
      return { leases: leases.map((lease) => beats.get(lease) ?? { lease, lost: true as const }), drain: runner.state === "draining" }
    })
  })
})

/** Whether such a lease exists or existed; a closed season has no live one. */
const releaseIn = (calls: SeasonCalls["Service"], season: string, key: KeyOfRunner, lease: string) =>
  Effect.map(calls.ask(season, [{ _tag: "Release", key: key.id, lease }]), (replies) =>
    replies === undefined ? true : !(replies[0] as Replies["Release"]).unknown
  )

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
