/**
 * The runner's loop. All of its requests are safe to repeat, so every call is repeated until it is answered.
 *
 *   open a session ─▶ ┌─ lease: what it holds, results of what it finished, room for more ─▶ start each piece of work ─┐
 *                     └──────────────────── a result is there, a slot came free, or the poll ended ◀───────────────────┘
 *   at the same time, every heartbeat_s: heartbeat; work whose lease is lost is stopped.
 *
 * Results that a request cannot bring, since their season is away, are told beside the loop (lateResults.ts).
 *
 * A long poll is aborted when a result is ready. If its answer with new work is lost, that work is missing
 * from `holds` in the next request, and the service takes it back.
 *
 *   stopped or drained ─▶ no new work ─▶ what runs ends and is reported, for finish_s at most ─▶ the session is closed
 *                              └──────────── told to hurry ────────────────────────────────────────▲
 *
 * The service takes back what a closed session still held, so a runner that ends leaves nothing that has to run out.
 */

import type { Client } from "@agon/api/Client.ts"
import type { InvalidRequest, NotFound } from "@agon/api/Problem.ts"
import { Told } from "@agon/api/program/Told.ts"
import type { LeaseAnswer, OpenSession, RunnerSession, Work } from "@agon/api/runner/protocol.ts"
import { Effect, Fiber, Latch, type Scope } from "effect"
import { beat } from "./heartbeats.ts"
import { type Late, tellLate } from "./lateResults.ts"
import { ask } from "./leaseRequests.ts"
import * as MatchSpans from "./MatchSpans.ts"
import { makePauses } from "./pauses.ts"
import { drain, leasesOf, type State } from "./RunnerState.ts"
import { type Done, requestOf } from "./results.ts"
import { CLOSE_S } from "./stopping.ts"
import { makeUntilAnswered } from "./untilAnswered.ts"
import { Worker } from "./Worker.ts"

/** How long a stop may take. */
export interface Stopping {
  /** For what is being played. */
  readonly finish_s: number
  /** Resumes once nobody waits for that. */
  readonly hurry: Effect.Effect<void>
}

/** Runs until it is drained or its scope closes. */
export const run = (client: Client, about: OpenSession, stopping: Stopping): Effect.Effect<void, never, Worker | Scope.Scope> =>
  Effect.gen(function* () {
    const untilAnswered = makeUntilAnswered()
    const opened = untilAnswered("open a session", client.runner.openSession({ payload: about })).pipe(
      Effect.mapError(notOpened),
      Effect.orDie
    )
    const [news, drains, isLate] = [yield* Latch.make(), yield* Latch.make(), yield* Latch.make()]
    const opening = Effect.map(
      opened,
      (session): State => ({
        session,
        draining: false,
        untilAnswered,
        running: new Map(),
        done: [],
        late: [],
        isLate,
        failed: false,
        reports: new Map(),
        news,
        drains
      })
    )
    const state = yield* Effect.acquireRelease(opening, (open) => close(client, open), { interruptible: true })
    yield* Effect.logInfo("runner ready", { runner: state.session.runner, slots: about.slots })
    yield* Effect.forkScoped(beat(client, state))
    yield* Effect.forkScoped(tellLate(client, untilAnswered, lateOf(state)))
    const looping = yield* Effect.acquireRelease(Effect.forkDetach(loop(client, state, about, opened)), (fiber) =>
      stop(state, fiber, stopping)
    )
    yield* Fiber.join(looping)
  })

/** Another service at AGON_URL, or an option that is refused: trying again would not mend it, so the runner ends. */
const notOpened = ({ detail }: NotFound | InvalidRequest) => new Told(`the service opens no session for this runner: ${detail}`)

const loop = Effect.fnUntraced(function* (client: Client, state: State, { slots }: OpenSession, opened: Effect.Effect<RunnerSession>) {
  const pauses = makePauses()
  while (!state.draining || state.running.size > 0 || state.done.length + state.late.length > 0) {
    yield* Latch.close(state.news)
    const results = requestOf(state.done, slots)
    const untold = state.done.slice(results.length)
    const room = state.draining ? 0 : slots - state.running.size - untold.length - state.late.length
    if (room <= 0 && results.length === 0) {
      yield* state.news.await
      continue
    }
    yield* pauses.begins
    const asking = ask(client, state, { results, untold }, room).pipe(
      Effect.catchTag("not_found", () => Effect.as(joinAgain(state, opened), "joined again" as const))
    )
    const answer = yield* results.length > 0 ? asking : Effect.raceFirst(asking, Effect.as(state.news.await, undefined))
    if (answer === undefined) continue
    const isAnswered = answer !== "joined again" && answer !== "late"
    if (answer === "late") yield* beside(state, results)
    const began = isAnswered ? yield* take(state, results, room, answer) : 0
    const isFruitful = (began > 0 && !state.failed) || (isAnswered && results.length > 0)
    // Work that came to nothing is no news to hurry for.
    const hurry = state.failed ? state.drains : state.news
    if (!isAnswered || !state.draining) yield* Effect.raceFirst(pauses.after(isFruitful), hurry.await)
  }
})

