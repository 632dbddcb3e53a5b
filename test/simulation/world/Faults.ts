/** A store that fails as databases do: refuses a commit, writes it and loses the answer, or takes its time. */
import { Effect } from "effect"
import type { State } from "@agon/domain/season/State.ts"
import { SeasonStore, StoreFailed } from "@agon/server/season/SeasonStore.ts"

export type Fault = "none" | "refused" | "written but reported failed" | "slow"

export interface Faults {
  readonly store: SeasonStore["Service"]
  /** What becomes of the next commit. */
  next: Fault
  /** Calls of the store that have not come back. */
  busy: number
  /** Commits held back: what was due may not be in the rows yet. */
  late: number
  /** The actor's state, while it is what its rows say. */
  clean: State | undefined
}

/** `written` sees the rows after every commit that was written, and after every claim. */
export const make = (store: SeasonStore["Service"], written: Effect.Effect<void>): Faults => {
  const counted = <A, E>(call: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      faults.busy++
      return Effect.onExit(call, () => Effect.sync(() => void faults.busy--))
    })
  const slowly = <A, E>(commit: Effect.Effect<A, E>) =>
    Effect.suspend(() => {
      faults.late++
      return Effect.onExit(Effect.andThen(Effect.sleep("50 millis"), commit), () => Effect.sync(() => void faults.late--))
    })
  const faults: Faults = {
    next: "none",
    busy: 0,
    late: 0,
    clean: undefined,
    store: SeasonStore.of({
      ...store,
      answerOf: (season, lease, key) => counted(store.answerOf(season, lease, key)),
      claim: (season) => counted(Effect.tap(store.claim(season), () => written)),
      commit: (fence, state) =>
        Effect.suspend(() => {
          const fault = faults.next
          faults.next = "none"
          faults.clean = undefined
          const failed = Effect.fail(new StoreFailed({ season: fence.season, cause: fault }))
          if (fault === "refused") return failed
          const commit = counted(Effect.tap(store.commit(fence, state), () => written))
          if (fault === "written but reported failed") return Effect.andThen(commit, failed)
          const kept = Effect.tap(commit, () => Effect.sync(() => void (faults.clean = state)))
          return fault === "slow" ? slowly(kept) : kept
        })
    })
  }
  return faults
}
