/** Answers that are longer than they may be are given up, and not kept in memory until they end. */

import { createServer } from "node:http"
import { makeClient } from "@agon/api/Client.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventually } from "../../../../test/support/eventually.ts"
import { listening } from "../../../../test/support/listening.ts"
import { ANSWER_BYTES_MAX, serviceHttp } from "./serviceHttp.ts"
import { FILE_BYTES_MAX, Transfers } from "./Transfers.ts"

const MIB = 1024 ** 2

/** Answers every request with blanks and without an end; `sent` counts what has left it, `asked` the requests. */
const endless = Effect.gen(function* () {
  const counts = { asked: 0, sent: 0, open: 0 }
  const server = createServer((request, response) => {
    counts.asked++
    counts.open++
    request.resume()
    response.on("close", () => counts.open--)
    const status = Number(/status=(\d+)/.exec(request.url!)?.[1] ?? (request.url === "/v1/runner/sessions" ? 201 : 200))
    response.writeHead(status, { "content-type": "application/json" })
    const chunk = Buffer.alloc(MIB, " ")
    const more = () => {
      while (!response.destroyed) {
        counts.sent += chunk.length
        if (!response.write(chunk)) return void response.once("drain", more)
      }
    }
    more()
  })
  return { counts, origin: yield* listening(server) }
})

const transfers = Transfers.layer.pipe(Layer.provide(NodeHttpClient.layerUndici))

it.live("a file is read to the length that its lease names and no further", () =>
  Effect.gen(function* () {
    const { counts, origin } = yield* endless
    const { get } = yield* Transfers
    const failed = yield* Effect.flip(get(`${origin}/file`, MIB))
    assert.deepInclude({ ...failed }, { detail: `the file has more than ${MIB} bytes`, gone: true })
    assert.isAtMost(counts.sent, counts.asked * 16 * MIB)
  }).pipe(Effect.scoped, Effect.provide(transfers))
)

it.live("what a store says with a refusal is not read, and its connection is closed", () =>
  Effect.gen(function* () {
    const { counts, origin } = yield* endless
    const { get } = yield* Transfers
    assert.strictEqual((yield* Effect.flip(get(`${origin}/file?status=404`, MIB))).detail, "the object store answered 404")
    yield* eventually(
      "it is closed",
      Effect.sync(() => counts.open === 0)
    )
  }).pipe(Effect.scoped, Effect.provide(transfers))
)

it.live("a file that no class of weights would take is not asked for", () =>
  Effect.gen(function* () {
    const { counts, origin } = yield* endless
    const { get } = yield* Transfers
    assert.isFalse((yield* Effect.flip(get(`${origin}/file`, FILE_BYTES_MAX + 1))).gone)
    assert.strictEqual(counts.asked, 0)
  }).pipe(Effect.scoped, Effect.provide(transfers))
)

it.live("an answer of the service has an end", () =>
  Effect.gen(function* () {
    const { counts, origin } = yield* endless
    const { runner } = yield* makeClient(origin, { key: "k" })
    const payload = { name: "one", runtime_version: "ort", engines: [], accepts: ["match" as const], slots: 1 }
    yield* Effect.flip(runner.openSession({ payload }))
    assert.isAtLeast(counts.sent, ANSWER_BYTES_MAX)
    assert.isAtMost(counts.sent, ANSWER_BYTES_MAX + 16 * MIB)
  }).pipe(Effect.scoped, Effect.provide(serviceHttp))
)
