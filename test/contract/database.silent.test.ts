/** A database that takes statements and says nothing, as one does that is frozen or whose line was cut. */

import { AnswerTimeout } from "@agon/server/http/AnswerTimeout.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { type Call, call } from "../support/Web.ts"

/** Until it is interrupted, whatever reads accounts or seasons waits. */
const silence = Effect.fnUntraced(function* (begun: Deferred.Deferred<void>) {
  const sql = yield* SqlClient.SqlClient
  const lock = sql`LOCK TABLE account, season IN ACCESS EXCLUSIVE MODE`
  return yield* sql.withTransaction(Effect.andThen(lock, Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)))
})

const requests: ReadonlyArray<readonly [path: string, given: Call]> = [
  ["/v1/games/snakes/seasons?page=1", {}],
  ["/v1/games/snakes/seasons?page=1", {}],
  ["/v1/me", { as: "ada" }],
  ["/v1/me", { as: "ada", method: "PATCH", json: { bio: "x" } }],
  ["/v1/games/snakes/models", { as: "ada", method: "POST", json: { name: "Adder" } }]
]

layer(A.layer.pipe(Layer.provide(Layer.succeed(AnswerTimeout, 300))), A.options)("a database that does not answer", (it) => {
  it.effect("keeps nobody waiting, those who share an answer included, and is asked again when it does", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const silent = yield* Effect.forkChild(silence(begun))
      yield* Deferred.await(begun)
      const asking = Effect.forEach(requests, ([path, given]) => call(path, given), { concurrency: "unbounded" })
      const answers = yield* Effect.timeout(asking, "30 seconds")
      for (const { headers, json, status } of answers)
        assert.deepStrictEqual([status, json.code, headers.get("retry-after")], [503, "unavailable", "1"])
      yield* Fiber.interrupt(silent)
      for (const [path, given] of requests) assert.isBelow((yield* A.ask(path, given)).status, 300, path)
    })
  )
})
