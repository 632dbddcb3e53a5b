/**
 * One season, one fiber: the only writer of its state, and of its rows but for seats, seeds and points that a fold writes
 * beside it (Folding.ts).
 *
 *   claim ──▶ take a batch, or the deadline passes ──▶ step each ──▶ commit in one statement ──▶ tell ──▶ answer ──┐
 *     ▲              ▲                                                     │                                       │
 *     │              └─────────────────────────────────────────────────────┼───────────────────────────────────────┤
 *     └── backoff ◀── anything failed: state thrown away, held replies fail ┤                                      │
 *                                    fenced: stop (the owner is elsewhere) ◀┘     closed: the actor ends ◀─────────┘
 *
 * A reply is never sent before its commit. A batch that changed nothing is answered without one.
 */

import { seldomFailed } from "@agon/api/program/seldom.ts"
import type { Command, Of, Reply } from "@agon/domain/season/Command.ts"
import { returned } from "@agon/domain/season/clock/Absence.ts"
import type { Event } from "@agon/domain/season/Event.ts"
import { isDirty } from "@agon/domain/season/isDirty.ts"
import type { LoggedMatch } from "@agon/domain/season/Log.ts"
import { rowOf } from "@agon/domain/season/Repeats.ts"
import { laddersRated } from "@agon/domain/season/Rules.ts"
import { type LadderRating, ratingName } from "@agon/domain/season/rating/LadderRating.ts"
import { isLookDue } from "@agon/domain/season/rating/Learning.ts"
import { awaitsFold } from "@agon/domain/season/rating/Starts.ts"
import type { Voiding } from "@agon/domain/season/rating/Voided.ts"
import { deadline, step } from "@agon/domain/season/Season.ts"
import { committed, restore, type State } from "@agon/domain/season/State.ts"
import { mayGiveWork } from "@agon/domain/season/scheduler/Leases.ts"
import { forecast } from "@agon/domain/season/waiting/Forecast.ts"
import { begin, observe } from "@agon/domain/season/waiting/Pace.ts"
import { Cause, Clock, Data, Duration, Effect, type Exit, type Fiber, Queue, type Tracer } from "effect"
import { restarts } from "../process/restarts.ts"
import * as ClockGuard from "./ClockGuard.ts"
import * as Folding from "./Folding.ts"
import * as Learning from "./Learning.ts"
import * as Mailbox from "./Mailbox.ts"
import * as MatchLines from "./MatchLines.ts"
import { Traces } from "./MatchTraces.ts"
import { type PublishedEvent, SeasonEvents, type SeasonName } from "./SeasonEvents.ts"
import * as SeasonMetrics from "./SeasonMetrics.ts"
import { type Fence, type Fenced, type SeasonLog, SeasonStore } from "./SeasonStore.ts"

const BATCH_MAX = 256
/**
 * In UTF-16 units. A commit's statement is some copies of the replays in it, and a hostile runner
 * sends a megabyte in each ask.
 */
const BATCH_REPLAYS_MAX = 4 * 1024 * 1024
const CLAIM_TIMEOUT = Duration.seconds(30)
export const COMMIT_TIMEOUT = Duration.seconds(10)
/** For reading a few rows by their keys. */
const LOG_TIMEOUT = Duration.seconds(5)
/**
 * Caches are purged within this time, or entries live on until they expire: a season does not
 * wait for a listener that hangs.
 */
export const TELL_TIMEOUT = Duration.seconds(2)
/** A timer of Node holds at most 24 days; waking once a day to find nothing due costs nothing. */
const WAIT_MAX_MS = 86_400_000
const TICK: Command = { _tag: "Tick" }

/** One incarnation: from the claim until it fails or the season closes. However it ends, no caller is left waiting. */
export const run = Effect.fnUntraced(
  function* (mailbox: Mailbox.Mailbox) {
    const events = yield* SeasonEvents
    const incarnation = yield* begun(mailbox)
    const { fence, name, state } = incarnation
    yield* Effect.logInfo("season claimed", { game: name.game, slug: name.slug, epoch: fence.epoch, open_matches: state.live.size })
    yield* announce(events.claimed(incarnation.name))
    yield* Mailbox.open(mailbox)
    // Scoped, since incarnations follow each other in one fiber: fibers forked by one end with it.
    yield* Effect.scoped(Effect.provideService(playing(mailbox, incarnation), Clock.Clock, incarnation.guard.clock))
    return yield* new Mailbox.SeasonClosed({ season: mailbox.season })
  },
  (self, mailbox) => Effect.onExit(self, (exit) => leave(mailbox, exit))
)

