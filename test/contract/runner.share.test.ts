/** A runner that waits gets work, however fast another one plays what there is. */

import type { Client } from "@agon/api/Client.ts"
import type { MatchWork } from "@agon/api/runner/protocol.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { isMatch, keyed, seasonOf, uploaded } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

/** Plays without a pause, and is given the next match in the answer to each result; answers how many it has played. */
const playsOn = Effect.fnUntraced(function* (client: Client, runner: string, count: { played: number }) {
  let held: ReadonlyArray<MatchWork> = []
  while (true) {
    const [done] = held
    const results = done === undefined ? [] : [{ ...(yield* uploaded(done)), lease: done.lease }]
    const rest = held.slice(1)
    const holds = rest.map(({ lease }) => lease)
    const max = 2 - rest.length
    const { leases } = yield* client.runner.lease({ payload: { runner, max, wait_s: results.length === 0 ? 10 : 0, holds, results } })
    count.played += results.length
    held = [...rest, ...leases.filter(isMatch)]
  }
})

layer(Service.layer({}), { excludeTestServices: true, timeout: "120 seconds" })("a runner that waits", (it) => {
  it.effect("gets work within seconds, though another key's runner takes each match of a small field at once", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("quick")
      yield* seasonOf("small", fleet, 4)
      const waiting = yield* keyed("waiting", fleet.admin)
      const count = { played: 0 }
      const busy = yield* Effect.forkChild(playsOn(fleet.client, yield* fleet.open(["match"]), count))
      while (count.played < 3) yield* Effect.sleep("50 millis")
      const runner = yield* waiting.open(["match"])
      const from = count.played
      const { leases } = yield* waiting.client.runner.lease({ payload: { runner, max: 1, wait_s: 20 } })
      yield* Fiber.interrupt(busy)
      assert.isAbove(count.played - from, 5, "the other one went on")
      assert.lengthOf(leases.filter(isMatch), 1)
    })
  )
})
