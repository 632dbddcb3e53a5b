/**
 * Between one runner and one season: results, lost leases and the request for work go to the
 * season's actor in one message. A result whose work is no longer open is answered from its rows.
 */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { InvalidRequest, type NotFound, type Unavailable } from "@agon/api/Problem.ts"
import type { LeasedAcceptance, LeasedResult } from "@agon/api/runner/protocol.ts"
import type { Command, Receipt, Replies, Reply, Work } from "@agon/domain/season/Command.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import { Context, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { moving } from "../actor/asked.ts"
import { COMMANDS_MAX } from "../actor/Mailbox.ts"
import * as MatchLines from "../actor/MatchLines.ts"
import { Traces } from "../actor/MatchTraces.ts"
import { type OpenSeason, OpenSeasons } from "../actor/OpenSeasons.ts"
import { SeasonActors } from "../actor/SeasonEntity.ts"
import { SeasonStore } from "../actor/SeasonStore.ts"
import { gathered } from "../http/gathered.ts"
import { MatchVoiding } from "../match/MatchVoiding.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { FaultShares } from "./FaultShares.ts"
import { type Holding, Holdings, NO_MATCH } from "./Holdings.ts"
import { KnownRuntimes } from "./KnownRuntimes.ts"
import { makeKeepReplay, makeMayBeRows } from "./keepReplay.ts"
import { type LeasePayload, LeasePayloads } from "./LeasePayloads.ts"
import { makeQueries } from "./leaseQueries.ts"
import { ReplayUploads } from "./ReplayUploads.ts"
import { type Caller, Runners } from "./Runners.ts"
import { commandOf, dropUploads, faultsOf, isFinished, type Reported, takeReplays, withoutText } from "./results.ts"
import type { OpenRunner } from "./sessionQueries.ts"

/** Whether runners also talk to other nodes, any request to any of them: then this node's memory of a runner is incomplete. */
export class SharesRunners extends Context.Reference<boolean>("agon/SharesRunners", { defaultValue: () => false }) {}

/** Leases that a runner was given and does not have, beside those that it has. */
export interface Lost {
  readonly leases: ReadonlyArray<string>
  readonly holds: ReadonlyArray<string>
}

export interface Said {
  readonly results: ReadonlyArray<Reported>
  /** Where leases of this season were lost on the way: those, and all leases that the runner has. */
  readonly lost?: Lost | undefined
  /** How much work it may be given; 0 for none. */
  readonly max: number
}
export interface Answered {
  readonly receipts: ReadonlyArray<LeasedAcceptance>
  readonly works: ReadonlyArray<LeasePayload>
}

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
    SqlClient.SqlClient | MatchVoiding | ObjectStore | ReplayUploads | SeasonActors | SeasonStore | OpenSeasons | Runners | LeasePayloads
  > = Layer.effect(
    SeasonCalls,
    Effect.suspend(() => makeSeasonCalls)
  )
}

/** Look-ups of a request's leases share their statements. */
export const TOGETHER = { concurrency: "unbounded" } as const

/** Every session of a runner has a name of its own: never forgotten, they would grow without limit. */
const FORGET_EVERY = "1 minute"

const unavailable = Effect.fail(moving)

const makeSeasonCalls = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const runners = yield* Runners
  const shares = yield* SharesRunners
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

  /** The season of work that is not open any more, in one statement with others that are asked for meanwhile. */
  const seasonOfWork = yield* gathered((ids) =>
    Effect.map(Effect.orDie(queries.seasonsOf(ids)), (rows) => new Map(rows.map(({ id, season }) => [id, season])))
  )

  const called = Effect.fnUntraced(function* (key: KeyOfRunner, id: string, anew: boolean) {
    if (!anew && holdings.knows(id)) return { key, runner: yield* runners.heard(key, id) }
    const { leases, runner } = yield* runners.heardHolding(key, id)
    holdings.know(runner.id, leases)
    return { key, runner }
  })

  return SeasonCalls.of({
    holdings,
    tell,
    heldBy,
    caller: (key, id) => called(key, id, shares),
    known: (key, id) => called(key, id, false),
    seasonOf: Effect.fnUntraced(function* (lease) {
      const held = yield* holding(lease)
      if (held !== undefined) return held.season
      const name = parseLease(lease)
      return name === undefined ? undefined : yield* seasonOfWork(name.id)
    }),
    check: Effect.fnUntraced(function* (key, runner, results) {
      if (results.length === 0) return []
      const firsts = new Map(results.map(({ lease }, i) => [lease, i] as const).toReversed()) // of a result that is sent twice the first counts
      const heldOf = ({ lease }: LeasedResult, i: number) =>
        firsts.get(lease) === i
          ? Effect.map(newest(lease, runner), (found) => (found?.key === key.id ? found : undefined))
          : Effect.undefined
      const held = yield* Effect.forEach(results, heldOf, TOGETHER)
      const placeOf = (i: number) => (runner === undefined ? "" : `results.${i}.`) // sent by itself, it is the whole body
      const errors = results.flatMap((result, i) => (held[i] ? faultsOf(result, held[i], placeOf(i), known) : []))
      if (errors.length > 0) return yield* new InvalidRequest({ detail: errors[0]!.message, errors })
      const reported = results.map((result, i) =>
        held[i] || !isFinished(result) ? result : ({ kind: "unheld", lease: result.lease } as const)
      )
      return yield* takeOver(reported, placeOf)
    }),
    ask: (season, commands) => asked(actors, season, commands)
  })
})