/** The database's clock was set back: by it the season's time would stand still, and with it every lease, for as long as that was. */
class ClockWentBack extends Data.TaggedError("ClockWentBack") {}

interface Incarnation {
  readonly fence: Fence
  readonly guard: ClockGuard.ClockGuard
  readonly name: SeasonName
  readonly state: State
}

/** A function of its own, so that the rows read, as large as the state, can be freed once the state is built. */
const begun = Effect.fnUntraced(function* ({ season }: Mailbox.Mailbox) {
  const store = yield* SeasonStore
  const { fence, name, snapshot } = yield* Effect.timeout(store.claim(season), CLAIM_TIMEOUT)
  const guard = yield* ClockGuard.make
  guard.take(fence.at)
  const state = restore(snapshot)
  returned(state, { now: guard.clock.currentTimeMillisUnsafe(), latest: guard.latest() })
  return { fence, guard, name, state } satisfies Incarnation
})

/**
 * Takes batch after batch until the season closes, on the guarded clock. Changes made by the return of
 * the season are written first.
 */
const playing = Effect.fnUntraced(function* (mailbox: Mailbox.Mailbox, incarnation: Incarnation) {
  const store = yield* SeasonStore
  const events = yield* SeasonEvents
  const traces = yield* Traces
  const { guard, name, state } = incarnation
  let { fence } = incarnation
  yield* SeasonMetrics.gaugesOf(name, state, mailbox)
  const pace = begin(state)
  mailbox.forecast = (versions, reach) => {
    const now = guard.clock.currentTimeMillisUnsafe()
    return versions.map((version) => forecast({ state, pace, reach, now }, version))
  }
  const beside = { mailbox, log: store.log, fence, state }
  let believed = true
  let folding: Fiber.Fiber<void> | undefined
  let learning: Fiber.Fiber<void> | undefined
  while (state.phase !== "closed") {
    if (state.now > guard.latest()) return yield* new ClockWentBack() // the next claim puts the season's time right
    if (awaitsFold(state) && isOver(folding)) folding = yield* Effect.forkScoped(Folding.untilDone(beside))
    if (isLookDue(state) && isOver(learning)) learning = yield* Effect.forkScoped(Learning.look(beside))
    const batch = yield* nextBatch(mailbox, isDirty(state) ? 0 : Math.min(deadline(state), fence.waiting.due))
    const ahead_ms = guard.ahead()
    if (ahead_ms > 0) {
      if (believed) yield* Effect.logWarning("the host's clock is ahead of the database's and is not believed", { ahead_ms })
      state.writes.head = true // so that a commit reads the database's clock again
    }
    believed = ahead_ms === 0
    const asked = batch.some(needsRows)
      ? yield* Effect.timeout(withRows(store, state, batch), LOG_TIMEOUT)
      : { commands: batch.map(commandsOf), written: NONE }
    const now = yield* Clock.currentTimeMillis
    const replies = stepEach(state, asked, now)
    let happened: ReadonlyArray<PublishedEvent> = mayGiveWork(state) ? state.events : state.events.filter(isNotWork)
    let commit: Tracer.Span | undefined
    if (isDirty(state) || fence.waiting.due <= now) {
      const begun_ms = performance.now()
      const since = traces?.now()
      fence = yield* Effect.timeout(store.commit(fence, state), COMMIT_TIMEOUT)
      guard.take(fence.at)
      yield* SeasonMetrics.counted(state, { asks: batch.length, commit_ms: performance.now() - begun_ms })
      yield* MatchLines.ended(state)
      if (since !== undefined) commit = traces!.committed(state, since, batch.length)
      if (fence.waiting.late.length > 0) happened = [...happened, written(state, fence.waiting.late)]
    }
    observe(pace, state)
    committed(state)
    if (happened.length > 0) yield* traced(commit, publish(events, name, happened))
    for (let i = 0; i < replies.length; i++) Mailbox.answer(mailbox, batch[i]!, replies[i]!)
  }
})

/**
 * The work that appeared in a batch was given away in it, or its ladders have as many matches in play as they
 * may: nobody is woken on any node, to ask for nothing.
 */
