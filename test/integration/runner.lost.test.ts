/** A runner that cannot have the files of one seat says whose they are, where the store and not its own line is why. */

import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { MatchWork } from "@agon/api/runner/protocol.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { FileCache } from "@agon/runner/runner/FileCache.ts"
import { Transfers } from "@agon/runner/runner/Transfers.ts"
import { Worker } from "@agon/runner/runner/Worker.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

/** An object store on loopback: files by their paths, and paths at which the line breaks or the link is refused. */
const makeStore = Effect.gen(function* () {
  const files = new Map<string, Uint8Array>()
  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        const url = request.url!
        if (request.method === "PUT") return void request.resume().on("end", () => response.writeHead(200).end())
        if (url.startsWith("/cut")) return void request.socket.destroy()
        if (url.startsWith("/refused")) return void response.writeHead(403).end()
        const file = files.get(url)
        response.writeHead(file === undefined ? 404 : 200).end(file)
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close())
  )
  return { files, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

const directory = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-lost-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    ),
    (path) => FileCache.layer(path)
  )
)
const worker = Worker.layer.pipe(
  Layer.provide(directory),
  Layer.provide(Transfers.layer),
  Layer.provide([NodeHttpClient.layerUndici, Arena.layer({ slots: 1 })])
)

const hashOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`
const board = snakesBoards.find(({ players }) => players === 2)!
const models = zoo.filter(({ game }) => game === "snakes").slice(0, 2)
const versionOf = (seat: number) => `0190000b-0000-7000-8000-00000000000${seat}`

/** A match whose second seat has its weights at this path, and expects them to be these. */
const matchWith = ({ files, origin }: Effect.Success<typeof makeStore>, path: string, weights: Uint8Array): MatchWork => {
  const fileOf = (bytes: Uint8Array, at = `/${hashOf(bytes)}`) => ({ hash: hashOf(bytes), url: `${origin}${at}`, bytes: bytes.length })
  const kept = (bytes: Uint8Array) => {
    files.set(`/${hashOf(bytes)}`, bytes)
    return fileOf(bytes)
  }
  return {
    ...{ lease: "a.1", kind: "match", expires_at: "2026-01-01T00:00:00.000Z", match_id: "0190000a-0000-7000-8000-000000000001" },
    ...{ game: "snakes", engine_digest: engineOf("snakes")!.digest, is_trial: false, board: JSON.parse(JSON.stringify(board)), seed: 77 },
    rules: { max_turns: 60, strike_limit: 3 },
    seats: models.map(({ build }, seat) => {
      const { manifest, weights: own } = build()
      const memory_cap_bytes = 5 * own.length + 64 * 1024 * 1024
      const file = seat === 1 ? fileOf(weights, path) : kept(own)
      return { seat, version_id: versionOf(seat), weights: file, manifest: kept(manifest), memory_cap_bytes }
    }),
    replay_upload: { method: "PUT", url: `${origin}/replay`, headers: {}, max_bytes: 1_000_000 }
  } as MatchWork
}

layer(worker, { excludeTestServices: true, timeout: "120 seconds" })("a runner that cannot have one seat's weights", (it) => {
  it.effect("names the entry whose they are where the store has none, or others", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const { work } = yield* Worker
      const unavailable = (version_id: string | null) => ({ kind: "match", fault_reason: "weights_unavailable", version_id })
      const cases: ReadonlyArray<readonly [path: string, file: Uint8Array | undefined, named: string | null]> = [
        ["/lost", undefined, versionOf(1)],
        ["/others", Buffer.from("5678"), versionOf(1)],
        ["/shorter", Buffer.from("1"), versionOf(1)],
        ["/cut", undefined, null],
        ["/refused", undefined, null]
      ]
      for (const [path, file, named] of cases) {
        if (file !== undefined) store.files.set(path, file)
        assert.deepInclude(yield* work(matchWith(store, path, Buffer.from("1234"))), unavailable(named) as any, path)
      }
      const weights = models[1]!.build().weights
      store.files.set("/there", weights)
      assert.property(yield* work(matchWith(store, "/there", weights)), "seats", "and plays where it has them")
    }).pipe(Effect.scoped)
  )

  it.effect("names nobody where no file can be had from a store that is away", () =>
    Effect.gen(function* () {
      const { work } = yield* Worker
      const away = { files: new Map<string, Uint8Array>(), origin: "http://127.0.0.1:1" }
      const match = matchWith(away, "/away", Buffer.from("never seen"))
      const unseen = match.seats.map((seat) => ({ ...seat, manifest: { ...seat.manifest, hash: hashOf(Buffer.from(seat.version_id)) } }))
      const result = yield* work({ ...match, seats: unseen })
      assert.deepInclude(result, { fault_reason: "weights_unavailable", version_id: null } as any)
    })
  )
})
