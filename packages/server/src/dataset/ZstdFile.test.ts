import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as ZstdFile from "./ZstdFile.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-zstd-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

describe("a file that is written compressed", () => {
  it.effect("fails where it cannot be written, instead of waiting for ever", () =>
    Effect.gen(function* () {
      const file = yield* ZstdFile.make(join(yield* folder, "missing/file"))
      const forEver = Effect.forever(file.write(Buffer.alloc(100_000)))
      assert.strictEqual((yield* Effect.flip(forEver))._tag, "FileNotWritten")
      assert.strictEqual((yield* Effect.flip(file.write("more")))._tag, "FileNotWritten")
      assert.strictEqual((yield* Effect.flip(file.end))._tag, "FileNotWritten")
    })
  )

  it.effect("is gone when its scope ends, and what killed processes left is removed an hour later", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "making")
      mkdirSync(directory)
      for (const name of ["old", "new"]) writeFileSync(join(directory, name), "half")
      utimesSync(join(directory, "old"), 1, 1)
      yield* TestClock.adjust("2 hours")
      yield* ZstdFile.tidied(directory)
      assert.deepStrictEqual(readdirSync(directory), ["new"])
      const half = Effect.flatMap(ZstdFile.make(join(directory, "half")), (file) => file.write("text"))
      yield* Effect.scoped(half)
      assert.deepStrictEqual(readdirSync(directory), ["new"])
    })
  )

  it.effect("is not taken for left while somebody waits to put it into the store, however long", () =>
    Effect.gen(function* () {
      const directory = join(yield* folder, "making")
      mkdirSync(directory)
      yield* ZstdFile.make(join(directory, "whole")).pipe(Effect.flatMap((file) => Effect.andThen(file.write("text"), file.end)))
      utimesSync(join(directory, "whole"), 1, 1)
      const age_ms = Effect.map(Clock.currentTimeMillis, (now) => now - statSync(join(directory, "whole")).mtimeMs)
      yield* TestClock.adjust("2 hours")
      for (let tries = 0; (yield* age_ms) > 1_800_000 && tries < 500; tries++)
        yield* Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
        )
      yield* ZstdFile.tidied(directory)
      assert.deepStrictEqual(readdirSync(directory), ["whole"])
    }).pipe(Effect.scoped)
  )
})
