import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sha256Hex } from "@agon/engine/sha256.ts"
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { modelsIn } from "./filesByHash.ts"

const folderOfModels = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-files-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

it.effect("models are found by their hashes among folders, links and large files that are named like them", () =>
  Effect.gen(function* () {
    const folder = yield* folderOfModels
    const at = (name: string) => join(folder, name)
    mkdirSync(at("package.json/below"), { recursive: true })
    writeFileSync(at("package.json/below/mine.onnx"), "weights")
    writeFileSync(at("package.json/mine.json"), "manifest")
    symlinkSync("nowhere", at("gone.onnx"))
    writeFileSync(at("dataset.json"), "")
    truncateSync(at("dataset.json"), 2 ** 36) // not a byte of it on the disk; no program reads it whole
    const seatOf = (weights: string, manifest: string) => ({
      weights_sha256: sha256Hex(weights),
      manifest_sha256: sha256Hex(manifest)
    })
    const [mine, others] = yield* modelsIn(folder, [seatOf("weights", "manifest"), seatOf("weights", "another")])
    assert.deepStrictEqual(
      [mine!.weights, mine!.manifest].map((bytes) => Buffer.from(bytes).toString()),
      ["weights", "manifest"]
    )
    assert.isNull(others)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)
