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
import { type OpenSeason, OpenSeasons } from "../../actor/OpenSeasons.ts"
import type { Broadcast } from "../../node/Broadcast.ts"
import { Parking } from "../../parking/Parking.ts"
import { toItsEnd } from "../../process/toItsEnd.ts"
import { uptimeOf_ms } from "../../process/uptime.ts"
import { plays, type Said } from "../result/tellSeason.ts"
import { NO_MATCH } from "../session/Holdings.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import type { Caller } from "../session/Runners.ts"
import type { LeasePayload } from "../work/LeasePayloads.ts"
import { AUDITS, ReplayAudits } from "../work/ReplayAudits.ts"
import { AwaySeasons } from "./AwaySeasons.ts"
import { type Asking, bySeason } from "./bySeason.ts"
import { makeFairnessOfNodes } from "./FairnessOfNodes.ts"
import { tellAudits } from "./HeldLeases.ts"
import { makeLeft } from "./leftSeasons.ts"
import { SeasonCalls } from "./SeasonCalls.ts"
import { makeSlots } from "./Slots.ts"

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
  const asked = Effect.fnUntraced(function* (caller: Caller, request: Asking, about: BySeason, wanted: number) {
    const before = parking.signal()
    const left = makeLeft(parking)
    const receipts: Array<LeasedAcceptance> = yield* tellOfAudits(caller, about)
    const leases: Array<LeasePayload> = [...(yield* audit(caller, wanted))]
    const room = wanted - leases.length
    const passesOver = request.wait_s > 0 || request.results.length > 0
    const turn = room > 0 ? inTurn(caller, passesOver, (id) => about.has(id)).find(({ id }) => !left.has(id))?.id : undefined
    const share = shareOf(caller, room)
    if (turn !== undefined && !about.has(turn)) about.set(turn, { results: [] })
    let given = 0
    let away: Unavailable | undefined
    /** Of a season that did not hear what it was told: the request is repeated, once all others have heard theirs. */
    let unheard: Unavailable | undefined
    for (const [season, { lost, results }] of about) {
      if (season === undefined) {
        for (const { lease } of results) receipts.push({ lease, accepted: false, reason: "unknown" })
        continue
      }
      const said = { results, lost, max: season === turn && unheard === undefined ? share : 0 }
      const answered = yield* Effect.catchTag(tell(caller, season, said), "unavailable", (error) => Effect.succeed(error))
      if ("works" in answered) {
        receipts.push(...answered.receipts)
        leases.push(...answered.works)
        if (season === turn) given = answered.works.length
      } else if (isOnlyAsked(said)) away = answered
      else unheard = answered
    }
    if (unheard !== undefined) return yield* Effect.fail(unheard)
    const first = turn === undefined ? undefined : { season: turn, given, failed: away !== undefined }
    leases.push(...(yield* fill(caller, wanted - leases.length, { share, passesOver, first, isLeft: left.has })))
    if (away !== undefined && leases.length + receipts.length === 0) return yield* Effect.fail(away)
    return { leases, receipts, room: wanted, since: left.since(before) }
  })

  return Dispatcher.of({
    lease: Effect.fnUntraced(function* (key, request) {
      const caller = yield* calls.caller(key, request.runner)
      const results = yield* calls.check(key, caller.runner.id, request.results ?? [])
      if (results.length > 0) came(caller.stays)
      const drain = caller.runner.state === "draining"
      const about = yield* bySeason(calls, caller.runner.id, { ...request, results })
      const wanted = { runner: caller.runner, most: request.max, reporting: new Set(results.map(({ lease }) => lease)) }
      const { leases, receipts, room, since } = yield* inSlots(wanted, (room) => asked(caller, { ...request, results }, about, room))
      if (leases.length > 0 || results.length > 0 || room <= 0) return { leases, results: receipts, drain }
      const until = uptimeOf_ms(yield* Clock.Clock) + Math.min(request.wait_s, WAIT_S_MAX) * 1000
      return { leases: yield* later(caller, room, since, until), results: receipts, drain }
    })
  })
})

type BySeason = Effect.Success<ReturnType<typeof bySeason>>

