/**
 * Real nodes on schemas of other releases: older ones, which they bring up to date in turn; newer ones, on
 * which they play on; and ones that need a later release, which they refuse
 * (packages/server/README.md#migrations).
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { StartRefused } from "@agon/server/config/StartRefused.ts"
import { MIGRATION_NUMBERS, migrateBy, migrateTo } from "@agon/server/database/migrate.ts"
import { migrations } from "@agon/server/database/migrations/index.ts"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { assert, describe, it } from "vitest"
import * as Program from "../e2e/Program.ts"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Postgres from "../support/Postgres.ts"

const MAIN = join(import.meta.dirname, "../../packages/server/src/main.ts")
const LAST = MIGRATION_NUMBERS.at(-1)!
/** An earlier release's last migration: later ones are waiting on its database. */
const EARLIER = 34
const TIMEOUT = 120_000
/** The advisory lock of migrations. */
const LOCK = 4_607_182

interface World {
  readonly sql: SqlClient.SqlClient
  readonly run: <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) => Promise<A>
  /** A node as a process of its own; ended with the test. */
  readonly launch: () => Promise<Program.Program & { readonly origin: string }>
}

/** An empty database of its own, and nodes on it. */
const inWorld = (body: (world: World) => Promise<void>) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* Postgres.url()
        const sql = Context.get(yield* Layer.build(PgClient.layer({ url, maxConnections: 3 })), SqlClient.SqlClient)
        const directory = mkdtempSync(join(tmpdir(), "agon-beside-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 })))
        const scope = yield* Scope.Scope
        const launch = async () => {
          const [port, node] = [await freePort(), await freePort()]
          const own = { DATABASE_URL: Redacted.value(url), AGON_DATA: directory, AGON_DEV_SIGNIN: "1", AGON_METRICS: "off" }
          const program = Program.launch(process.execPath, [MAIN], { ...own, PORT: String(port), AGON_NODE: `127.0.0.1:${node}` })
          await Effect.runPromise(
            Scope.addFinalizer(
              scope,
              Effect.promise(() => ended(program))
            )
          )
          return { ...program, origin: `http://127.0.0.1:${port}` }
        }
        const run: World["run"] = (effect) => Effect.runPromise(Effect.provideService(effect, SqlClient.SqlClient, sql))
        yield* Effect.promise(() => body({ sql, run, launch }))
      })
    )
  )

const ended = async (program: Program.Program) => {
  if (!program.over()) process.kill(program.pid, "SIGKILL")
  await program.ended
}

type Node = Awaited<ReturnType<World["launch"]>>

const answers = async ({ log, origin, over }: Node) => {
  await eventuallyAsync(`an answer of ${origin}`, async () => {
    if (over()) throw new Hopeless(`the node ended: ${log()}`)
    return (await fetch(`${origin}/readyz`)).ok
  })
  assert.strictEqual((await fetch(`${origin}/v1/games`)).status, 200)
}

const numbers = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly n: number }>`SELECT migration_id::int AS n FROM agon_migration ORDER BY 1`, (rows) => rows.map(({ n }) => n))