const isNotWork = ({ _tag }: Event): boolean => _tag !== "WorkAppeared"

const isOver = (fiber: Fiber.Fiber<void> | undefined): boolean => fiber === undefined || fiber.pollUnsafe() !== undefined

/**
 * Commands that are due come first. Once the season has closed, later commands of the batch are not stepped:
 * their callers get `SeasonClosed` when this incarnation ends.
 */
const stepEach = (state: State, { commands: batch, written }: Asked, now: number) => {
  const replies: Array<ReadonlyArray<Reply>> = []
  if (batch.length === 0 || deadline(state) <= now) step(state, TICK, now)
  for (const commands of batch) {
    if (state.phase === "closed") break
    replies.push(commands.map((command) => step(state, command, now, written.has(rowOf(command) ?? ""))))
  }
  return replies
}

/** A batch as it is stepped. */
interface Asked {
  readonly commands: ReadonlyArray<ReadonlyArray<Command>>
  /** Rows of commands that an earlier delivery has left. */
  readonly written: ReadonlySet<string>
}
const NONE: ReadonlySet<string> = new Set()

const commandsOf = ({ commands }: Mailbox.Held): ReadonlyArray<Command> => commands
const needsRows = ({ commands }: Mailbox.Held): boolean =>
  commands.some(
    (command) =>
      command._tag === "VoidMatch" || command._tag === "InstallFold" || rowOf(command) !== undefined || rightAsked(command) !== null
  )

/** The owner whose right to take part a command depends on. */
const rightAsked = (command: Command): string | null => {
  if (command._tag === "SwitchOwner") return command.removed === null ? command.owner : null
  return command._tag === "SubmitVersion" && command.eligible ? command.owner : null
}

/**
 * The commands of a batch; those about the log or an owner's right carry the rows that they need,
 * as the last commit left them.
 */
const withRows = Effect.fnUntraced(function* (
  { log, removed, written }: SeasonStore["Service"],
  state: State,
  batch: ReadonlyArray<Mailbox.Held>
) {
  const all = batch.map(commandsOf)
  const flat = all.flat()
  const voids = flat.flatMap((command) => (command._tag === "VoidMatch" ? [command.match] : []))
  const owners = new Set(flat.flatMap((command) => rightAsked(command) ?? []))
  const install = flat.find((command) => command._tag === "InstallFold")
  const found = new Map(voids.length === 0 ? [] : (yield* log.ended(state.id, voids)).map((match) => [match.id, match]))
  const out = owners.size === 0 ? owners : yield* removed(state.id, [...owners])
  const rows = install === undefined ? null : yield* foldRows(log, state, install)
  const filled = (command: Command): Command => {
    if (command._tag === "VoidMatch") return { ...command, found: found.get(command.match) ?? null }
    const owner = rightAsked(command)
    if (owner !== null && command._tag === "SwitchOwner") return { ...command, removed: out.has(owner) }
    if (owner !== null && command._tag === "SubmitVersion") return { ...command, eligible: !out.has(owner) }
    return command === install ? { ...install, rows } : command
  }
  const left = flat.flatMap((command) => rowOf(command) ?? [])
  return { commands: all.map((commands) => commands.map(filled)), written: left.length === 0 ? NONE : yield* written(state.id, left) }
})

/** The matches rated since the fold was last read, and ratings that the state does not hold. */
const foldRows = Effect.fnUntraced(function* (log: SeasonLog, state: State, { fold, tail_max }: Of<"InstallFold">) {
  const tail = yield* log.page(state.id, { round: fold.round, after: fold.n }, tail_max + 1, true)
  const held = new Set(state.ladders.flatMap(({ ladder, ratings }) => [...ratings.keys()].map((version) => ratingName(ladder, version))))
  const heirs = tail.seeds.flatMap(({ ladder, of, version }) => [of, version].map((each) => ({ ladder, version: each })))
  const courses = [...fold.courses.values(), ...heirs, ...[...tail.matches, ...state.voiding.values()].flatMap(seatedIn)]
  const versions = courses.filter(({ ladder, version }) => !held.has(ratingName(ladder, version))).map(({ version }) => version)
  return { tail, left: yield* log.left(state.id, [...new Set(versions)]) }
})