/** From now on these results are told beside the loop. */
const beside = (state: State, results: ReadonlyArray<Done>) => {
  const late = new Set(results)
  state.done = state.done.filter((one) => !late.has(one))
  state.late = [...state.late, ...results]
  return Latch.open(state.isLate)
}

const lateOf = (state: State): Late => ({
  next: Effect.andThen(
    state.isLate.await,
    Effect.sync(() => state.late)
  ),
  told: Effect.fnUntraced(function* (lease) {
    state.late = state.late.filter(({ work }) => work.lease !== lease)
    yield* MatchSpans.reported(state.reports, [lease])
    if (state.late.length === 0) yield* Latch.close(state.isLate)
    yield* Latch.open(state.news)
  })
})

/** Forgets the results that are told, and starts the work that was given; answers how much of it there is. */
const take = Effect.fnUntraced(function* (state: State, results: ReadonlyArray<Done>, room: number, answer: LeaseAnswer) {
  for (const { lease, reason } of answer.results) if (reason !== null) yield* Effect.logInfo("a result was not counted", { lease, reason })
  const told = new Set(results.map(({ work }) => work.lease))
  state.done = state.done.filter(({ work }) => !told.has(work.lease))
  yield* MatchSpans.reported(state.reports, told)
  if (answer.drain) yield* drain(state, "the service asks for it")
  // Work that is given to a runner that stops goes back when its session is closed.
  if (state.draining) return 0
  const given = newOf(state, answer.leases).slice(0, Math.max(0, room))
  for (const work of given) yield* start(state, work)
  return given.length
})

/** Each lease once, without those that the runner holds. A lease that is left out goes back, since it is missing from `holds`. */
const newOf = ({ done, late, running }: State, leases: ReadonlyArray<Work>): ReadonlyArray<Work> => {
  const held = new Set(leasesOf(running, [...done, ...late]))
  return leases.filter(({ lease }) => !held.has(lease) && held.add(lease))
}

/** The service does not know the session any more. */
const joinAgain = Effect.fnUntraced(function* (state: State, opened: Effect.Effect<RunnerSession>) {
  state.session = yield* opened
  yield* Effect.logInfo("runner has a new session", { runner: state.session.runner })
})

const start = Effect.fnUntraced(function* (state: State, work: Work) {
  const worker = yield* Worker
  const { kind, lease } = work
  yield* Effect.logDebug("work begins", { lease, kind })
  const playing = Effect.suspend(() => worker.work(work, state.session.inline_replay_bytes))
  const working = Effect.flatMap(MatchSpans.around(work, playing), (result) =>
    Effect.suspend(() => {
      state.done = [...state.done, { work, result }]
      state.failed = false
      return Effect.andThen(MatchSpans.reporting(state.reports, work), Effect.logDebug("work is done", { lease, kind }))
    })
  ).pipe(
    Effect.catchCause((cause) => {
      state.failed = true
      return Effect.logError("work failed and is given back", { lease, kind }, cause)
    }),
    Effect.ensuring(
      Effect.suspend(() => {
        state.running.delete(lease)
        return Latch.open(state.news)
      })
    )
  )
  // Set before the fiber can end: a forked fiber starts later.
  state.running.set(lease, yield* Effect.forkDetach(Effect.andThen(Effect.yieldNow, working)))
})

/** Finishes what it can in the time it has; closing the session gives back the rest. */
const stop = Effect.fnUntraced(function* (state: State, looping: Fiber.Fiber<void>, { finish_s, hurry }: Stopping) {
  if (looping.pollUnsafe() === undefined) {
    yield* drain(state, "it is stopped")
    if (state.running.size > 0) yield* Effect.logInfo("runner stops after the work in progress", { playing: state.running.size, finish_s })
  }
  yield* Latch.open(state.news)
  yield* Effect.raceFirst(Effect.timeoutOption(Fiber.await(looping), `${finish_s} seconds`), hurry)
  yield* Effect.forEach([...state.running.values()], (fiber) => Fiber.interrupt(fiber), { concurrency: "unbounded", discard: true })
  yield* Fiber.interrupt(looping)
})

/** A service that cannot be told finds out by itself: leases run out, and the runner is gone after a silence. */
const close = (client: Client, { session: { runner }, untilAnswered }: State): Effect.Effect<void> =>
  untilAnswered("close the session", client.runner.closeSession({ params: { runner } })).pipe(
    Effect.timeout(`${CLOSE_S} seconds`),
    Effect.catchCause((cause) => Effect.logDebug("the service was not told that this runner has ended", cause))
  )
