/**
 * Between runners and seasons: a request of one runner may carry results for several seasons and be given work of
 * several.
 *
 *   results ─▶ checked all, or nothing is applied ─▶ told to their seasons, the one whose turn it is asked for work in
 *              the same message ─▶ the other seasons in turn, while the runner has room ─▶ nothing? parked
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { type InvalidRequest, NotFound, type Unavailable } from "@agon/api/Problem.ts"
import {
  type Acceptance,
  type Beat,
  type HeartbeatAnswer,
  type LeaseAnswer,
  type LeasedAcceptance,
  type LeasedResult,
  type LeaseRequest,
  maxWait_s,
  type Result,
  type Work as WorkSheet
} from "@agon/api/runner/protocol.ts"
import type { Replies } from "@agon/domain/season/Command.ts"
import { AUDITS, Audits } from "./Audits.ts"
import { Desk, plays, type Said } from "./Desk.ts"
import { Fairness } from "./Fairness.ts"
import { OpenSeasons } from "./OpenSeasons.ts"
import { Parking } from "./Parking.ts"
import type { OpenRunner, OpenSeason } from "./queries.ts"

type Refusal = InvalidRequest | NotFound | Unavailable

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    readonly lease: (key: KeyOfRunner, request: LeaseRequest) => Effect.Effect<LeaseAnswer, Refusal>
    readonly result: (key: KeyOfRunner, lease: string, result: Result) => Effect.Effect<Acceptance, Refusal>
    readonly release: (key: KeyOfRunner, lease: string) => Effect.Effect<{ readonly released: true }, Refusal>
    readonly heartbeat: (key: KeyOfRunner, runner: string, leases: ReadonlyArray<string>) => Effect.Effect<HeartbeatAnswer, Refusal>
  }
>()("agon/Dispatcher") {
  static readonly layer: Layer.Layer<Dispatcher, never, Audits | Desk | OpenSeasons | Parking> = Layer.effect(
    Dispatcher,
    Effect.suspend(() => makeDispatcher)
  )
}

const noLease = new NotFound({ detail: "There is no lease of this name under this key." })

const makeDispatcher = Effect.gen(function* () {
  const desk = yield* Desk
  const audits = yield* Audits
  const hand = yield* makeHand
  return Dispatcher.of({
    lease: Effect.fn("Dispatcher.lease")(function* (key, request) {
      const runner = yield* desk.runner(key, request.runner)
      const results = request.results ?? []
      yield* desk.check(results)
      const drain = runner.state === "draining"
      const { leases, receipts, room, since } = yield* hand.first(key, runner, request)
      if (leases.length > 0 || results.length > 0 || room <= 0) return { leases, results: receipts, drain }
      const until = (yield* Clock.currentTimeMillis) + Math.min(request.wait_s, maxWait_s) * 1000
      return { leases: yield* hand.later(key, runner, room, since, until), results: receipts, drain }
    }),

    result: Effect.fn("Dispatcher.result")(function* (key, lease, result) {
      const season = yield* desk.seasonOf(lease)
      if (season === undefined) return yield* noLease
      const results = [{ lease, ...result } as LeasedResult]
      yield* desk.check(results)
      const { receipts } = yield* season === AUDITS
        ? Effect.map(tellAudits(desk, audits, key, results), (receipts) => ({ receipts }))
        : desk.tell(key, nobody(key), season, { results, max: 0 })
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
      const runner = yield* desk.runner(key, id)
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

/** Whether there is, or was, such a lease; of a closed season none is live. */
const releaseIn = (desk: Desk["Service"], season: string, key: KeyOfRunner, lease: string) =>
  Effect.map(desk.ask(season, [{ _tag: "Release", key: key.id, lease }]), (replies) =>
    replies === undefined ? true : !(replies[0] as Replies["Release"]).unknown
  )

const tellAudits = (desk: Desk["Service"], audits: Audits["Service"], key: KeyOfRunner, results: ReadonlyArray<LeasedResult>) =>
  Effect.forEach(
    results,
    Effect.fnUntraced(function* (result) {
      const { lease } = result
      const reason = result.kind === "audit" ? yield* audits.result(key, lease, result.state_sha256) : ("unknown" as const)
      if (reason !== "unknown") desk.holdings.drop(lease)
      return { lease, accepted: reason === null, reason }
    })
  )

/** A result names no runner; its key is enough. */
const nobody = ({ id }: KeyOfRunner): OpenRunner => ({ id: "", key_id: id, slots: 0, state: "draining", accepts: [], engines: [] })

/** Runners of which a season would give the one what it gives the other. */
const kindOf = ({ season_id }: KeyOfRunner, { accepts, engines }: OpenRunner): string =>
  `${season_id ?? "platform"} ${accepts.join()} ${engines.map(({ engine_digest }) => engine_digest).join()}`

interface About {
  readonly results: Array<LeasedResult>
  holds?: ReadonlyArray<string>
}

