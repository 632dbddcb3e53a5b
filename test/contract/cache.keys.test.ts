/**
 * One shared answer, however its parameters are written and whatever stands beside them: who asks in a new
 * way each time costs no read.
 */

import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"

const { modelIds } = Fixture
const pair = `${modelIds.alpha},${modelIds.beta}`

layer(Fixture.layer.pipe(Layer.provideMerge(A.layer)), A.options)("a shared answer", (it) => {
  it.effect("is computed once for sixty who each add a parameter of their own", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const first = yield* A.ask(`/v1/matches?vs=${pair}&sort=closest`)
      assert.strictEqual(first.status, 200)
      const kept = cache.getUnsafe(`/v1/matches?vs=${pair}&sort=closest`)
      assert.isDefined(kept)
      for (let i = 0; i < 60; i++) {
        const url = `/v1/matches?z=${Math.imul(i, 2654435761) >>> 0}&sort=closest&vs=${encodeURIComponent(pair)}${i % 2 ? "&limit=25" : ""}`
        const { headers, status, text } = yield* A.ask(url)
        assert.deepStrictEqual([status, text, headers.get("etag")], [200, first.text, kept!.etag])
        assert.strictEqual(cache.getUnsafe(url), kept, "the one entry, found by this URL from now on")
      }
    })
  )

  it.effect("goes under each of its names when it is purged", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const urls = ["/v1/games/snakes/leaderboard?ladder=nano&z=1", "/v1/games/%73nakes/leaderboard?season=spring&ladder=nano"]
      for (const url of urls) yield* A.ask(url)
      for (const url of urls) assert.isDefined(cache.getUnsafe(url), url)
      yield* cache.purgeAll
      for (const url of urls) assert.isUndefined(cache.getUnsafe(url), url)
    })
  )

  it.effect("is not one with the refusal of what it does not take", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* A.ask("/v1/matches?limit=1")).status, 200)
      for (const url of ["/v1/matches?limit=1&limit=1", "/v1/matches?limit=0", "/v1/matches?sort=worst"]) {
        const refused = yield* A.ask(url)
        assert.deepStrictEqual([refused.status, refused.headers.get("cache-control")], [400, "no-store"], url)
      }
    })
  )
})
