/**
 * Uploaded replays are taken over by runs that outlive the request: a runner waits 15 s for its answer and reports again, and a slow bucket
 * takes longer for what one replay needs, so that a run which ended with its request would never come to its end.
 *
 *   report ─▶ run of this upload ─▶ verdict ─▶ the request, if it still waits
 *   report again meanwhile ─▶ the same run;  soon after it was taken ─▶ the same verdict;  after any other end ─▶ a new run
 */
import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Deferred, Effect } from "effect"
import type { ObjectStore, ObjectsUnavailable, VerifyRequest, VerifyResult } from "../../object/ObjectStore.ts"

/** How long the verdict on a replay that was taken over is kept: a runner pauses some seconds before it reports again. */
const KEPT_FOR = "1 minute"
/** Uploads whose run or verdict is kept; those of a few thousand runners. */
const RUNS_MAX = 10_000

type Verify = ObjectStore["Service"]["verify"]

export const makeTakenOnce = Effect.fnUntraced(function* (verify: Verify) {
  const scope = yield* Effect.scope
  const runs = new CappedMap<string, Deferred.Deferred<VerifyResult, ObjectsUnavailable>>(RUNS_MAX)

  const run = Effect.fnUntraced(function* (name: string, request: VerifyRequest) {
    const verdict = Deferred.makeUnsafe<VerifyResult, ObjectsUnavailable>()
    runs.set(name, verdict)
    const forget = Effect.sync(() => {
      if (runs.get(name) === verdict) runs.delete(name)
    })
    const kept = Effect.suspend(() => verify(request)).pipe(
      Effect.onExit((exit) => Deferred.done(verdict, exit)),
      Effect.tap((found) => (typeof found === "string" ? Effect.void : Effect.sleep(KEPT_FOR))),
      Effect.ensuring(forget)
    )
    yield* Effect.forkIn(Effect.interruptible(Effect.exit(kept)), scope)
    return verdict
  }, Effect.uninterruptible)

  return (request: VerifyRequest): ReturnType<Verify> => {
    const name = `${request.key} ${request.sha256}`
    return Effect.suspend(() => {
      const known = runs.get(name)
      return known === undefined ? Effect.flatMap(run(name, request), Deferred.await) : Deferred.await(known)
    })
  }
})
