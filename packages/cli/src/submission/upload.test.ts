import type { Uploads } from "@agon/api/submission/api.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { upload } from "./upload.ts"

const files = { weights: Uint8Array.of(1, 2, 3), manifest: Uint8Array.of(4) }
const address = { method: "PUT", url: "http://store.example/w", headers: {}, max_bytes: 9 } as const
const uploads = { weights: address, manifest: address, expires_at: "2026-01-01T00:10:00.000Z" }

/** A store that answers everything with this status. */
const store = (status: number) =>
  HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status }))))

const saidOf = (status: number, of: Uploads = uploads) =>
  Effect.gen(function* () {
    const sending = yield* Effect.forkChild(Effect.flip(upload(of, files, true)))
    yield* TestClock.adjust("1 minute")
    const error = yield* Fiber.join(sending)
    return "detail" in error ? error.detail : error.message
  }).pipe(Effect.provideService(HttpClient.HttpClient, store(status)), Effect.provide(NodeServices.layer))

describe("an upload", () => {
  it.effect("that the store does not take now says why, and until when the same command goes on", () =>
    Effect.gen(function* () {
      const again = "The same command sends them again, until 2026-01-01T00:10:00.000Z."
      assert.strictEqual(yield* saidOf(507), `The service's disk is nearly full and takes no files. ${again}`)
      assert.strictEqual(yield* saidOf(503), `The object store answered 503. ${again}`)
      assert.strictEqual(yield* saidOf(400), "The object store answered 400.")
    })
  )

  it.effect("that the owner's quota has no room for names the quota, and sends nothing", () =>
    Effect.gen(function* () {
      const little = { ...uploads, weights: { ...address, max_bytes: 2 } }
      assert.strictEqual(
        yield* saidOf(200, little),
        "The weights have 3 bytes; your models at the service leave room for 2 of the season's quota."
      )
    })
  )
})
