/**
 * A text that is written on one node is let go by the cache of every other, by the tags
 * that the answer was kept under.
 */

import type { Answer } from "@agon/server/http/cache/Entry.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Broadcast } from "@agon/server/node/Broadcast.ts"
import * as CachePurges from "@agon/server/node/CachePurges.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import * as Writing from "../support/Writing.ts"

const { alpha } = Fixture.modelIds

/** The cache of another node on the same database, which has the answers that this one has kept. */
const another = Effect.gen(function* () {
  const here = yield* ResponseCache
  const context = yield* Layer.build(Layer.fresh(CachePurges.layer.pipe(Layer.provide(Layer.fresh(Broadcast.layer)))))
  const there = context.mapUnsafe.get(ResponseCache.key) as ResponseCache["Service"]
  const keep = (path: string) => {
    const { body, tags } = here.getUnsafe(path) ?? assert.fail(path)
    const answer: Answer = { text: body.toString(), contentType: "application/json", tags }
    return there.getOrCompute(path, Effect.succeed(answer))
  }
  const isKept = (path: string) => Effect.sync(() => there.getUnsafe(path) !== undefined)
  return { isKept, keep }
})

const soon = { schedule: Schedule.spaced("10 millis") } as const

layer(Fixture.layer.pipe(Layer.provideMerge(A.layer)), A.options)("another node", (it) => {
  it.effect("lets go what a write here makes untrue", () =>
    Effect.gen(function* () {
      const { isKept, keep } = yield* another
      yield* Writing.announce("Old")
      yield* Writing.post("old")
      yield* Writing.story("ada", alpha, "Once.", true)
      const story = `/v1/models/${alpha}/story`
      const writes = [
        [["/v1/announcements"], Writing.announce("New")],
        [["/v1/stories", "/v1/posts/old"], A.patch("/v1/admin/posts/old", { title: "Older" })],
        [["/v1/stories", story], A.patch(`/v1/models/${alpha}`, { name: "Alpha II" }, "ada")],
        [["/v1/stories", story], Writing.decide(alpha, "rejected")],
        [["/v1/games/snakes/picks"], A.post("/v1/admin/picks", { match: Fixture.matchIds.nano })]
      ] as const
      for (const [paths, write] of writes) {
        for (const path of paths) {
          yield* A.ask(path)
          // Until it listens a node keeps nothing.
          yield* Effect.repeat(Effect.andThen(keep(path), isKept(path)), { ...soon, until: (kept) => kept })
        }
        yield* write
        for (const path of paths) yield* Effect.repeat(isKept(path), { ...soon, while: (kept) => kept })
      }
    })
  )
})