/** Those who wait for the lock of migrations. */
const waiting = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`,
    ([row]) => row!.n
  )

/** As a later release would have left it, whose last migration is that one. */
const later = (sql: SqlClient.SqlClient, number: number, name: string) =>
  sql`INSERT INTO agon_migration (migration_id, name) VALUES (${number}, ${name})`

describe("a node", () => {
  it("waits for another one's migrations, and two that start at once bring an older schema up to date once", { timeout: TIMEOUT }, () =>
    inWorld(async ({ launch, run, sql }) => {
      await run(migrateTo(EARLIER))
      let nodes: ReadonlyArray<Node> = []
      await run(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SELECT pg_advisory_xact_lock(${LOCK})`
            yield* Effect.promise(async () => {
              nodes = [await launch(), await launch()]
              await eventuallyAsync("both wait", async () => (await run(waiting(sql))) === nodes.length)
            })
            for (const { origin, over } of nodes) {
              assert.isFalse(over())
              const refused = Effect.promise(() =>
                fetch(origin).then(
                  () => false,
                  () => true
                )
              )
              assert.isTrue(yield* refused, "it answers nobody yet")
            }
          })
        )
      )
      for (const node of nodes) await answers(node)
      assert.deepStrictEqual(await run(numbers(sql)), [...MIGRATION_NUMBERS])
    })
  )

  it("starts on a newer schema that only adds, and on one that needs no more than it has", { timeout: TIMEOUT }, () =>
    inWorld(async ({ launch, run, sql }) => {
      await run(migrateTo(LAST))
      await run(later(sql, 9000, "added"))
      await run(later(sql, 9001, `needs_${String(LAST).padStart(4, "0")}_drops`))
      await answers(await launch())
      assert.deepStrictEqual(await run(numbers(sql)), [...MIGRATION_NUMBERS, 9000, 9001])
    })
  )

  it("refuses a schema that needs a later release, with one sentence that says which", { timeout: TIMEOUT }, () =>
    inWorld(async ({ launch, run, sql }) => {
      await run(migrateTo(LAST))
      await run(later(sql, 9001, "needs_9000_drops"))
      const node = await launch()
      assert.deepStrictEqual(await node.ended, { status: 1, signal: null })
      const lines = node.log().trim().split("\n")
      assert.lengthOf(lines, 1)
      assert.match(lines[0]!, /^DATABASE_URL: the database has migration 9001, after which only releases with migration 9000 can use it, /)
      assert.match(lines[0]!, new RegExp(`this one ends with 0*${LAST}; start a later release, or restore a backup from before it$`))
    })
  )

  it("is in the way of a migration that it would not survive, until it is stopped", { timeout: TIMEOUT }, () =>
    inWorld(async ({ launch, run, sql }) => {
      const node = await launch()
      await answers(node)
      const contract = { ...migrations, "9001_needs_9000_drops": Effect.asVoid(sql.unsafe("DROP TABLE pick")) }
      const refused = await run(Effect.flip(migrateBy(contract)))
      assert.instanceOf(refused, StartRefused)
      assert.match(refused.message, /^DATABASE_URL: migration 9001 removes what nodes without migration 9000 read, and such nodes run /)
      assert.deepStrictEqual(await run(numbers(sql)), [...MIGRATION_NUMBERS])
      await answers(node)
      const survived = { ...migrations, [`9001_needs_${String(LAST).padStart(4, "0")}_drops`]: Effect.void }
      assert.lengthOf(await run(Effect.asVoid(migrateBy(survived)).pipe(Effect.andThen(numbers(sql)))), MIGRATION_NUMBERS.length + 1)
      await run(sql`DELETE FROM agon_migration WHERE migration_id = 9001`)
      process.kill(node.pid, "SIGTERM")
      assert.deepStrictEqual(await node.ended, { status: 0, signal: null })
      await run(migrateBy(contract))
      assert.deepStrictEqual(await run(numbers(sql)), [...MIGRATION_NUMBERS, 9001])
    })
  )

  it("that has migrated, and is not up yet when such a migration has its turn, does not play on after it", { timeout: TIMEOUT }, () =>
    inWorld(async ({ launch, run, sql }) => {
      await run(migrateTo(LAST))
      const contract = { ...migrations, "9001_needs_9000_drops": Effect.asVoid(sql.unsafe("DROP TABLE pick")) }
      let contracting: Promise<unknown> = Promise.resolve()
      const begun = Effect.promise(async () => {
        const node = await launch()
        await eventuallyAsync("the node waits", async () => (await run(waiting(sql))) === 1)
        contracting = run(Effect.exit(migrateBy(contract)))
        await eventuallyAsync("the migration waits behind it", async () => (await run(waiting(sql))) === 2)
        return node
      })
      const node = await run(sql.withTransaction(Effect.andThen(sql`SELECT pg_advisory_xact_lock(${LOCK})`, begun)))
      await contracting
      const plays = await answers(node).then(
        () => true,
        () => false
      )
      assert.strictEqual((await run(numbers(sql))).includes(9001), !plays, "the node plays, or its schema is gone")
      if (plays) return
      assert.deepStrictEqual(await node.ended, { status: 1, signal: null })
      assert.match(node.log(), /^DATABASE_URL: the database has migration 9001, after which only releases with migration 9000 can use it, /)
    })
  )
})