const seatedIn = (match: LoggedMatch | Voiding) => {
  const versions = "versions" in match ? match.versions : match.seats.map(({ version }) => version)
  return laddersRated(match.ladder).flatMap((ladder) => versions.map((version) => ({ ladder, version })))
}

const leave = (mailbox: Mailbox.Mailbox, exit: Exit.Exit<never, { readonly _tag: string }>) => {
  if (exit._tag === "Success") return Effect.void
  if (failed(exit.cause, "SeasonClosed")) return Mailbox.close(mailbox)
  return Mailbox.shut(mailbox, Cause.hasInterrupts(exit.cause) ? "the season is moving" : "the season is reloading")
}

const failed = (cause: Cause.Cause<{ readonly _tag: string }>, tag: string): boolean =>
  cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error._tag === tag)

/** Readers of these ratings since the change have seen the old rows: their cached answers are purged again. */
const written = (state: State, ratings: ReadonlyArray<LadderRating>): PublishedEvent => ({
  _tag: "RatingsWritten",
  ladders: [...new Set(ratings.map(({ ladder }) => ladder))],
  versions: ratings.map(({ version }) => version),
  models: ratings.flatMap(({ version }) => state.versions_by_id.get(version)?.model ?? [])
})

const publish = (events: SeasonEvents["Service"], name: SeasonName, happened: ReadonlyArray<PublishedEvent>) =>
  announce(events.publish(name, happened))

/** The purge of a commit that was traced is a span of it. */
const traced = (commit: Tracer.Span | undefined, publishing: Effect.Effect<void>) =>
  commit === undefined ? publishing : Effect.withSpan(publishing, "purge", { parent: commit, captureStackTrace: false })

/** A listener's failure changes nothing: the commit stands and its callers are answered. */
const announce = (telling: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.timeout(telling, TELL_TIMEOUT).pipe(
    Effect.catchCause((cause) => Effect.logError("season events", cause)),
    Effect.asVoid
  )

/**
 * Up to 256 asks, fewer where they bring long replays, or none when `until` passes first. The race against
 * the clock is on a `peek`, which takes nothing: an interrupted or lost race cannot swallow an ask. `take`
 * never suspends here, the actor being the only taker.
 */
const nextBatch = Effect.fnUntraced(function* ({ queue }: Mailbox.Mailbox, until: number) {
  if (Queue.sizeUnsafe(queue) === 0) {
    const wait_ms = until - (yield* Clock.currentTimeMillis)
    if (wait_ms <= 0) return []
    yield* Effect.timeoutOption(Queue.peek(queue), Math.min(wait_ms, WAIT_MAX_MS))
  }
  const batch: Array<Mailbox.Held> = []
  for (let replays = 0; batch.length < BATCH_MAX && replays < BATCH_REPLAYS_MAX; ) {
    const next = Queue.takeUnsafe(queue)
    if (next === undefined) break
    const held = yield* next
    batch.push(held)
    replays += replaysOf(held)
  }
  return batch
})

const replaysOf = ({ commands }: Mailbox.Held): number =>
  commands.reduce((sum, command) => sum + (command._tag === "ReportMatch" ? (command.outcome.replay?.content?.length ?? 0) : 0), 0)

/**
 * Incarnations one after another, with backoff, until fenced or closed. Defects count as failures: a
 * bug costs a reload, not the season. So does an interruption from within; an interruption of this
 * fiber itself runs no handler. Every incarnation claims anew, since a commit that was reported as
 * failed may still land until then.
 */
export const supervised = (mailbox: Mailbox.Mailbox): Effect.Effect<void, Fenced, SeasonStore | SeasonEvents> => {
  const reloads = seldomFailed("season reloads")
  return run(mailbox).pipe(
    Effect.catchCause((cause) => {
      if (failed(cause, "SeasonClosed")) return Effect.logInfo("season closed")
      if (failed(cause, "Fenced")) return Effect.fail({ stop: true, cause })
      return Effect.fail({ stop: false, cause })
    }),
    Effect.tapError(({ cause, stop }) => (stop ? Effect.logInfo("season fenced") : reloads(cause))),
    Effect.retry({ schedule: backoff, while: ({ stop }) => !stop }),
    Effect.mapError(({ cause }) => Cause.squash(cause) as Fenced),
    Effect.annotateLogs({ season: mailbox.season })
  )
}

/** A season that has been played for a while restarts at once, however often it failed before. */
const backoff = restarts("50 millis", "1 second")
