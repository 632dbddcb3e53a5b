/** Requests under way in an account's name end with the account, on every node; those that begin afterwards do not. */

import { Ongoing, type OngoingShape } from "@agon/server/account/level/Ongoing.ts"
import { Broadcast } from "@agon/server/node/Broadcast.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { eventually } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"

/** One more node on the same database. */
const node = Effect.map(Layer.build(Layer.fresh(Ongoing.layer.pipe(Layer.provide(Layer.fresh(Broadcast.layer))))), (context) =>
  Context.get(context, Ongoing)
)

/** How a request ends. */
const outcome = <A>(request: Effect.Effect<A, { readonly _tag: string }>) => Effect.catch(request, ({ _tag }) => Effect.succeed(_tag))

layer(Postgres.layer({ maxConnections: 6 }), { excludeTestServices: true })("what is under way", (it) => {
  it.effect("ends here and on other nodes, and nobody else's does", () =>
    Effect.gen(function* () {
      const [here, there] = [yield* node, yield* node]
      let undone = 0
      const waits = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (undone += 1)))
      const run = (on: OngoingShape, id: string) =>
        Effect.forkChild(outcome(on.inNameOf(id, on.moment(), waits)), { startImmediately: true })
      // Whoever listens by now hears it.
      const probe = yield* run(there, "probe")
      yield* eventually(
        "either hears the other",
        Effect.map(here.end("probe"), () => probe.pollUnsafe() !== undefined)
      )
      undone = 0
      const ada = [yield* run(here, "ada"), yield* run(here, "ada"), yield* run(there, "ada")]
      const bob = yield* run(there, "bob")
      yield* here.end("ada")
      for (const fiber of ada) assert.strictEqual(yield* Fiber.join(fiber), "Ended")
      assert.strictEqual(undone, 3)
      assert.isUndefined(bob.pollUnsafe())
      yield* Fiber.interrupt(bob)
    })
  )

  it.effect("is over also where its session was found before the end and it begins after; a later session's is not", () =>
    Effect.gen(function* () {
      const here = yield* node
      const before = here.moment()
      yield* here.end("ada")
      const run = (moment: number, id: string) => outcome(here.inNameOf(id, moment, Effect.succeed("done")))
      assert.strictEqual(yield* run(before, "ada"), "Ended")
      assert.strictEqual(yield* run(before, "bob"), "done")
      assert.strictEqual(yield* run(here.moment(), "ada"), "done")
    })
  )
})
