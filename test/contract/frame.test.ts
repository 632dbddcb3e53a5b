/**
 * Frames of replays that nobody has checked, as large as a replay may be: made beside the thread
 * that serves requests, once each.
 */

import { lastView } from "@agon/engine/replay/verify.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { MatchHandlers } from "@agon/server/match/http.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { call, noLookups, layer as webLayer } from "../support/Web.ts"

const MAX_BYTES = 4 * 1024 * 1024

/** As dear to read as 4 MiB can be. */
const hostile = Buffer.from(`{"moves":[${"[0],".repeat(MAX_BYTES / 4 - 10)}[0]]}`)
let fetched = 0
const Objects = Layer.mock(ObjectStore, {
  get: () =>
    Effect.sync(() => {
      fetched++
      return Option.some(hostile)
    })
})
const services = Matches.layer.pipe(
  Layer.provide(Replays.layer),
  Layer.provide(Objects),
  Layer.provide(Seasons.layer),
  Layer.provide(Fixture.layer)
)
const web = webLayer({ handlers: MatchHandlers.pipe(Layer.provide(services)), served: ["match"] }).pipe(Layer.provide(noLookups))

/** Milliseconds of CPU that this thread took for it, whatever else the machine does. */
const cpuOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = process.threadCpuUsage()
    const answer = yield* effect
    const { system, user } = process.threadCpuUsage(before)
    return [answer, (user + system) / 1000] as const
  })

layer(web)("the frame of an unchecked replay", (it) => {
  it.effect("of 4 MiB takes next to nothing of the thread that serves, and is made once for forty who ask", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { open } = Fixture.matchIds
      yield* sql`UPDATE match SET replay_bytes = ${MAX_BYTES} WHERE id = ${open}`
      const [view, here_ms] = yield* cpuOf(Effect.sync(() => lastView(JSON.parse(hostile.toString()))))
      assert.isNull(view)
      const ask = Effect.forEach(
        Array.from({ length: 40 }, (_, i) => `/v1/${i % 2 ? "private/" : ""}matches/${open}/frame`),
        (path) => call(path),
        { concurrency: "unbounded" }
      )
      yield* call(`/v1/private/matches/${open}`) // what is made with the first request of all is not counted
      const [answers, served_ms] = yield* cpuOf(ask)
      for (const { json, status } of answers) assert.deepStrictEqual([status, json.view], [200, null])
      assert.strictEqual(fetched, 1)
      assert.isBelow(served_ms, here_ms, "forty answers and the copy of the replay are less than one reading of it")
      yield* call(`/v1/private/matches/${open}/frame`)
      assert.strictEqual(fetched, 1, "it is kept by its match")
      yield* Effect.flatMap(ResponseCache, ({ purgeAll }) => purgeAll)
      yield* call(`/v1/private/matches/${open}/frame`)
      assert.strictEqual(fetched, 2)
    })
  )
})