/** Before the request is given another audit, which would look as lost as those that it does not hold. */
const makeTellOfAudits = Effect.gen(function* () {
  const [calls, audits] = [yield* SeasonCalls, yield* ReplayAudits]
  return Effect.fnUntraced(function* ({ key, runner }: Caller, about: BySeason) {
    const told = about.get(AUDITS)
    about.delete(AUDITS)
    if (told?.lost !== undefined) yield* audits.keepOnly(runner.id, told.lost.holds)
    return told === undefined ? [] : yield* tellAudits(calls, audits, key, told.results)
  })
})

interface Filling {
  /** How much one season may give before the others were asked. */
  readonly share: number
  /** Whether seasons that have just given nothing are passed over: the request may wait, or brings results. */
  readonly passesOver: boolean
  readonly first?: Asked | undefined
  /** Seasons whose work is left to who has waited for long. */
  readonly isLeft?: (season: string) => boolean
}

/** The season whose turn it was, how many leases it gave, and whether it is away. */
interface Asked {
  readonly season: string
  readonly given: number
  readonly failed: boolean
}

/**
 * Where a runner's next work comes from: a match that waits to be played again, then the
 * seasons that it may serve, in turn.
 */
const makeTurns = Effect.gen(function* () {
  const seasons = yield* OpenSeasons
  const parking = yield* Parking
  const known = yield* KnownRuntimes
  const [fairness, mayAsk] = [yield* makeFairnessOfNodes, mayAskWith(known)]
  const away = new AwaySeasons(yield* Clock.Clock)

  /**
   * Seasons that are told something in any case come first while they are not far ahead, and are never passed
   * over. Work done by a season's own runners does not count towards its share of the platform's.
   */
  const inTurn = (caller: Caller, passesOver: boolean, isTold: (id: string) => boolean = () => false): ReadonlyArray<OpenSeason> => {
    const kind = kindOf(caller)
    const refused = ({ id }: OpenSeason) => passesOver && !isTold(id) && parking.refused(id, kind, caller.key.id)
    const mayBeAsked = seasons.list().filter((season) => mayAsk(caller, season) && !refused(season))
    return away.behind(fairness.order(mayBeAsked, isTold))
  }

  const tell = yield* makeTell(away, fairness)

  /** How much of the room one season may fill before the others were asked. */
  const shareOf = (caller: Caller, room: number): number => (room <= 1 ? room : fairness.share(inTurn(caller, false), room))

  /** Takes work from one season; one that is away has none now. */
  const take = (caller: Caller, season: string, max: number) =>
    Effect.map(tell(caller, season, { results: [], max }), ({ works }) => works).pipe(
      Effect.catchTag("unavailable", () => Effect.succeed([]))
    )

  /**
   * Fills the room from the seasons in turn, from each its share, then from those that have more. `first` was
   * asked already. After one that is away only seasons of this node are asked: more may live where it does,
   * and each takes seconds to find out.
   */
  const fill = Effect.fnUntraced(function* (caller: Caller, room: number, { first, isLeft, passesOver, share }: Filling) {
    if (room <= 0) return []
    const leases: Array<LeasePayload> = []
    const more = first !== undefined && first.given >= share ? [first.season] : []
    let failed = first?.failed === true
    for (const { id } of inTurn(caller, passesOver)) {
      if (leases.length >= room) return leases
      if (id === first?.season || (failed && !fairness.isHome(id)) || (leases.length > 0 && away.has(id)) || isLeft?.(id) === true) continue
      const max = Math.min(share, room - leases.length)
      const works = yield* take(caller, id, max)
      failed ||= away.has(id)
      if (works.length === max) more.push(id)
      leases.push(...works)
    }
    for (const id of more) if (leases.length < room) leases.push(...(yield* take(caller, id, room - leases.length)))
    return leases
  })

  const inSlots = makeSlots((yield* SeasonCalls).holdings)
  return { audit: yield* makeAudit, came: fairness.came, inTurn, inSlots, shareOf, tell, fill }
})

