/**
 * Handing out work: the immediate answer to a lease request, whose results are sent to their seasons first, and the later
 * answer to a runner that was parked.
 */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import type { LeasedAcceptance, LeaseRequest } from "@agon/api/runner/protocol.ts"
import { Clock, Effect } from "effect"
import { Parking } from "../actor/Parking.ts"
import type { Caller } from "./Caller.ts"
import type { LeasePayload } from "./leasePayload.ts"
import type { OpenRunner } from "./queries.ts"
import { AUDITS, ReplayAudits } from "./ReplayAudits.ts"
import type { Reported } from "./results.ts"
import { SeasonCalls } from "./SeasonCalls.ts"
import { kindOf, makeSources } from "./sources.ts"

/** A lease request whose results were checked. */
type Asking = Omit<LeaseRequest, "results"> & { readonly results: ReadonlyArray<Reported> }

export const makeHand = Effect.gen(function* () {
  const desk = yield* SeasonCalls
  const audits = yield* ReplayAudits
  const parking = yield* Parking
  const { audit, fill, inTurn, serves, shareOf, tell } = yield* makeSources

  const first = Effect.fnUntraced(function* (caller: Caller, request: Asking) {
    const { key, runner } = caller
    const since = parking.signal()
    const about = yield* sorted(desk, runner, request)
    const reporting = new Set(request.results.map(({ lease }) => lease))
    const held = desk.holdings.of(runner.id).filter(({ lease }) => !reporting.has(lease)).length
    const wanted = runner.state === "draining" ? 0 : Math.max(0, Math.min(request.max, runner.slots - held))
    const leases: Array<LeasePayload> = [...(yield* audit(caller, wanted))]
    const room = wanted - leases.length
    const turn = room > 0 ? inTurn(caller)[0]?.id : undefined
    const share = shareOf(caller, room)
    if (turn !== undefined && !about.has(turn)) about.set(turn, { results: [] })
    let given = 0
    const receipts: Array<LeasedAcceptance> = []
    for (const [season, { holds, results }] of about) {
      if (season === undefined) {
        for (const { lease } of results) receipts.push({ lease, accepted: false, reason: "unknown" })
        continue
      }
      if (season === AUDITS) {
        if (holds !== undefined) yield* audits.keepOnly(runner.id, holds)
        receipts.push(...(yield* tellAudits(desk, audits, key, results)))
        continue
      }
      const said = { results, ...(holds === undefined ? {} : { holds }), max: season === turn ? share : 0 }
      const answered = yield* tell(caller, season, said)
      receipts.push(...answered.receipts)
      leases.push(...answered.works)
      if (season === turn) given = answered.works.length
    }
    const asked = turn === undefined ? undefined : { season: turn, given }
    leases.push(...(yield* fill(caller, wanted - leases.length, share, asked)))
    return { leases, receipts, room: wanted, since }
  })

  /** The work for a request that was woken; undefined where the runner was stopped, or its key revoked, while it waited. */
  const askAgain = Effect.fnUntraced(function* (caller: Caller, room: number) {
    const now = yield* desk.caller(caller.key, caller.runner.id)
    if (now.runner.state !== "active") return undefined
    const audited = yield* audit(caller, room)
    const left = room - audited.length
    return [...audited, ...(yield* fill(caller, left, shareOf(caller, left)))]
  })

  const later = Effect.fnUntraced(function* (caller: Caller, room: number, from: number, until: number) {
    const waiting = { kind: kindOf(caller), runner: caller.runner.id, serves: serves(caller) }
    for (let since = from; ; ) {
      const wait_ms = until - (yield* Clock.currentTimeMillis)
      if (wait_ms <= 0 || parking.isClosed()) return []
      const before = since
      yield* parking.park(waiting, before, wait_ms)
      since = parking.signal()
      const passOn = Effect.sync(() => parking.passOn(waiting, before))
      const leases = yield* Effect.onError(askAgain(caller, room), () => passOn)
      if (leases === undefined) return yield* Effect.as(passOn, [])
      if (leases.length > 0) return leases
    }
  })

  return { first, later }
})

interface About {
  readonly results: Array<Reported>
  holds?: ReadonlyArray<string>
}

/** The results and lost leases of a request, by season. */
const sorted = Effect.fnUntraced(function* (desk: SeasonCalls["Service"], runner: OpenRunner, { holds, results }: Asking) {
  const about = new Map<string | undefined, About>()
  const of = (season: string | undefined) => about.get(season) ?? about.set(season, { results: [] }).get(season)!
  for (const result of results) of(yield* desk.seasonOf(result.lease)).results.push(result)
  const named = new Set([...(holds ?? []), ...results.map(({ lease }) => lease)])
  for (const { lease, season } of holds === undefined ? [] : desk.holdings.of(runner.id)) {
    if (named.has(lease)) continue
    desk.holdings.drop(lease)
    of(season).holds = [...named]
  }
  return about
})

/** Sends results of audits to their own queue. */
export const tellAudits = (
  desk: SeasonCalls["Service"],
  audits: ReplayAudits["Service"],
  key: KeyOfRunner,
  results: ReadonlyArray<Reported>
) =>
  Effect.forEach(
    results,
    Effect.fnUntraced(function* (result) {
      const { lease } = result
      const reason = result.kind === "audit" ? yield* audits.result(key, lease, result.state_sha256) : ("unknown" as const)
      if (reason !== "unknown") desk.holdings.drop(lease)
      return { lease, accepted: reason === null, reason }
    })
  )
