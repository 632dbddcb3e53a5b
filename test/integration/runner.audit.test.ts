import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AuditWork, MatchWork } from "@agon/api/runner/protocol.ts"
import { engineOf } from "@agon/engine/registry.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { FileCache } from "@agon/runner/runner/FileCache.ts"
import { TransferFailed, Transfers } from "@agon/runner/runner/Transfers.ts"
import { Worker } from "@agon/runner/runner/Worker.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

const hashOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

/** Objects as a store would hold them, by their URL. */
const stored = new Map<string, Uint8Array>()
const transfers = Layer.succeed(
  Transfers,
  Transfers.of({
    get: (url, bytes) => {
      const found = stored.get(url)
      return found?.length === bytes
        ? Effect.succeed(found)
        : Effect.fail(new TransferFailed({ detail: `nothing of that size at ${url}`, gone: true }))
    },
    put: ({ url }, bytes) => Effect.sync(() => void stored.set(url, bytes))
  })
)
const directory = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-worker-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    ),
    (path) => FileCache.layer(path)
  )
)
const worker = Worker.layer.pipe(Layer.provide(directory), Layer.provideMerge(transfers), Layer.provide(Arena.layer({ slots: 1 })))

const fileOf = (bytes: Uint8Array) => {
  const hash = hashOf(bytes)
  stored.set(hash, bytes)
  return { hash, url: hash, bytes: bytes.length }
}
const board = snakesBoards.find(({ players }) => players === 2)!
const models = zoo.filter(({ game }) => game === "snakes").slice(0, 2)
const toPlay = {
  expires_at: "2026-01-01T00:00:00.000Z",
  match_id: "0190000a-0000-7000-8000-000000000001",
  game: "snakes",
  engine_digest: engineOf("snakes")!.digest,
  is_trial: false,
  board: JSON.parse(JSON.stringify(board)),
  seed: 77,
  rules: { max_turns: 200, strike_limit: 3 },
  seats: models.map(({ build }, seat) => {
    const { manifest, weights } = build()
    const memory_cap_bytes = 5 * weights.length + 64 * 1024 * 1024
    return {
      seat,
      version_id: `0190000b-0000-7000-8000-00000000000${seat}`,
      weights: fileOf(weights),
      manifest: fileOf(manifest),
      memory_cap_bytes
    }
  })
}

layer(worker, { excludeTestServices: true })("a runner that audits", (it) => {
  it.effect("comes to the same last state, and gives the timeouts of the first time again", () =>
    Effect.gen(function* () {
      const { work } = yield* Worker
      const replay_upload = { method: "PUT", url: "replay", headers: {}, max_bytes: 1_000_000 } as const
      const match: MatchWork = { lease: "a.1", kind: "match", ...toPlay, replay_upload }
      const first = yield* work(match)
      assert.deepInclude(first, { kind: "match" })
      const { state_sha256 } = first as { readonly state_sha256: string }
      const audit = (bytes: Uint8Array): AuditWork => ({ lease: "b.1", kind: "audit", ...toPlay, replay: fileOf(bytes) })
      const bytes = stored.get("replay")!
      assert.deepStrictEqual(yield* work(audit(bytes)), { kind: "audit", state_sha256 })

      const replay = JSON.parse(new TextDecoder().decode(bytes)) as Replay
      const timeouts = [{ turn: 0, seat: 1, code: "timeout" }]
      const moves = replay.moves.map((row, turn) => (turn === 0 ? [row[0], null] : row))
      const slow = new TextEncoder().encode(JSON.stringify({ ...replay, moves, strikes: timeouts }))
      const again = yield* work(audit(slow))
      assert.notDeepEqual(again, { kind: "audit", state_sha256 })
      for (const nothing of ["x", "null", "{}"]) {
        const none = audit(new TextEncoder().encode(nothing))
        assert.deepStrictEqual(yield* work(none), { kind: "audit", state_sha256 }, "whoever stored no replay is audited all the same")
      }
      const other = audit(bytes)
      const exit = yield* Effect.exit(work({ ...other, replay: { ...other.replay, hash: hashOf(slow) } }))
      assert.isTrue(exit._tag === "Failure") // dropped, and given back
    })
  )
})
