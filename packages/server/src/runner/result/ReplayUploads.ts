/**
 * Removes uploaded replays that no accepted result has taken over: the runner died before it reported,
 * reported too late, or was refused. The store itself is listed, so nothing has to be remembered across a restart;
 * nodes that sweep at once repeat each other's work, harmlessly.
 *
 * A result that was refused after its replay was taken over has left a copy beside the accepted one. Once the
 * match has ended with another replay, the copy is found by the hash of its upload and removed with it. A
 * lease has one upload, and results of one match may have brought several replays: those are remembered by
 * hash (TakenReplays.ts). A replay that came in its result is written with the match
 * (object/InlineReplays.ts) and leaves nothing.
 */

import { parseLease } from "@agon/domain/season/Lease.ts"
import { hashOf } from "@agon/engine/hash.ts"
import { REPLAY_BYTES_MAX } from "@agon/engine/replay/parseReplay.ts"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { SharedClock } from "../../database/SharedClock.ts"
import { REPLAY_UPLOADS, replayKey } from "../../object/keys.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { makeQueries } from "./replayQueries.ts"
import { type Copy, TakenReplays } from "./TakenReplays.ts"

/** A runner reports right after its upload; one that has not by then plays the match again. */
export const LEFT_MS = 3_600_000
/** So long after the start as well: where the service was away for hours, runners have waited with their results until then. */
const SWEEP_EVERY = "10 minutes"
const PAGE = 500
/** Pages of one sweep; the next sweep starts again at the front, where the oldest are. */
const PAGES_MAX = 40

export class ReplayUploads extends Context.Service<
  ReplayUploads,
  {
    /** To be called before the replay of a result is taken over; false where the lease has had too many others. */
    readonly take: (lease: string, hash: string) => boolean
    /** Answers how many uploads were removed. */
    readonly sweep: Effect.Effect<number>
  }
>()("agon/ReplayUploads") {
  static readonly layer: Layer.Layer<ReplayUploads, never, SqlClient.SqlClient | ObjectStore> = Layer.effect(
    ReplayUploads,
    Effect.gen(function* () {
      const taken = new TakenReplays()
      const sweep = yield* makeSweep(taken)
      yield* sweep.pipe(Effect.schedule(Schedule.spaced(SWEEP_EVERY)), Effect.forkScoped)
      return ReplayUploads.of({ sweep, take: (lease, hash) => taken.take(lease, hash) })
    })
  ).pipe(Layer.provide(SharedClock.layer))
}

const makeSweep = Effect.fnUntraced(function* (taken: TakenReplays) {
  const objects = yield* ObjectStore
  const queries = yield* makeQueries
  const shared = yield* SharedClock

  /** Removes a copy that is not the object of the match's final replay; false while the match is open. */
  const dropCopy = Effect.fnUntraced(function* ({ hash, match }: Copy) {
    const [found] = yield* queries.endedWith(match)
    if (found === undefined || found.live) return false
    if (found.object_hash !== hash) yield* objects.remove(replayKey(match, hash))
    return true
  })

  const dropSeveral = Effect.suspend(() =>
    Effect.forEach(taken.several(), (copy) => Effect.map(dropCopy(copy), (ended) => (ended ? taken.forget(copy) : undefined)), {
      concurrency: 8,
      discard: true
    })
  )

  /**
   * Answers how many were removed: none where it has a copy and the match is open, since the
   * copy is not found without it.
   */
  const empty = Effect.fnUntraced(function* (key: string) {
    const lease = parseLease(key.slice(REPLAY_UPLOADS.length))
    const bytes = yield* Effect.catchTag(objects.get({ key, max_bytes: REPLAY_BYTES_MAX }), "ObjectTooLarge", () => Effect.succeedNone)
    if (lease !== undefined && Option.isSome(bytes)) {
      const copy = { match: lease.id, hash: hashOf(bytes.value) }
      if (!(yield* dropCopy(copy)) && Option.isSome(yield* objects.stat(replayKey(copy.match, copy.hash)))) return 0
    }
    yield* objects.remove(key)
    return 1
  })

  return Effect.gen(function* () {
    yield* dropSeveral
    const before = (yield* shared.now_ms) - LEFT_MS
    let emptied = 0
    let after: string | undefined
    for (let pages = 0; pages < PAGES_MAX; pages++) {
      const page = yield* objects.list({ prefix: REPLAY_UPLOADS, after, limit: PAGE })
      const left = page.filter(({ modified_at }) => modified_at < before)
      for (const removed of yield* Effect.forEach(left, ({ key }) => empty(key), { concurrency: 8 })) emptied += removed
      if (page.length < PAGE) break
      after = page.at(-1)!.key
    }
    return emptied
  }).pipe(
    Effect.withSpan("ReplayUploads.sweep"),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("uploads that nobody reported were not removed", cause), 0))
  )
})
