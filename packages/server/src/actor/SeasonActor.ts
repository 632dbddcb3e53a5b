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
import type { Command, Reply } from "@agon/domain/season/Command.ts"
import { returned } from "@agon/domain/season/clock/Absence.ts"
import type { Event } from "@agon/domain/season/Event.ts"
import { isDirty } from "@agon/domain/season/isDirty.ts"
import { rowOf } from "@agon/domain/season/Repeats.ts"
import type { LadderRating } from "@agon/domain/season/rating/LadderRating.ts"
import { isLookDue } from "@agon/domain/season/rating/Learning.ts"
import { awaitsFold } from "@agon/domain/season/rating/Starts.ts"
import { deadline, step } from "@agon/domain/season/Season.ts"
import { restore, type State } from "@agon/domain/season/State.ts"
import { mayGiveWork } from "@agon/domain/season/scheduler/Leases.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { forecast } from "@agon/domain/season/waiting/Forecast.ts"
import { begin, observe } from "@agon/domain/season/waiting/Pace.ts"
import { Cause, Clock, Data, Duration, Effect, type Exit, type Fiber, type Tracer } from "effect"
import { restarts } from "../process/restarts.ts"
import { Standstill } from "../process/Standstill.ts"
import { type Asked, askedOf, nextBatch } from "./Batch.ts"
import * as ClockGuard from "./ClockGuard.ts"
import * as Folding from "./Folding.ts"
import * as Learning from "./Learning.ts"
import * as Mailbox from "./Mailbox.ts"
import * as MatchLines from "./MatchLines.ts"
import { Traces } from "./MatchTraces.ts"
import { type PublishedEvent, SeasonEvents, type SeasonName } from "./SeasonEvents.ts"
import * as SeasonMetrics from "./SeasonMetrics.ts"
import { type Fence, type Fenced, SeasonStore } from "./SeasonStore.ts"

const CLAIM_TIMEOUT = Duration.seconds(30)
export const COMMIT_TIMEOUT = Duration.seconds(10)
/**
 * Caches are purged within this time, or entries live on until they expire: a season does not
 * wait for a listener that hangs.
 */
export const TELL_TIMEOUT = Duration.seconds(2)
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
  guard.reached(state.now)
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
  const standstill = yield* Standstill
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
  let still_ms = standstill.total_ms()
  let folding: Fiber.Fiber<void> | undefined
  let learning: Fiber.Fiber<void> | undefined
  while (state.phase !== "closed") {
    if (state.now > guard.latest()) return yield* new ClockWentBack() // the next claim puts the season's time right
    if (awaitsFold(state) && isOver(folding)) folding = yield* Effect.forkScoped(Folding.untilDone(beside))
    if (isLookDue(state) && isOver(learning)) learning = yield* Effect.forkScoped(Learning.look(beside))
    const batch = yield* nextBatch(mailbox, isDirty(state) ? 0 : Math.min(deadline(state), fence.waiting.due))
    believed = yield* isBelieved(guard, believed)
    if (guard.ahead() > 0) state.writes.head = true // so that a commit reads the database's clock again
    const asked = yield* askedOf(store, state, batch)
    const now = yield* Clock.currentTimeMillis
    if (guard.ahead() === 0) still_ms = stoodStill(state, { since: still_ms, until: standstill.total_ms(), now, latest: guard.latest() })
    const replies = stepEach(state, asked, now)
    guard.reached(state.now)
    let happened: ReadonlyArray<PublishedEvent> = mayGiveWork(state) ? state.events : state.events.filter(isNotWork)
    let commit: Tracer.Span | undefined
    if (isDirty(state) || fence.waiting.due <= now) {
      const begun = guard.clock.monotonicTimeNanosUnsafe()
      const since = traces?.now()
      fence = yield* Effect.timeout(store.commit(fence, state), COMMIT_TIMEOUT)
      guard.take(fence.at)
      yield* SeasonMetrics.counted(state, { asks: batch.length, commit_ms: Number(guard.clock.monotonicTimeNanosUnsafe() - begun) / 1e6 })
      yield* MatchLines.ended(state)
      if (state.writes.keptBack.length > 0) yield* MatchLines.keptBack(state)
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
 * The process stood still, by its count of such times from `since` to `until`, ms. To the season that is an absence, which began after what
 * was due until then. A season that another node has taken over meanwhile is fenced with the commit.
 */
const stoodStill = (state: State, { since, until, ...clock }: Record<"since" | "until" | "now" | "latest", number>): number => {
  if (until > since && clock.now > state.now) {
    step(state, TICK, Math.max(state.now, clock.now - (until - since)))
    if (state.phase !== "closed") returned(state, clock)
  }
  return until
}

/** Says once that the host's clock is not believed. */
const isBelieved = (guard: ClockGuard.ClockGuard, before: boolean): Effect.Effect<boolean> => {
  const [ahead_ms, behind_ms] = [guard.ahead(), guard.behind()]
  const why =
    ahead_ms > 0
      ? { said: "the host's clock is ahead of the database's and is not believed", off: { ahead_ms } }
      : behind_ms > ClockGuard.AHEAD_MAX_MS
        ? { said: "the host's clock is behind the season's and is not believed", off: { behind_ms } }
        : undefined
  const isNew = why !== undefined && before
  return Effect.as(isNew ? Effect.logWarning(why.said, why.off) : Effect.void, why === undefined)
}

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
