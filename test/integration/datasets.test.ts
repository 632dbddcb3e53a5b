/** Datasets as a reader gets them from a running service, and a node that is killed while it makes them. */

import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatasetMaker } from "@agon/server/dataset/DatasetMaker.ts"
import { PauseTimes } from "@agon/server/dataset/PartFiles.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import * as Postgres from "../support/Postgres.ts"
import { PYTHON, ROOT, run } from "../support/python.ts"
import { Service, layer as service } from "../support/Service.ts"
import { seedAccounts } from "../support/Web.ts"

const ZSTD = "/usr/bin/zstd"
const missing = [PYTHON, ZSTD].find((path) => !existsSync(path))
const NODE = join(import.meta.dirname, "datasetNode.ts")

/** The program of docs/datasets.md. */
const READER = /```python\n(.*?)```/s.exec(readFileSync(join(ROOT, "docs/datasets.md"), "utf8"))![1]!

class DatabaseUrl extends Context.Service<DatabaseUrl, string>()("test/DatabaseUrl") {}

const seeded = Fixture.layer.pipe(Layer.provide(Layer.effectDiscard(seedAccounts)))
const withUrl = Layer.unwrap(
  Effect.map(Postgres.url({ migrate: true }), (database_url) =>
    seeded.pipe(Layer.provideMerge(service({ database_url })), Layer.provideMerge(Layer.succeed(DatabaseUrl, Redacted.value(database_url))))
  )
)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-datasets-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const make = Effect.gen(function* () {
  const directory = yield* folder
  const { look } = yield* Effect.provide(DatasetMaker, Layer.fresh(DatasetMaker.layer({ datasets: "all", directory })))
  return yield* look
}).pipe(Effect.scoped, Effect.provideService(PauseTimes, 0))

const listed = Effect.gen(function* () {
  const { origin } = yield* Service
  const answer = yield* Effect.promise(() => fetch(`${origin}/v1/games/snakes/seasons/spring/datasets`))
  assert.strictEqual(answer.status, 200)
  return ((yield* Effect.promise(() => answer.json())) as any).datasets as ReadonlyArray<any>
})

layer(withUrl, { excludeTestServices: true, timeout: HANGS_AFTER_MS })("datasets of a running service", (it) => {
  it.effect("are made by the next node where one was killed between the store and the rows, and nothing half made is ever listed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { directory } = yield* Service
      const node = yield* folder
      const objects = join(directory, "objects")
      const url = yield* DatabaseUrl
      const killed = yield* Effect.promise(
        () =>
          new Promise<string | null>((done) =>
            execFile(process.execPath, [NODE, url, objects, node], (error) => done(error?.signal ?? String(error)))
          )
      )
      assert.strictEqual(killed, "SIGKILL")
      assert.isAtLeast(readdirSync(join(node, "making")).length, 1, "its files are left behind")
      assert.deepStrictEqual(yield* sql`SELECT 1 FROM dataset_file`, [])
      const [object] = readdirSync(join(objects, "objects/datasets"))
      assert.isString(object, "what it had put lies in the store")
      assert.deepStrictEqual(yield* listed, [])
      yield* sql`UPDATE dataset_claim SET until = now() - interval '1 second'` // five minutes later
      assert.strictEqual(yield* make, 2, "a day of spring, a day of winter")
      assert.lengthOf(yield* sql`SELECT 1 FROM dataset_file`, 2)
    }).pipe(Effect.scoped)
  )

  const title = `are read by the program of the documents${missing === undefined ? "" : ` (no ${missing})`}`
  it.effect.skipIf(missing !== undefined)(title, () =>
    Effect.gen(function* () {
      const { origin } = yield* Service
      const sql = yield* SqlClient.SqlClient
      const here = yield* folder
      writeFileSync(join(here, "datasets.py"), READER)
      assert.isAtMost(READER.trim().split("\n").length, 45)
      const read = Effect.map(
        Effect.promise(() => run(PYTHON, [join(here, "datasets.py"), origin, "snakes", "spring", here])),
        ({ output, status }) => {
          assert.strictEqual(status, 0, output)
          return output.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line).id]))
        }
      )
      const { nano, open } = Fixture.matchIds
      yield* eventually(
        "the list has the files",
        Effect.map(listed, ({ length }) => length > 0)
      )
      assert.deepStrictEqual(yield* read, [nano, open])
      const kept = readdirSync(here).filter((name) => name.endsWith(".zst"))
      assert.deepStrictEqual(kept, ["1969-12-31-1.matches.jsonl.zst"])
      assert.deepStrictEqual(yield* read, [nano, open], "what is there is not downloaded again")
      yield* sql`UPDATE season SET head = head || '{"now": 1740000000000}' WHERE slug = 'spring'`
      yield* sql`UPDATE match SET status = 'failed', rated_n = NULL WHERE id = ${nano}`
      assert.strictEqual(yield* make, 1)
      yield* eventually(
        "the list has the void",
        Effect.map(listed, ({ length }) => length === 2)
      )
      assert.deepStrictEqual(yield* read, [open])
      // A file that is not what the list says is not kept.
      rmSync(join(here, kept[0]!))
      const [first] = yield* listed
      const path = join((yield* Service).directory, "objects", new URL(first.url).pathname)
      writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from("x")]))
      const damaged = yield* Effect.promise(() => run(PYTHON, [join(here, "datasets.py"), origin, "snakes", "spring", here]))
      assert.strictEqual(damaged.status, 1)
      assert.match(damaged.output, /is not what the list says/)
    }).pipe(Effect.scoped)
  )
})
