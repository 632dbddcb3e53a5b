/**
 * Between runners and seasons: who calls, which work each runner holds, and which results are sound. This node remembers what
 * its runners hold (Holdings.ts) and reads the rest from the rows (leaseReads.ts). tellSeason.ts has the message to the actor.
 */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { InvalidRequest, type NotFound, type Unavailable } from "@agon/api/Problem.ts"
import type { LeasedResult } from "@agon/api/runner/protocol.ts"
import type { Command, Reply } from "@agon/domain/season/Command.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import { Context, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import type { OpenSeasons } from "../../actor/OpenSeasons.ts"
import { SeasonActors } from "../../actor/SeasonActors.ts"
import type { SeasonStore } from "../../actor/SeasonStore.ts"
import type { MatchVoiding } from "../../match/MatchVoiding.ts"
import { believedShare } from "../../object/believedShare.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { HasPeers } from "../../process/HasPeers.ts"
import { FinalsReplays } from "../result/FinalsReplays.ts"
import { makeMayBeRows } from "../result/keepReplay.ts"
import { ReplayUploads } from "../result/ReplayUploads.ts"
import { faultsOf, isFinished, type Reported, takeReplays, withoutText } from "../result/results.ts"
import { makeTakenOnce } from "../result/takenOnce.ts"
import { type Answered, askedByRunner, makeTell, type Said } from "../result/tellSeason.ts"
import { type Holding, Holdings } from "../session/Holdings.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import { makeHeldBy, makeReadHolding, makeSeasonOfWork } from "../session/leaseReads.ts"
import { type Caller, Runners } from "../session/Runners.ts"
import type { LeasePayloads } from "../work/LeasePayloads.ts"

export class SeasonCalls extends Context.Service<
  SeasonCalls,
  {
    readonly holdings: Holdings
    /** The caller whose runner has this id; afterwards this node knows what it holds. Unknown, or of another key: not found. */
    readonly caller: (key: KeyOfRunner, id: string) => Effect.Effect<Caller, NotFound>
    /** The same, where it does not matter what other nodes have given the runner since this one read what it holds. */
    readonly known: (key: KeyOfRunner, id: string) => Effect.Effect<Caller, NotFound>
    /** The runner's leases by the rows, whatever this node remembers. */
    readonly heldBy: (runner: string) => Effect.Effect<ReadonlyArray<Holding>>
    /** The season of a lease's work; undefined where no such work has ever existed. */
    readonly seasonOf: (lease: string) => Effect.Effect<string | undefined>
    /**
     * First checks that the key holds the work of each result; other results are not looked at. Fails where a held result is
     * unsound, before any is applied; takes the replays over. `runner`: the sender of the request, where that is known.
     */
    readonly check: (
      key: KeyOfRunner,
      runner: string | undefined,
      results: ReadonlyArray<LeasedResult>
    ) => Effect.Effect<ReadonlyArray<Reported>, InvalidRequest | Unavailable>
    readonly ask: (season: string, commands: ReadonlyArray<Command>) => Effect.Effect<ReadonlyArray<Reply> | undefined, Unavailable>
    readonly tell: (caller: Caller, season: string, said: Said) => Effect.Effect<Answered, InvalidRequest | Unavailable>
  }
>()("agon/SeasonCalls") {
  static readonly layer: Layer.Layer<
    SeasonCalls,
    never,
    | SqlClient.SqlClient
    | FinalsReplays
    | MatchVoiding
    | ObjectStore
    | ReplayUploads
    | SeasonActors
    | SeasonStore
    | OpenSeasons
    | Runners
    | LeasePayloads
  > = Layer.effect(
    SeasonCalls,
    Effect.suspend(() => makeSeasonCalls)
  )
}

/** Look-ups of a request's leases share their statements. A lease that is known at once is given as an exit, which needs no fiber. */
export const TOGETHER = { concurrency: "unbounded" } as const

/** Every session of a runner has a name of its own: never forgotten, they would grow without limit. */
const FORGET_EVERY = "1 minute"