/** What belongs to which season: results, and the wish that it take back what was lost on the way. */
const sorted = Effect.fnUntraced(function* (desk: Desk["Service"], runner: OpenRunner, { holds, results = [] }: LeaseRequest) {
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

const mayAsk = (key: KeyOfRunner, runner: OpenRunner, season: OpenSeason) =>
  (key.season_id ?? season.id) === season.id && plays(runner, season)

/** From which season the next work comes, and whether a match waits to be played again. */
const makeSources = Effect.gen(function* () {
  const desk = yield* Desk
  const audits = yield* Audits
  const seasons = yield* OpenSeasons
  const parking = yield* Parking
  const fairness = new Fairness()

  /** What a season's own runners do for it is no share of the platform's. */
  const inTurn = (key: KeyOfRunner, runner: OpenRunner): ReadonlyArray<OpenSeason> =>
    fairness.order(seasons.list().filter((season) => mayAsk(key, runner, season)))

  /** Looked up when it is asked: a season may have come while the runner waited. */
  const serves = (key: KeyOfRunner, runner: OpenRunner) => (id: string) => {
    const season = seasons.get(id)
    return season !== undefined && mayAsk(key, runner, season)
  }

  const tell = Effect.fnUntraced(function* (key: KeyOfRunner, runner: OpenRunner, season: string, said: Said) {
    const since = parking.signal()
    const answered = yield* desk.tell(key, runner, season, said)
    const given = answered.works.length
    if (key.season_id === null) {
      if (given > 0) fairness.served(season, given)
      else if (said.max > 0) fairness.idle(season)
    }
    if (said.max > 0) parking.told(season, kindOf(key, runner), since, given > 0)
    return answered
  })

  /** How much of the room one season may fill before the others were asked. */
  const shareOf = (key: KeyOfRunner, runner: OpenRunner, room: number): number => fairness.share(inTurn(key, runner), room)

  /** From one season; one that is away has no work now. */
  const take = Effect.fnUntraced(function* (key: KeyOfRunner, runner: OpenRunner, season: string, max: number) {
    const asked = tell(key, runner, season, { results: [], max })
    const { works } = yield* Effect.catchTag(asked, "unavailable", () => Effect.succeed({ works: [] }))
    return works
  })

  /** From the seasons in turn, from each its share, then from those that have more, until the room is full. `first` was asked already. */
  const fill = Effect.fnUntraced(function* (key: KeyOfRunner, runner: OpenRunner, room: number, share: number, first?: Asked) {
    const leases: Array<WorkSheet> = []
    const more = first !== undefined && first.given >= share ? [first.season] : []
    for (const { id } of inTurn(key, runner)) {
      if (leases.length >= room) return leases
      if (id === first?.season) continue
      const max = Math.min(share, room - leases.length)
      const works = yield* take(key, runner, id, max)
      leases.push(...works)
      if (works.length === max) more.push(id)
    }
    for (const id of more) if (leases.length < room) leases.push(...(yield* take(key, runner, id, room - leases.length)))
    return leases
  })

  /** One a request: they are few, and matches go on beside them. */
  const audit = Effect.fnUntraced(function* (key: KeyOfRunner, runner: OpenRunner, room: number) {
    const works = yield* audits.lease(key, runner, Math.min(1, room))
    for (const { lease } of works) desk.holdings.add({ lease, runner: runner.id, season: AUDITS, seats: null, strike_limit: 0 })
    return works
  })

  return { inTurn, serves, shareOf, tell, fill, audit }
})

/** The season whose turn it was, and what it gave. */
interface Asked {
  readonly season: string
  readonly given: number
}

/** Handing out, at once or later. */
const makeHand = Effect.gen(function* () {
  const desk = yield* Desk
  const audits = yield* Audits
  const parking = yield* Parking
  const { audit, fill, inTurn, serves, shareOf, tell } = yield* makeSources

  const first = Effect.fnUntraced(function* (key: KeyOfRunner, runner: OpenRunner, request: LeaseRequest) {
    const since = parking.signal()
    const about = yield* sorted(desk, runner, request)
    const reporting = new Set(request.results?.map(({ lease }) => lease))
    const held = desk.holdings.of(runner.id).filter(({ lease }) => !reporting.has(lease)).length
    const wanted = runner.state === "draining" ? 0 : Math.max(0, Math.min(request.max, runner.slots - held))
    const leases: Array<WorkSheet> = [...(yield* audit(key, runner, wanted))]
    const room = wanted - leases.length
    const turn = room > 0 ? inTurn(key, runner)[0]?.id : undefined
    const share = shareOf(key, runner, room)
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
      const answered = yield* tell(key, runner, season, said)
      receipts.push(...answered.receipts)
      leases.push(...answered.works)
      if (season === turn) given = answered.works.length
    }
    const asked = turn === undefined ? undefined : { season: turn, given }
    leases.push(...(yield* fill(key, runner, wanted - leases.length, share, asked)))
    return { leases, receipts, room: wanted, since }
  })

  /** What there is for one that was woken; undefined where it was stopped, or its key revoked, while it waited. */
  const askAgain = Effect.fnUntraced(function* (key: KeyOfRunner, runner: OpenRunner, room: number) {
    if ((yield* desk.runner(key, runner.id)).state !== "active") return undefined
    const audited = yield* audit(key, runner, room)
    const left = room - audited.length
    return [...audited, ...(yield* fill(key, runner, left, shareOf(key, runner, left)))]
  })

  const later = Effect.fnUntraced(function* (key: KeyOfRunner, runner: OpenRunner, room: number, from: number, until: number) {
    const waiting = { kind: kindOf(key, runner), serves: serves(key, runner) }
    for (let since = from; ; ) {
      const wait_ms = until - (yield* Clock.currentTimeMillis)
      if (wait_ms <= 0) return []
      const before = since
      yield* parking.park(waiting, before, wait_ms)
      since = parking.signal()
      const passOn = Effect.sync(() => parking.passOn(waiting, before))
      const leases = yield* Effect.onError(askAgain(key, runner, room), () => passOn)
      if (leases === undefined) return yield* Effect.as(passOn, [])
      if (leases.length > 0) return leases
    }
  })

  return { first, later }
})
