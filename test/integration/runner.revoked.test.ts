/**
 * Lease requests that wait for work when their key ends: they are answered 401 at once, on whichever node
 * they wait, and the runner of another key waits on.
 */

import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { eventually } from "../support/eventually.ts"
import { about } from "../support/Referee.ts"
import type { ServiceShape } from "../support/Service.ts"
import * as TwoNodes from "../support/twoNodes.ts"

/** How a request of the key at the node ends that waits for work, and how long it took. */
const waiting = Effect.fnUntraced(function* (node: ServiceShape, secret: string) {
  const client = yield* node.runner(secret)
  const { runner } = yield* client.runner.openSession({ payload: about })
  const began = performance.now()
  const asked = client.runner.lease({ payload: { runner, max: 1, wait_s: 30 } })
  return yield* Effect.forkChild(
    Effect.map(Effect.exit(asked), (exit) => ({
      said: Exit.isSuccess(exit) ? "no work" : (Exit.findErrorOption(exit) as any).value.code,
      took_ms: performance.now() - began
    }))
  )
})

const SOON_MS = 10_000

layer(TwoNodes.layer, { excludeTestServices: true, timeout: "120 seconds" })("requests that wait for work", (it) => {
  it.effect("end with 401 on every node when their key is revoked, or its maker suspended, and others wait on", () =>
    Effect.gen(function* () {
      const { here, there } = yield* TwoNodes.Nodes
      const root = yield* here.as("admin")
      yield* here.as("deputy")
      yield* root.platform.editUser({ params: { username: "deputy" }, payload: { admin: true } })
      const deputy = yield* here.as("deputy")
      const key = (name: string, by = root) => by.fleet.createKey({ payload: { name } })
      const [other, revoked, suspended] = [yield* key("other"), yield* key("revoked"), yield* key("suspended", deputy)]
      const bystander = yield* waiting(there, other.key)
      const ending = [
        yield* waiting(here, revoked.key),
        yield* waiting(there, revoked.key),
        yield* waiting(here, suspended.key),
        yield* waiting(there, suspended.key)
      ]
      const sql = yield* PgClient.PgClient
      yield* eventually(
        "all are heard of",
        Effect.map(sql`SELECT 1 FROM runner`, (rows) => rows.length === 5)
      )
      yield* Effect.sleep("500 millis")
      yield* root.fleet.revokeKey({ params: { key: revoked.id } })
      yield* root.platform.editUser({ params: { username: "deputy" }, payload: { suspended: true } })
      for (const fiber of ending) {
        const { said, took_ms } = yield* Fiber.join(fiber)
        assert.strictEqual(said, "unauthenticated")
        assert.isBelow(took_ms, SOON_MS)
      }
      assert.isUndefined(bystander.pollUnsafe())
      yield* Fiber.interrupt(bystander)
    })
  )
})
