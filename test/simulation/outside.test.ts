import { setTimeout as pause } from "node:timers/promises"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { inMemory, type Watching } from "./simulation.ts"
import * as Chance from "./world/Chance.ts"
import { recorded } from "./world/Course.ts"
import * as Outside from "./world/Outside.ts"

const LONGEST_MS = 3

/** A store each of whose calls takes real time: now none, now some turns of the loop, now milliseconds. */
const late = (store: SeasonStore["Service"], chance: Chance.Chance): SeasonStore["Service"] => {
  const wait = Effect.promise(() => (chance.in(0.5) ? Promise.resolve() : pause(chance.between(0, LONGEST_MS))))
  const lately = <Args extends ReadonlyArray<unknown>, A, E>(call: (...args: Args) => Effect.Effect<A, E>) => {
    return (...args: Args) =>
      Effect.andThen(
        wait,
        Effect.ensuring(
          Effect.suspend(() => call(...args)),
          wait
        )
      )
  }
  const { answerOf, claim, commit, log, open, removed, written } = store
  return SeasonStore.of({
    open,
    answerOf: lately(answerOf),
    claim: lately(claim),
    commit: lately(commit),
    removed: lately(removed),
    written: lately(written),
    log: {
      earlier: lately(log.earlier),
      ended: lately(log.ended),
      left: lately(log.left),
      page: lately(log.page),
      place: lately(log.place),
      rewrite: lately(log.rewrite)
    }
  })
}

/** The course of a seed over such a store, and what was counted in it. */
const courseOf = Effect.fnUntraced(function* (seed: number, steps: number, delays: number) {
  const course: Array<string> = []
  const chance = Chance.make(delays)
  const watching: Watching = { store: (store) => late(recorded(store, course), chance), outside: Outside.make() }
  const seen = yield* inMemory(seed, steps, undefined, watching)
  return { course, seen }
})

/** In some of them ratings wait for their rows, and in all of them voided matches are folded beside the season. */
for (const seed of [4, 5, 7]) {
  it.live(`seed ${seed} plays the same season however long its store takes for each answer`, () =>
    Effect.gen(function* () {
      const [first, second] = [yield* courseOf(seed, 250, 1), yield* courseOf(seed, 250, 2)]
      assert.isAbove(first.seen["void installed"] ?? 0, 0)
      for (const [i, line] of first.course.entries()) assert.strictEqual(second.course[i], line)
      assert.deepStrictEqual(second, first)
    })
  )
}
