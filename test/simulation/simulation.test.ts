import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { FROM, part } from "./seeds.ts"
import { inMemory } from "./simulation.ts"
import { recorded } from "./world/Course.ts"

part(0)

const courseOf = Effect.fnUntraced(function* (seed: number, steps: number) {
  const course: Array<string> = []
  const seen = yield* inMemory(seed, steps, undefined, { store: (store) => recorded(store, course) })
  return { course, seen }
})

it.live("the same seed plays the same season, commit by commit", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* courseOf(FROM, 500), yield* courseOf(FROM, 500))
  })
)

/** Functions that tell the time of the machine, or wait for it; and its chance. */
const MACHINE = [
  [Date, "now"],
  [performance, "now"],
  [process.hrtime, "bigint"],
  [Math, "random"],
  [globalThis, "setTimeout"]
] as const

/** Vitest itself asks for the time now and then: a call without a line of ours or of Effect in its stack does not count. */
const OURS = /\/(packages|test)\/\w+\/.*\.ts|\/node_modules\/effect\//
const THIS = /simulation\.test\.ts/

it.live("nothing in a season of the simulation goes by the machine's time", () =>
  Effect.gen(function* () {
    const asked = new Set<string>()
    const replaced = MACHINE.map(([holder, name]) => {
      const genuine = (holder as any)[name]
      const noted = function (this: unknown, ...args: ReadonlyArray<unknown>) {
        const who = new Error().stack!.split("\n").filter((line) => OURS.test(line) && !THIS.test(line))
        if (who.length > 0) asked.add(`${name} ${who[0]!.trim()}`)
        return genuine.apply(this, args)
      }
      ;(holder as any)[name] = noted
      return () => void ((holder as any)[name] = genuine)
    })
    yield* Effect.ensuring(
      inMemory(FROM, 300),
      Effect.sync(() => replaced.forEach((restore) => restore()))
    )
    assert.deepStrictEqual([...asked], [])
  })
)
