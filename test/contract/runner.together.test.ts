/**
 * Sessions that are opened at the same time, as by a fleet that comes back: those of one key share a transaction, a key that is held keeps
 * nobody else waiting, and all of them together take no more than a few connections.
 */

import { SESSIONS_MAX } from "@agon/server/runner/session/sessionQueries.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { blocked } from "../support/eventually.ts"
import { holdingUntil } from "../support/holding.ts"
import { about, keyed } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const N = 40

type Keyed = Effect.Success<ReturnType<typeof keyed>>

const open = ({ client }: Keyed, slots: number) => client.runner.openSession({ payload: { ...about, name: `slots ${slots}`, slots } })

const opened = (key: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) =>
      sql<{ id: string; name: string; slots: number; written_by: string }>`
      SELECT id, name, slots, xmin::text AS written_by FROM runner WHERE key_id = ${key} ORDER BY slots`
  )

/** Holds the key until the effect that it gives is run. */
const held = (key: string) =>
  Effect.flatMap(PgClient.PgClient, (sql) => holdingUntil(sql`SELECT 1 FROM runner_key WHERE id = ${key} FOR NO KEY UPDATE`))

layer(Service.layer(), { excludeTestServices: true, timeout: "120 seconds" })("sessions that are opened together", (it) => {
  it.effect("are each what their runner said, and share a transaction", () =>
    Effect.gen(function* () {
      const mine = yield* keyed("together")
      const goOn = yield* held(mine.key)
      const slots = Array.from({ length: N }, (_, i) => i + 1)
      const opening = yield* Effect.forkChild(Effect.forEach(slots, (n) => open(mine, n), { concurrency: "unbounded" }))
      yield* blocked(1)
      yield* goOn
      const answers = yield* Fiber.join(opening)
      const rows = yield* opened(mine.key)
      assert.deepStrictEqual(
        rows.map(({ id, name }) => [id, name]),
        answers.map(({ runner }, i) => [runner, `slots ${i + 1}`])
      )
      assert.isAtMost(new Set(rows.map(({ written_by }) => written_by)).size, N / 4)
    })
  )

  it.effect("wait for their own key alone", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* keyed("held"), yield* keyed("free")]
      const goOn = yield* held(mine.key)
      const opening = yield* Effect.forkChild(Effect.forEach([1, 2, 3], (n) => open(mine, n), { concurrency: "unbounded" }))
      yield* blocked(1)
      yield* open(other, 1)
      assert.lengthOf(yield* opened(other.key), 1)
      assert.deepStrictEqual(yield* opened(mine.key), [])
      yield* goOn
      assert.lengthOf(yield* Fiber.join(opening), 3)
    })
  )

  it.effect("are not opened for a request that ended while it waited", () =>
    Effect.gen(function* () {
      const mine = yield* keyed("left")
      const goOn = yield* held(mine.key)
      const first = yield* Effect.forkChild(open(mine, 1))
      yield* blocked(1)
      const second = yield* Effect.forkChild(open(mine, 2))
      const third = yield* Effect.forkChild(open(mine, 3))
      yield* Effect.sleep("200 millis") // until both are there
      yield* Fiber.interrupt(second)
      yield* Effect.sleep("200 millis") // until the service has heard that its caller has gone
      yield* goOn
      yield* Fiber.join(first)
      yield* Fiber.join(third)
      assert.deepStrictEqual(
        (yield* opened(mine.key)).map(({ slots }) => slots),
        [1, 3]
      )
    })
  )

  it.effect("of a key with two places left: two are opened, and the others told so", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const mine = yield* keyed("nearly full")
      yield* sql`INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, created_at, last_seen_at)
        SELECT gen_random_uuid(), ${mine.key}, 'r', 'rt', '[]', '{match}', 9, 'active', now(), now() FROM generate_series(1, ${SESSIONS_MAX - 2})`
      const answers = yield* Effect.forEach([1, 2, 3, 4], (n) => Effect.result(open(mine, n)), { concurrency: "unbounded" })
      const refusals = answers.flatMap((answer) => (answer._tag === "Failure" ? [answer.failure] : []))
      assert.lengthOf(refusals, 2)
      for (const refusal of refusals) assert.deepInclude(refusal, { code: "too_many_runners" })
      assert.lengthOf(yield* opened(mine.key), SESSIONS_MAX)
    })
  )
})