/** Takes over the replays of results, as rows or as objects. */
const makeTakeOver = Effect.gen(function* () {
  const [objects, uploads] = [yield* ObjectStore, yield* ReplayUploads]
  const mayBeRows = yield* makeMayBeRows(yield* SharesRunners)
  return Effect.fnUntraced(function* (reported: ReadonlyArray<Reported>, placeOf: (i: number) => string) {
    const areRows = yield* mayBeRows
    yield* takeReplays({ objects, uploads, areRows }, reported, placeOf)
    return areRows ? reported : reported.map(withoutText)
  })
})

/** Reads an open lease from the rows, in one statement with others that are asked for meanwhile, and remembers it. */
const makeReadHolding = Effect.fnUntraced(function* (holdings: Holdings) {
  const queries = yield* makeQueries
  const held = yield* gathered((leases) =>
    Effect.map(Effect.orDie(queries.held(leases)), (rows) => new Map(rows.map((row) => [row.lease, row])))
  )
  return Effect.fnUntraced(function* (lease: string) {
    const found = parseLease(lease) === undefined ? undefined : yield* held(lease)
    if (found !== undefined) holdings.add(found)
    return found
  })
})

/** Reads a runner's leases from the rows, in one statement with those of others who ask meanwhile, and remembers them. */
const makeHeldBy = Effect.fnUntraced(function* (holdings: Holdings) {
  const queries = yield* makeQueries
  const held = yield* gathered((ids) => Effect.map(Effect.orDie(queries.heldBy(ids)), (rows) => Map.groupBy(rows, ({ runner }) => runner)))
  return Effect.fnUntraced(function* (runner: string) {
    const leases = (yield* held(runner)) ?? []
    holdings.know(runner, leases)
    return leases
  })
})

/** Undefined where the season is closed. A runner with more slots than an ask may hold sends several asks, which do not depend on each other. */
const asked = (
  actors: SeasonActors["Service"],
  season: string,
  commands: ReadonlyArray<Command>
): Effect.Effect<ReadonlyArray<Reply> | undefined, Unavailable> => {
  if (commands.length === 0) return Effect.succeed([])
  const asks = Array.from({ length: Math.ceil(commands.length / COMMANDS_MAX) }, (_, i) =>
    actors.askAll(season, commands.slice(i * COMMANDS_MAX, (i + 1) * COMMANDS_MAX))
  )
  const replies = asks.length === 1 ? asks[0]! : Effect.map(Effect.all(asks), (replies) => replies.flat() as ReadonlyArray<Reply>)
  return Effect.catchTags(replies, { SeasonClosed: () => Effect.undefined, Unavailable: () => unavailable })
}

/** Counts a result that was accepted for the first time; flags its runner where its key reports engine failures too often. */
const makeNoteFault = Effect.fnUntraced(function* (holdings: Holdings) {
  const voiding = yield* MatchVoiding
  const faults = new FaultShares()
  return Effect.fnUntraced(function* (key: string, season_id: string, result: Reported) {
    const isFault = result.kind === "match" && "fault_reason" in result && result.fault_reason === "engine_fault"
    if (result.kind !== "match" || !faults.note(key, isFault)) return
    const runner = holdings.get(result.lease)?.runner
    if (runner === undefined) return
    const suspect = { season_id, match: parseLease(result.lease)!.id, detail: "Too many matches of its key ended in engine_fault." }
    yield* voiding
      .flag(runner, suspect)
      .pipe(Effect.catchCause((cause) => Effect.logWarning("a runner was not flagged", { runner }, cause)))
  })
})