/** The message to one season, and what is noted of its answer. */
const makeTell = Effect.fnUntraced(function* (away: AwaySeasons, fairness: Effect.Success<typeof makeFairnessOfNodes>) {
  const [calls, parking] = [yield* SeasonCalls, yield* Parking]

  const told = Effect.fnUntraced(function* (caller: Caller, season: string, said: Said) {
    const since = parking.signal()
    const failed = () => {
      away.failed(season)
      calls.holdings.forget(caller.runner.id) // what it heard, and what it gave, is known by its rows alone
    }
    const answered = yield* Effect.tapErrorTag(calls.tell(caller, season, said), "unavailable", () => Effect.sync(failed))
    away.answered(season)
    const given = answered.works.length
    if (caller.key.season_id === null) {
      if (given > 0) fairness.served(season, given)
      else if (said.max > 0) fairness.idle(season)
    }
    if (said.max > 0) parking.told(season, kindOf(caller), since, given > 0, caller.key.id)
    return answered
  })

  /** Runs on where the request ends, as where its runner has news: the season may have been asked already. */
  return (caller: Caller, season: string, said: Said) =>
    toItsEnd(told(caller, season, said), ({ leases }) => giveBack(calls, caller.runner.id, season, leases))
})

/** Leases that a season gave to a runner that had ended its request go back. */
const giveBack = Effect.fnUntraced(function* (
  calls: SeasonCalls["Service"],
  runner: string,
  season: string,
  leases: ReadonlyArray<string>
) {
  if (leases.length === 0) return
  yield* calls.ask(season, [{ _tag: "HoldOnly", runner, holds: [], among: leases }])
  for (const lease of leases) calls.holdings.drop(lease)
})

/** One audit a request: they are few, and matches continue beside them. */
const makeAudit = Effect.gen(function* () {
  const [calls, audits, known] = [yield* SeasonCalls, yield* ReplayAudits, yield* KnownRuntimes]
  const given = Effect.fnUntraced(function* (caller: Caller, room: number) {
    const { key, runner } = caller
    const works = known.has(runner.runtime_version) ? yield* audits.lease(caller, Math.min(1, room)) : []
    for (const { lease } of works) calls.holdings.add({ lease, runner: runner.id, key: key.id, season: AUDITS, ...NO_MATCH })
    return works
  })
  const release = (key: KeyOfRunner, lease: string) => Effect.map(audits.release(key, lease), () => calls.holdings.drop(lease))
  /** As with matches, none stays with a runner that has ended its request. */
  return (caller: Caller, room: number) =>
    toItsEnd(given(caller, room), (works) => Effect.forEach(works, ({ lease }) => release(caller.key, lease))).pipe(
      Effect.map((works) => works.map(({ payload }) => payload))
    )
})

/** A season would give runners of one kind the same work, but for what it keeps from their keys. */
const kindOf = ({ key, runner: { accepts, engines, runtime_version } }: Caller): string =>
  `${key.season_id ?? "platform"} ${runtime_version} ${accepts.join()} ${engines.map(({ engine_digest, game }) => `${game}:${engine_digest}`).join()}`

/** Whether a runner may ask a season: its key serves the season, it has the engine, and its runtime is known. */
const mayAskWith =
  (known: ReadonlySet<string>) =>
  ({ key, runner }: Caller, season: OpenSeason) =>
    (key.season_id ?? season.id) === season.id && plays(runner, season) && known.has(runner.runtime_version)

/** The work for a runner that waits for it: it is parked, and asks the seasons whenever it is woken. */
const makeLater = Effect.fnUntraced(function* ({ audit, fill, inSlots, shareOf }: Effect.Success<typeof makeTurns>) {
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

  const taken = Effect.fnUntraced(function* (caller: Caller, room: number) {
    if (room === 0) return undefined
    const audited = yield* audit(caller, room)
    const left = room - audited.length
    return [...audited, ...(yield* fill(caller, left, { share: shareOf(caller, left), passesOver: true }))]
  })

  /**
   * The work for a request that was woken; undefined where the runner was stopped, its key revoked, or its slots filled by another
   * request, while it waited.
   */
  const askAgain = Effect.fnUntraced(function* (caller: Caller, most: number) {
    const { runner } = yield* calls.caller(caller.key, caller.runner.id)
    return runner.state === "active" ? yield* inSlots({ runner, most }, (room) => taken(caller, room)) : undefined
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

/** Whether a season is asked for work and told nothing that would be lost. */
const isOnlyAsked = ({ lost, results }: Said): boolean => results.length === 0 && lost === undefined
