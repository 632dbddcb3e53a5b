import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "./database.ts"
import { half } from "./mutants.ts"

half(0)

it.live("a claim that is no transaction is noticed", () =>
  Effect.gen(function* () {
    const { control, run } = yield* database
    control.transaction = false
    assert.include(yield* run, "a season is locked while it is claimed")
  }).pipe(Effect.scoped)
)