const makeTell = Effect.fnUntraced(function* (holdings: Holdings) {
  const objects = yield* ObjectStore
  const actors = yield* SeasonActors
  const store = yield* SeasonStore
  const seasons = yield* OpenSeasons
  const payloads = yield* LeasePayloads
  const traces = yield* Traces
  const keepReplay = yield* makeKeepReplay
  const noteFault = yield* makeNoteFault(holdings)

  /** The machine's answer, or the answer from the rows where the work is no longer open. */
  const settled = (season: string, lease: string, key: string, receipt: Receipt | undefined): Effect.Effect<Receipt, Unavailable> =>
    receipt !== undefined && (receipt.accepted || receipt.reason !== "unknown")
      ? Effect.succeed(receipt)
      : Effect.catchTag(store.answerOf(season, lease, key), "StoreFailed", () => unavailable)

  const take = (runner: OpenRunner, season: OpenSeason, works: ReadonlyArray<Work>) => {
    for (const work of works) {
      holdings.add({ lease: work.lease, runner: runner.id, key: runner.key_id, season: season.id, ...boundsOf(work) })
    }
    return payloads.of(season, works)
  }

  return Effect.fnUntraced(function* (caller: Caller, season: string, said: Said) {
    const { key, runner } = caller
    const since = traces?.now()
    const open = said.max > 0 ? seasons.get(season) : undefined
    const results = said.results.map((result) => ({ result, lease: result.lease, command: commandOf(key.id, result) }))
    const commands = results.flatMap(({ command }) => command ?? [])
    if (said.lost !== undefined) commands.push({ _tag: "HoldOnly", runner: runner.id, holds: said.lost.holds, among: said.lost.leases })
    if (open !== undefined) commands.push(leaseCommand(caller, open, said.max))
    const replies = yield* asked(actors, season, commands)
    const receipts: Array<LeasedAcceptance> = []
    let next = 0
    const [accepted, reported]: [Array<Reported>, Array<string>] = [[], []]
    const first = (reply: Reply | undefined) => (reply as Receipt | undefined)?.accepted === true
    for (const { command, lease, result } of results) {
      const reply = command === undefined ? undefined : (replies?.[next++] as Receipt | undefined)
      if (first(reply) && result.kind === "match") reported.push(lease)
      if (first(reply)) yield* noteFault(key.id, season, result)
      const receipt = yield* settled(season, lease, key.id, reply)
      if (receipt.accepted && receipt.replay_kept !== true) yield* keepReplay(result)
      if (!receipt.accepted && receipt.reason === "malformed") {
        if (result.kind === "unheld") return yield* unavailable // it is held now: sent again, it is looked at
        return yield* new InvalidRequest({ detail: receipt.detail, errors: [{ path: "results", message: receipt.detail }] })
      }
      if (receipt.accepted || receipt.reason !== "unknown") holdings.drop(lease) // unknown: it may be another runner's
      if (receipt.accepted && (result.kind === "unheld" || isFinished(result))) accepted.push(result)
      receipts.push({ lease, accepted: receipt.accepted, reason: receipt.accepted ? null : receipt.reason })
    }
    const works = open === undefined ? [] : ((replies?.at(-1) ?? []) as Replies["LeaseWork"])
    if (since !== undefined) traces!.told({ since, season, runner: runner.id, results: reported, works })
    yield* dropUploads(objects, accepted)
    if (works.length === 0) return { receipts, works: [] }
    yield* MatchLines.leased(season, runner.id, works)
    return { receipts, works: yield* take(runner, open!, works) }
  })
})

/** The bounds that results of this work are checked against. */
const boundsOf = (work: Work) =>
  work.kind === "match" ? { seats: work.versions.length, max_turns: work.rules.max_turns, strike_limit: work.rules.strike_limit } : NO_MATCH

const leaseCommand = ({ key, runner }: Caller, season: OpenSeason, max: number): Command => ({
  _tag: "LeaseWork",
  runner: runner.id,
  key: key.id,
  fleet: key.season_id === null ? "platform" : "own",
  engine_digest: plays(runner, season) ? season.engine_digest : null,
  matches: runner.accepts.includes("match"),
  admissions: runner.accepts.includes("admission"),
  max
})

/** Whether the runner has exactly the engine that the season uses. */
export const plays = (runner: OpenRunner, season: OpenSeason): boolean =>
  runner.engines.some(({ engine_digest, game }) => game === season.game && engine_digest === season.engine_digest)
