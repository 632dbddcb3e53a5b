import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "./database.ts"

it.live("two seasons beside each other touch no row of each other, and hold what they would hold alone", () =>
  Effect.gen(function* () {
    const { run } = yield* database
    const said = yield* run
    assert.isUndefined(said, said)
  }).pipe(Effect.scoped)
)
