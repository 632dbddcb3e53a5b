/**
 * One message to a season's actor with what one runner says and asks: results, lost leases and the request for
 * work. A result whose work is no longer open is answered from its rows.
 */

import { invalidField, type Unavailable } from "@agon/api/Problem.ts"
import type { LeasedAcceptance } from "@agon/api/runner/protocol.ts"
import type { Command, Receipt, Replies, Reply, Work } from "@agon/domain/season/Command.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import { Effect } from "effect"
import { moving } from "../../actor/asked.ts"
import { COMMANDS_MAX } from "../../actor/Mailbox.ts"
import * as MatchLines from "../../actor/MatchLines.ts"
import { Traces } from "../../actor/MatchTraces.ts"
import { type OpenSeason, OpenSeasons } from "../../actor/OpenSeasons.ts"
import { SeasonActors } from "../../actor/SeasonActors.ts"
import { SeasonStore } from "../../actor/SeasonStore.ts"
import { MatchVoiding } from "../../match/MatchVoiding.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { type Holdings, NO_MATCH } from "../session/Holdings.ts"
import type { Caller } from "../session/Runners.ts"
import type { OpenRunner } from "../session/sessionQueries.ts"
import { type LeasePayload, LeasePayloads } from "../work/LeasePayloads.ts"
import { makeDropUploads } from "./dropUploads.ts"
import { FaultShares } from "./FaultShares.ts"
import { makeKeepReplay } from "./keepReplay.ts"
import { commandOf, isFinished, type Reported } from "./results.ts"

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
  /** The leases of these. */
  readonly leases: ReadonlyArray<string>
}

const unavailable = Effect.fail(moving)

/** Leases that are given to runners, and those that end, are noted in `holdings`. */
export const makeTell = Effect.fnUntraced(function* (holdings: Holdings) {
  const actors = yield* SeasonActors
  const seasons = yield* OpenSeasons
  const traces = yield* Traces
  const answered = yield* makeAnswered(holdings)

  return Effect.fnUntraced(function* (caller: Caller, season: string, said: Said) {
    const { key, runner } = caller
    const since = traces?.now()
    const open = said.max > 0 ? seasons.get(season) : undefined
    const results = said.results.map((result) => ({ result, lease: result.lease, command: commandOf(key.id, result) }))
    const commands = results.flatMap(({ command }) => command ?? [])
    if (said.lost !== undefined) commands.push({ _tag: "HoldOnly", runner: runner.id, holds: said.lost.holds, among: said.lost.leases })
    if (open !== undefined) commands.push(leaseCommand(caller, open, said.max))
    const replies = yield* askedByRunner(actors, season, commands)
    const works = open === undefined ? [] : ((replies?.at(-1) ?? []) as Replies["LeaseWork"])
    /** Without an answer the work would be nobody's until its leases have run out. */
    const giveBack = Effect.suspend(() => {
      const leases = works.map(({ lease }) => lease)
      for (const lease of leases) holdings.drop(lease)
      const command = { _tag: "HoldOnly", runner: runner.id, holds: [], among: leases } as const
      return leases.length === 0 ? Effect.void : Effect.ignore(askedByRunner(actors, season, [command]))
    })
    return yield* Effect.onError(answered({ caller, open, results, season, since, replies, works }), () => giveBack)
  })
})

/** A message to a season, and what it has replied. */
interface Replied {
  readonly caller: Caller
  readonly season: string
  readonly open: OpenSeason | undefined
  readonly results: ReadonlyArray<{ readonly result: Reported; readonly lease: string; readonly command: Command | undefined }>
  readonly since: bigint | undefined
  readonly replies: ReadonlyArray<Reply> | undefined
  readonly works: ReadonlyArray<Work>
}

