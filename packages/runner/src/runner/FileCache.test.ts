import { execFileSync } from "node:child_process"
import { createHash, randomUUID } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { brokenOffAnywhere } from "../../../../test/support/brokenOff.ts"
import { hasSmallDisks, smallDisk } from "../../../../test/support/SmallDisk.ts"
import { FileCache, isFull } from "./FileCache.ts"
import { TransferFailed, Transfers } from "./Transfers.ts"

const hex = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const bytesOf = (text: string) => new TextEncoder().encode(text)
const fileOf = (text: string) => ({ hash: `sha256:${hex(bytesOf(text))}`, url: `memory:${text}`, bytes: bytesOf(text).length })

/** An object store that answers each URL with the text after `memory:`, and counts requests. */
const store = (asked: Array<string>, answer = (url: string) => url.slice("memory:".length)) =>
  Layer.succeed(Transfers, {
    get: (url) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => {
          asked.push(url)
          return bytesOf(answer(url))
        })
      ),
    put: () => Effect.fail(new TransferFailed({ detail: "not here", gone: true }))
  })

const inDirectory = <A, E>(use: (directory: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-cache-"))),
    use,
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )

const withCache = <A, E>(directory: string, transfers: Layer.Layer<Transfers>, use: Effect.Effect<A, E, FileCache>, bytes_max?: number) =>
  Effect.provide(use, FileCache.layer(directory, bytes_max).pipe(Layer.provide(transfers)))

describe("FileCache", () => {
  it.effect("downloads a file once, for concurrent requests and for later ones", () =>
    inDirectory((directory) => {
      const asked: Array<string> = []
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        const files = yield* Effect.all([cache.get(fileOf("a")), cache.get(fileOf("a"))], { concurrency: "unbounded" })
        assert.deepStrictEqual(
          files.map((bytes) => new TextDecoder().decode(bytes)),
          ["a", "a"]
        )
        yield* cache.get(fileOf("a"))
        assert.deepStrictEqual([asked, cache.counts()], [["memory:a"], { hits: 1, misses: 1 }])
      })
      const again = Effect.gen(function* () {
        yield* (yield* FileCache).get(fileOf("a"))
        assert.deepStrictEqual(asked, ["memory:a"]) // nor after a restart
      })
      return Effect.andThen(withCache(directory, store(asked), use), withCache(directory, store(asked), again))
    })
  )
  it.effect("goes on with a download for the others when the match that asked for it first is given up", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const [asked, arrived] = [yield* Deferred.make<void>(), yield* Deferred.make<Uint8Array>()]
        const slow = Layer.succeed(Transfers, {
          get: () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(arrived)),
          put: () => Effect.fail(new TransferFailed({ detail: "not here", gone: true }))
        })
        const use = Effect.gen(function* () {
          const cache = yield* FileCache
          const first = yield* Effect.forkChild(cache.get(fileOf("a")))
          yield* Deferred.await(asked)
          const second = yield* Effect.forkChild(cache.get(fileOf("a")), { startImmediately: true })
          yield* Fiber.interrupt(first)
          yield* Deferred.succeed(arrived, bytesOf("a"))
          assert.strictEqual(new TextDecoder().decode(yield* Fiber.join(second)), "a")
        })
        yield* withCache(directory, slow, use)
      })
    )
  )
  it.effect("leaves no match behind that waits for a download which nobody has begun, whenever the first is given up", () =>
    inDirectory((directory) =>
      brokenOffAnywhere(
        Effect.map(Layer.build(FileCache.layer(directory).pipe(Layer.provide(store([])))), Context.get(FileCache)),
        (cache) => cache.get(fileOf("a")),
        (cache) => cache.get(fileOf("a"))
      ).pipe(Effect.scoped)
    )
  )

  it.effect("refuses bytes that do not match the hash, and keeps none of them", () =>
    inDirectory((directory) => {
      const lying = store([], () => "something else")
      const use = Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip((yield* FileCache).get(fileOf("a"))))._tag, "FileUnavailable")
        assert.deepStrictEqual(readdirSync(directory), [])
      })
      return withCache(directory, lying, use)
    })
  )
  it.effect("checks cached files again, and downloads corrupted ones again", () =>
    inDirectory((directory) => {
      const asked: Array<string> = []
      const { hash } = fileOf("a")
      const use = Effect.gen(function* () {
        writeFileSync(join(directory, hash.slice("sha256:".length)), "spoiled")
        assert.strictEqual(new TextDecoder().decode(yield* (yield* FileCache).get(fileOf("a"))), "a")
        assert.deepStrictEqual(asked, ["memory:a"])
      })
      return withCache(directory, store(asked), use)
    })
  )
  it.effect("evicts the least recently used", () =>
    inDirectory((directory) => {
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        for (const text of ["aaaa", "bbbb", "cccc"]) yield* cache.get(fileOf(text))
        assert.isAtMost(readdirSync(directory).length, 2)
      })
      return withCache(directory, store([]), use, 8)
    })
  )
  it.effect("looks through a full cache once for several new files", () =>
    inDirectory((directory) => {
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        const kept = Effect.fnUntraced(function* (n: number) {
          yield* cache.get(fileOf(String.fromCharCode(200 + n)))
          return readdirSync(directory).length
        })
        const counts = yield* Effect.forEach(
          Array.from({ length: 70 }, (_, n) => n),
          kept
        )
        assert.deepStrictEqual(counts.slice(62), [63, 64, 60, 61, 62, 63, 64, 60])
      })
      return withCache(directory, store([]), use, 128)
    })
  )
  it.effect("finds what other runners of its folder keep after some minutes, without a look for each file", () =>
    inDirectory((directory) => {
      const other = hex(bytesOf("another runner's"))
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        writeFileSync(join(directory, other), "x".repeat(1_000))
        utimesSync(join(directory, other), 1, 1)
        yield* cache.get(fileOf("aaaa"))
        assert.include(readdirSync(directory), other)
        yield* TestClock.adjust("5 minutes")
        yield* cache.get(fileOf("bbbb"))
        assert.sameMembers(
          readdirSync(directory),
          ["aaaa", "bbbb"].map((text) => hex(bytesOf(text)))
        )
      })
      return withCache(directory, store([]), use, 500)
    })
  )
  it.effect("removes what a killed runner left half written, and nothing that another one may be writing", () =>
    inDirectory((directory) => {
      const [left, later, young] = [`.${randomUUID()}`, `.${randomUUID()}`, `.${randomUUID()}`]
      const write = (name: string, at_s: number) => {
        writeFileSync(join(directory, name), "x")
        utimesSync(join(directory, name), at_s, at_s)
      }
      const use = Effect.gen(function* () {
        assert.sameMembers(readdirSync(directory), [later, young])
        yield* TestClock.adjust("30 minutes")
        yield* (yield* FileCache).get(fileOf("a"))
        assert.sameMembers(readdirSync(directory), [young, hex(bytesOf("a"))])
      })
      return Effect.gen(function* () {
        yield* TestClock.adjust("2 hours")
        write(left, 3_500)
        write(later, 4_000)
        write(young, 7_000)
        yield* withCache(directory, store([]), use)
      })
    })
  )
  it.effect("leaves alone what somebody else has in its folder, files and folders, and evicts its own beside them", () =>
    inDirectory((directory) => {
      const folders = ["lost+found", ".git", hex(bytesOf("a folder"))]
      const files = [
        ".profile",
        "notes",
        "model.onnx",
        `${hex(bytesOf("a"))}.old`,
        `.${randomUUID()}.part`,
        hex(bytesOf("a")).toUpperCase()
      ]
      for (const name of folders) {
        mkdirSync(join(directory, name))
        writeFileSync(join(directory, name, "inside"), "x")
      }
      for (const name of files) writeFileSync(join(directory, name), "longer than all that may be kept")
      for (const name of [...folders, ...files]) utimesSync(join(directory, name), 1, 1)
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        for (const text of ["aaaa", "bbbb", "cccc"]) yield* cache.get(fileOf(text))
        const own = readdirSync(directory).filter((name) => !folders.includes(name) && !files.includes(name))
        assert.strictEqual(own.length, 2)
        assert.includeMembers(readdirSync(directory), [...folders, ...files])
        for (const name of folders) assert.isTrue(existsSync(join(directory, name, "inside")))
      })
      return withCache(directory, store([]), use, 8)
    })
  )
  it.effect("leaves nothing behind of a file that it cannot keep", () =>
    inDirectory((directory) => {
      const name = hex(bytesOf("a"))
      mkdirSync(join(directory, name, "in the way"), { recursive: true })
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        assert.strictEqual(new TextDecoder().decode(yield* cache.get(fileOf("a"))), "a")
        assert.deepStrictEqual(readdirSync(directory), [name])
      })
      return withCache(directory, store([]), use)
    })
  )
  it.effect("says in a sentence that its folder cannot be made, and goes on without", () =>
    inDirectory((directory) => {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(JSON.stringify(message)))])
      writeFileSync(join(directory, "a file"), "x")
      const use = Effect.gen(function* () {
        assert.strictEqual(said.length, 1, "at the start")
        assert.strictEqual(new TextDecoder().decode(yield* (yield* FileCache).get(fileOf("a"))), "a")
        assert.strictEqual(said.length, 1)
        assert.match(said[0]!, /AGON_RUNNER_CACHE keeps no files, .*ENOTDIR/)
      })
      return Effect.provide(withCache(join(directory, "a file/cache"), store([]), use), logger)
    })
  )
  it.effect.skipIf(!hasSmallDisks)("downloads a corrupted file again that it cannot remove", () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk(1 << 20)
      const asked: Array<string> = []
      writeFileSync(join(directory, hex(bytesOf("a"))), "spoiled")
      execFileSync("mount", ["-o", "remount,ro", directory])
      const use = Effect.gen(function* () {
        for (let i = 0; i < 2; i++) assert.strictEqual(new TextDecoder().decode(yield* (yield* FileCache).get(fileOf("a"))), "a")
        assert.deepStrictEqual(asked, ["memory:a", "memory:a"])
      })
      yield* withCache(directory, store(asked), use)
    }).pipe(Effect.scoped)
  )
  it("knows a disk that is full by its space and by its user's quota", () => {
    assert.deepStrictEqual(
      ["ENOSPC", "EDQUOT", "EROFS", "EACCES"].filter((code) => isFull(Object.assign(new Error(code), { code }))),
      ["ENOSPC", "EDQUOT"]
    )
  })
  it.live.skipIf(!hasSmallDisks)("makes room on a disk that is full before the cache is", () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk(1 << 20)
      const texts = ["a", "b", "c"].map((letter) => letter.repeat(400_000))
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        for (const [n, text] of texts.entries()) {
          yield* cache.get(fileOf(text))
          utimesSync(join(directory, hex(bytesOf(text))), n, n) // the file system's own times have ticks of some milliseconds
        }
        assert.sameMembers(
          readdirSync(directory),
          texts.slice(1).map((text) => hex(bytesOf(text)))
        )
      })
      yield* withCache(directory, store([]), use)
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(!hasSmallDisks)("says once a minute, in a sentence, that its disk takes no files, and goes on without", () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk(1 << 16)
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(JSON.stringify(message)))])
      const use = Effect.gen(function* () {
        const cache = yield* FileCache
        for (const letter of ["a", "b", "c"]) assert.strictEqual((yield* cache.get(fileOf(letter.repeat(400_000)))).length, 400_000)
        assert.strictEqual(said.length, 1)
        yield* TestClock.adjust("1 minute")
        yield* cache.get(fileOf("a".repeat(400_000)))
      })
      yield* Effect.provide(withCache(directory, store([]), use), logger)
      assert.strictEqual(said.length, 2)
      for (const line of said) assert.match(line, /AGON_RUNNER_CACHE keeps no files, .*ENOSPC/)
      assert.deepStrictEqual(readdirSync(directory), [])
    }).pipe(Effect.scoped)
  )
})
