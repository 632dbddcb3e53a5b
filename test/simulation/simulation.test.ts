import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { FROM, part } from "./seeds.ts"
import { inMemory } from "./simulation.ts"

part(0)

it.live("the same seed plays the same season", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* inMemory(FROM, 500), yield* inMemory(FROM, 500))
  })
)