/** Makes the answer to the runner, from what the season has replied. */
const makeAnswered = Effect.fnUntraced(function* (holdings: Holdings) {
  const dropUploads = yield* makeDropUploads(yield* ObjectStore)
  const store = yield* SeasonStore
  const payloads = yield* LeasePayloads
  const traces = yield* Traces
  const keepReplay = yield* makeKeepReplay
  const noteFault = yield* makeNoteFault(holdings)

  const take = (runner: OpenRunner, season: OpenSeason, works: ReadonlyArray<Work>) => {
    for (const work of works) {
      holdings.add({ lease: work.lease, runner: runner.id, key: runner.key_id, season: season.id, ...boundsOf(work) })
    }
    return payloads.of(season, works)
  }

  return Effect.fnUntraced(function* ({ caller: { key, runner }, open, results, season, since, replies, works }: Replied) {
    const receipts: Array<LeasedAcceptance> = []
    const [accepted, reported]: [Array<Reported>, Array<string>] = [[], []]
    let next = 0
    const replied = results.map(({ command }) => (command === undefined ? undefined : (replies?.[next++] as Receipt | undefined)))
    const unsettled = results.flatMap(({ lease }, i) => (isSettled(replied[i]) ? [] : [lease]))
    const read = unsettled.length === 0 ? undefined : yield* readAgain(store, season, key.id, unsettled)
    for (const [i, { lease, result }] of results.entries()) {
      const reply = replied[i]
      const isAccepted = reply?.accepted === true
      if (isAccepted && result.kind === "match") reported.push(lease)
      if (isAccepted) yield* noteFault(key.id, season, result)
      const receipt = isSettled(reply) ? reply! : yield* read!.get(lease)!
      if (receipt.accepted && receipt.replay_kept !== true) yield* keepReplay(result)
      if (!receipt.accepted && receipt.reason === "malformed") {
        if (result.kind === "unheld") return yield* unavailable // it is held now: sent again, it is looked at
        return yield* invalidField("results", receipt.detail)
      }
      if (receipt.accepted || receipt.reason !== "unknown") holdings.drop(lease) // unknown: it may be another runner's
      if (receipt.accepted && receipt.answered !== true && (result.kind === "unheld" || isFinished(result))) accepted.push(result)
      receipts.push({ lease, accepted: receipt.accepted, reason: receipt.accepted ? null : receipt.reason })
    }
    if (since !== undefined) traces!.told({ since, season, runner: runner.id, results: reported, works })
    yield* dropUploads(accepted)
    if (works.length === 0) return { receipts, works: [], leases: [] }
    yield* MatchLines.leased(season, runner.id, works)
    return { receipts, works: yield* take(runner, open!, works), leases: works.map(({ lease }) => lease) }
  })
})

/** The machine's answer, which needs no look at the rows. */
const isSettled = (receipt: Receipt | undefined) => receipt !== undefined && (receipt.accepted || receipt.reason !== "unknown")

/**
 * The answers from the rows where the work is no longer open. They share their statements, and so do those of other requests: a runner that
 * repeats its results does not wait behind all that others repeat.
 */
const readAgain = (store: SeasonStore["Service"], season: string, key: string, leases: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(leases, (lease) => Effect.exit(Effect.catchTag(store.answerOf(season, lease, key), "StoreFailed", () => unavailable)), {
      concurrency: "unbounded"
    }),
    (exits) => new Map(exits.map((exit, i) => [leases[i]!, exit]))
  )

/** Undefined where the season is closed. A runner with more slots than an ask may hold sends several asks, which do not depend on each other. */
export const askedByRunner = (
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

/**
 * Counts a result that was accepted for the first time; flags its runner where its key reports engine failures too often. One that a
 * runner of the platform is excused from does not count.
 */
const makeNoteFault = Effect.fnUntraced(function* (holdings: Holdings) {
  const voiding = yield* MatchVoiding
  const faults = new FaultShares()
  return Effect.fnUntraced(function* (key: string, season_id: string, result: Reported) {
    if (result.kind !== "match") return
    const isFault = "fault_reason" in result && result.fault_reason === "engine_fault"
    if (!isFault && !faults.note(key, false)) return // nearly every result
    const id = holdings.get(result.lease)?.runner
    const of = { season_id, match: parseLease(result.lease)!.id }
    const flagging = Effect.gen(function* () {
      if (isFault && id !== undefined && (yield* voiding.excuses({ id, key }, of))) return
      if ((isFault && !faults.note(key, true)) || id === undefined) return
      yield* voiding.flag({ id, key }, { ...of, detail: "Too many matches of its key ended in engine_fault." })
    })
    yield* Effect.catchCause(flagging, (cause) => Effect.logWarning("a runner was not flagged", { runner: id }, cause))
  })
})

/** The bounds that results of this work are checked against. */
const boundsOf = (work: Work) =>
  work.kind === "match"
    ? {
        seats: work.versions.length,
        max_turns: work.rules.max_turns,
        strike_limit: work.rules.strike_limit,
        is_finals: work.is_finals
      }
    : NO_MATCH

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
