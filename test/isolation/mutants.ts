/** The season's statements with one thing taken out of them each: the two seasons beside each other must notice it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { leftOut, sample } from "../support/slow.ts"
import { database } from "./database.ts"
import { EQUIVALENT } from "./equivalent.ts"
import { mutantsOf } from "./sqlMutants.ts"

const LONGEST_MS = 1_200_000

/** Those of every second one, so that two files take a core each; an ordinary run tries a sample of one. */
export const half = (which: 0 | 1) =>
  describe("two seasons beside each other notice every statement of a season's store", () => {
    it.live.skipIf(which === 1 && leftOut("the other half's sample is enough"))(
      `with a condition, its fence or a lock less (${which === 0 ? "one" : "the other"} half)`,
      () =>
        Effect.gen(function* () {
          const { control, run } = yield* database
          assert.isUndefined(yield* run, "nothing is wrong before anything is taken out")
          const mutants = mutantsOf([...control.seen].sort())
          assert.isAbove(mutants.length, 80)
          const unknown = Object.keys(EQUIVALENT).filter((name) => !mutants.some((mutant) => mutant.name === name))
          assert.deepStrictEqual(unknown, [], "statements that are gone need no excuse")
          const unnoticed: Array<string> = []
          for (const { apply, name } of sample(mutants.filter((_, i) => i % 2 === which))) {
            if (name in EQUIVALENT) continue
            control.mutate = apply
            if ((yield* run) === undefined) unnoticed.push(name)
          }
          assert.deepStrictEqual(unnoticed, [])
        }).pipe(Effect.scoped),
      LONGEST_MS
    )
  })
