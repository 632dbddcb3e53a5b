/** A runner that ends its request for work while it is being given some: work that it cannot have heard of goes back at once. */

import { connect } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

/** A lease request whose connection is cut after so many milliseconds. */
const cutAfter = (origin: string, secret: string, payload: unknown, cut_ms: number) =>
  Effect.callback<void>((resume) => {
    const { host, port } = new URL(origin)
    const body = JSON.stringify(payload)
    const head = [
      ...["POST /v1/runner/leases HTTP/1.1", `Host: ${host}`, `Authorization: Bearer ${secret}`],
      ...["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]
    ]
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`))
    socket.on("error", () => {}).on("close", () => resume(Effect.void))
    setTimeout(() => socket.destroy(), cut_ms)
  })

layer(Service.layer(), { excludeTestServices: true, timeout: 60_000 })("A request for work that its runner ends", (it) => {
  it.effect("leaves no match with a runner that cannot have heard of it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { origin } = yield* Service.Service
      const fleet = yield* keyed("gone")
      yield* seasonOf("gone", fleet)
      const runner = yield* fleet.open(["match"])
      const ask = { runner, max: 1, wait_s: 0, holds: [] }
      yield* fleet.client.runner.lease({ payload: { ...ask, max: 0 } })
      const leased = sql<{ id: string; lease_n: number; held: boolean; losses: number }>`
        SELECT id, lease_n, until IS NOT NULL AS held, losses FROM live WHERE lease_n > 0`

      // The commit that gives the match waits for the row's lock, and the runner does not wait for it.
      const locked = Effect.andThen(sql`SELECT 1 FROM season FOR UPDATE`, Effect.sleep("500 millis"))
      const holding = yield* Effect.forkChild(sql.withTransaction(locked))
      yield* Effect.sleep("100 millis")
      yield* cutAfter(origin, fleet.secret, ask, 100)
      yield* Fiber.join(holding)

      const given = leased.pipe(Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: (rows) => rows.length > 0, times: 100 }))
      assert.strictEqual((yield* given).length, 1, "the match was given")
      const back = leased.pipe(Effect.repeat({ schedule: Schedule.spaced("50 millis"), until: ([row]) => row?.held === false, times: 100 }))
      const [row] = yield* back
      assert.deepInclude(row, { held: false, losses: 0 })

      const { leases } = yield* fleet.client.runner.lease({ payload: ask })
      assert.strictEqual(leases.length, 1, "it is given at once, and not after the 30 seconds of a lease")
    })
  )
})
