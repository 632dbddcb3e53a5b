/**
 * Many who ask for the same at the same moment, over sockets: it is read once, whoever goes away,
 * and however the reading ends.
 */

import { connect } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SqlError } from "effect/sql"
import { overSocket, port, uncalled } from "../support/Web.ts"

/** The next reading waits for the one and ends in the other. */
const next: { reads: number; gate: Deferred.Deferred<void>; ends: Effect.Effect<void> } = {
  reads: 0,
  gate: Deferred.makeUnsafe(),
  ends: Effect.void
}
const GameHandlers = HttpApiBuilder.group(Api, "game", (handlers) =>
  handlers.handleAll({
    games: Effect.fnUntraced(function* () {
      next.reads++
      yield* Deferred.await(next.gate)
      yield* next.ends
      yield* tagged("game:x")
      return []
    }),
    game: uncalled
  })
)

const Served = overSocket({ handlers: GameHandlers, served: ["game"] })
const began = (ends: Effect.Effect<void> = Effect.void) => Object.assign(next, { reads: 0, gate: Deferred.makeUnsafe(), ends })
const crowd = 60

const ask = (port: number) =>
  fetch(`http://127.0.0.1:${port}/v1/games`).then(async (answer) => ({
    status: answer.status,
    headers: answer.headers,
    text: await answer.text()
  }))
const CALM_MS = 20
/**
 * Until a reading is under way and everybody has asked: both sides of the sockets are this process, so all
 * that was sent has arrived when its timers come on time for a while.
 */
const asked = Effect.promise(async () => {
  while (next.reads === 0) await pause(5)
  for (let calm = 0; calm < 5; ) {
    const began = performance.now()
    await pause(CALM_MS)
    calm = performance.now() - began < 1.5 * CALM_MS ? calm + 1 : 0
  }
})

layer(Served, { excludeTestServices: true })("a stampede", (it) => {
  it.effect("is answered by one reading, and what comes after it by none", () =>
    Effect.gen(function* () {
      const [at, cache] = [yield* port, yield* ResponseCache]
      yield* cache.purgeAll
      began()
      const all = Promise.all(Array.from({ length: crowd }, () => ask(at)))
      yield* asked
      yield* Deferred.succeed(next.gate, undefined)
      const answers = yield* Effect.promise(() => all)
      assert.deepStrictEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)), new Set(["200 []"]))
      assert.strictEqual(new Set(answers.map(({ headers }) => headers.get("x-request-id"))).size, crowd)
      assert.strictEqual((yield* Effect.promise(() => ask(at))).status, 200)
      assert.strictEqual(next.reads, 1)
    })
  )

  it.effect("goes on when the one who asked first, and half of the others, go away", () =>
    Effect.gen(function* () {
      const [at, cache] = [yield* port, yield* ResponseCache]
      yield* cache.purgeAll
      began()
      const first = connect(at, "127.0.0.1")
      first.write("GET /v1/games HTTP/1.1\r\nHost: x\r\n\r\n")
      yield* asked
      const going = Array.from({ length: crowd / 2 }, () => connect(at, "127.0.0.1"))
      for (const socket of going) socket.on("error", () => undefined).write("GET /v1/games HTTP/1.1\r\nHost: x\r\n\r\n")
      const staying = Promise.all(Array.from({ length: crowd / 2 }, () => ask(at)))
      yield* asked
      for (const socket of [first, ...going]) socket.destroy()
      yield* asked
      yield* Deferred.succeed(next.gate, undefined)
      assert.deepStrictEqual(new Set((yield* Effect.promise(() => staying)).map(({ status }) => status)), new Set([200]))
      assert.strictEqual(next.reads, 1)
      assert.isDefined(cache.getUnsafe("/v1/games"))
    })
  )

  it.effect("is told the same where the reading fails, and nothing of that is kept", () =>
    Effect.gen(function* () {
      const [at, cache] = [yield* port, yield* ResponseCache]
      const away = new SqlError.SqlError({
        reason: new SqlError.ConnectionError({ cause: undefined, message: "away", operation: "execute" })
      })
      yield* cache.purgeAll
      began(Effect.die(away))
      const all = Promise.all(Array.from({ length: crowd }, () => ask(at)))
      yield* asked
      yield* Deferred.succeed(next.gate, undefined)
      const answers = yield* Effect.promise(() => all)
      for (const { headers, status, text } of answers) {
        assert.deepStrictEqual([status, JSON.parse(text).code], [503, "unavailable"])
        assert.deepStrictEqual([headers.get("retry-after"), headers.get("cache-control"), headers.get("etag")], ["1", "no-store", null])
      }
      assert.strictEqual(next.reads, 1)
      assert.isUndefined(cache.getUnsafe("/v1/games"))
      next.ends = Effect.void
      assert.strictEqual((yield* Effect.promise(() => ask(at))).status, 200)
    })
  )
})