const makeSeasonCalls = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const runners = yield* Runners
  const shares = yield* HasPeers
  const known = yield* KnownRuntimes
  const takeOver = yield* makeTakeOver
  const holdings = new Holdings()
  const tell = yield* makeTell(holdings)
  yield* Effect.sync(() => holdings.keepOnly(runners.here)).pipe(Effect.repeat(Schedule.spaced(FORGET_EVERY)), Effect.forkScoped)

  const readHolding = yield* makeReadHolding(holdings)

  /** The work of a lease while it is open, from the rows where this node does not know its runner. */
  const holding = (lease: string): Effect.Effect<Holding | undefined> => {
    const known = holdings.get(lease)
    return known === undefined ? readHolding(lease) : Effect.succeed(known)
  }

  /** The same, from the rows where another node may have handed the work out since; `runner` was just read from them. */
  const newest = (lease: string, runner: string | undefined): Effect.Effect<Holding | undefined> =>
    shares && holdings.get(lease)?.runner !== runner ? readHolding(lease) : holding(lease)

  const heldBy = yield* makeHeldBy(holdings)

  const seasonOfWork = yield* makeSeasonOfWork

  const seasonNotHeld = Effect.fnUntraced(function* (lease: string) {
    const held = yield* readHolding(lease)
    if (held !== undefined) return held.season
    const name = parseLease(lease)
    return name === undefined ? undefined : yield* seasonOfWork(name.id)
  })

  const called = Effect.fnUntraced(function* (key: KeyOfRunner, id: string, anew: boolean) {
    if (!anew && holdings.knows(id)) return { key, runner: yield* runners.heard(key, id), stays: true }
    const { leases, runner } = yield* runners.heardHolding(key, id)
    return { key, runner, stays: holdings.know(runner.id, leases) }
  })

  return SeasonCalls.of({
    holdings,
    tell,
    heldBy,
    caller: (key, id) => called(key, id, shares),
    known: (key, id) => called(key, id, false),
    seasonOf: (lease) => {
      const held = holdings.get(lease)
      return held === undefined ? seasonNotHeld(lease) : Effect.succeed(held.season)
    },
    check: Effect.fnUntraced(function* (key, runner, results) {
      if (results.length === 0) return []
      const firsts = new Map(results.map(({ lease }, i) => [lease, i] as const).toReversed()) // where a result is sent twice, the first counts
      const heldOf = ({ lease }: LeasedResult, i: number) =>
        firsts.get(lease) === i
          ? Effect.mapEager(newest(lease, runner), (found) => (found?.key === key.id ? found : undefined))
          : Effect.undefined
      const held = yield* Effect.forEach(results, heldOf, TOGETHER)
      const placeOf = (i: number) => (runner === undefined ? "" : `results.${i}.`) // sent by itself, it is the whole body
      const errors = results.flatMap((result, i) => (held[i] ? faultsOf(result, held[i], placeOf(i), known) : []))
      if (errors.length > 0) return yield* new InvalidRequest({ detail: errors[0]!.message, errors })
      const reported = results.map((result, i) =>
        held[i] || !isFinished(result) ? result : ({ kind: "unheld", lease: result.lease } as const)
      )
      return yield* takeOver(held, reported, placeOf)
    }),
    ask: (season, commands) => askedByRunner(actors, season, commands)
  })
})

/** Takes over the replays of results, as rows or as objects, and checks those of finals. */
const makeTakeOver = Effect.gen(function* () {
  const [store, uploads, finals] = [yield* ObjectStore, yield* ReplayUploads, yield* FinalsReplays]
  const objects = { ...store, freeShare: believedShare(store.freeShare), verify: yield* makeTakenOnce(store.verify) }
  const mayBeRows = yield* makeMayBeRows(yield* HasPeers)
  return Effect.fnUntraced(function* (
    held: ReadonlyArray<Holding | undefined>,
    reported: ReadonlyArray<Reported>,
    placeOf: (i: number) => string
  ) {
    const areRows = yield* mayBeRows
    yield* takeReplays({ objects, uploads, areRows }, reported, placeOf)
    const taken = areRows ? reported : reported.map(withoutText)
    return held.some((holding) => holding?.is_finals) ? yield* Effect.forEach(taken, (result, i) => finals.checked(held[i], result)) : taken
  })
})
