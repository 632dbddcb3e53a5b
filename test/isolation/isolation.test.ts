import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "./database.ts"

it.live("two seasons beside each other touch no row of each other, and hold what they would hold alone", () =>
  Effect.gen(function* () {
    const { run } = yield* database
    assert.isUndefined(yield* run)
  }).pipe(Effect.scoped)
)
