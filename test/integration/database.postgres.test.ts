import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Postgres from "../support/Postgres.ts"

const tables = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const rows = yield* sql<{ name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`
  return rows.map((row) => row.name)
})

describe("the test database", () => {
  it.effect("every layer has a database of its own, and starts empty", () =>
    Effect.gen(function* () {
      const write = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        assert.deepStrictEqual(yield* tables, [])
        yield* sql`CREATE TABLE mark (id int)`
        assert.deepStrictEqual(yield* tables, ["mark"])
      })
      yield* Effect.all([write.pipe(Effect.provide(Postgres.layer())), write.pipe(Effect.provide(Postgres.layer()))], { concurrency: 2 })
    })
  )

  it.effect("`migrate` gives the service's schema", () =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) assert.include(yield* tables, "agon_migration")
    }).pipe(Effect.provide(Postgres.layer({ migrate: true })))
  )

  it.effect("`durable` syncs to disk and the others do not", () =>
    Effect.gen(function* () {
      const fsync = Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        return (yield* sql<{ fsync: string }>`SHOW fsync`)[0]!.fsync
      })
      assert.strictEqual(yield* Effect.provide(fsync, Postgres.layer({ durable: true })), "on")
      assert.strictEqual(yield* Effect.provide(fsync, Postgres.layer()), "off")
    })
  )

  it("leaves neither a server nor a directory behind when its process is killed", async () => {
    const script = `import { Effect, Redacted } from "effect"; import { url } from "${import.meta.dirname}/../support/Postgres.ts"
      console.log(Redacted.value(await Effect.runPromise(url()))); process.kill(process.pid, "SIGKILL")`
    const { signal, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
    assert.strictEqual(signal, "SIGKILL")
    const directory = decodeURIComponent(/host=(\S+)/.exec(stdout)![1]!)
    for (let waited_ms = 0; existsSync(directory) && waited_ms < 20_000; waited_ms += 50) await setTimeout(50)
    assert.isFalse(existsSync(directory))
  })
})
