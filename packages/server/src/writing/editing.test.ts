import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { changedFields, purging } from "./editing.ts"

describe("after a write", () => {
  it.effect("what it made untrue is purged, nothing where it was refused, and all where nobody knows what came of it", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const keep = (name: string) =>
        cache.getOrCompute(name, Effect.succeed({ text: name, contentType: "text/plain", tags: new Set([name]) }))
      const kept = Effect.fnUntraced(function* <E>(write: Effect.Effect<ReadonlyArray<string>, E>) {
        for (const name of ["a", "b", "c"]) yield* keep(name)
        yield* Effect.exit(purging(cache, write, ["a", "b"], (written) => written))
        return ["a", "b", "c"].filter((name) => cache.getUnsafe(name) !== undefined).join("")
      })
      assert.strictEqual(yield* kept(Effect.succeed(["a"])), "bc")
      assert.strictEqual(yield* kept(Effect.succeed([])), "abc")
      assert.strictEqual(yield* kept(Effect.fail("refused")), "abc")
      assert.strictEqual(yield* kept(Effect.die("lost")), "c")
      assert.strictEqual(yield* kept(Effect.interrupt), "c")
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it("what differs is named, and nothing else", () => {
    const before = { title: "a", body: "b", link: null as string | null }
    assert.deepStrictEqual(changedFields(before, { ...before }), [])
    assert.deepStrictEqual(changedFields(before, { title: "b", body: "b", link: "/" }), ["title", "link"])
  })
})
