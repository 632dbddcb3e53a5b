/**
 * `scripts/remove-season` on rows of every kind: it leaves none of the season and changes no
 * other, also where it was killed.
 */

import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Address, seeded } from "../support/AddressedDatabase.ts"
import { blocked, eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import * as FullSeason from "../support/FullSeason.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { holding } from "../support/holding.ts"
import { allRows } from "../support/SeasonTables.ts"

const MAIN = join(import.meta.dirname, "../../packages/server/src/removal/main.ts")

interface Ended {
  readonly status: number | null
  readonly said: string
}

/** The command as a process of its own, with this on its standard input. */
const begun = (database: string, args: ReadonlyArray<string>, input = "") => {
  const folder = mkdtempSync(join(tmpdir(), "agon-removal-"))
  const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: database, AGON_DATA: join(folder, "data"), AGON_DEV_SIGNIN: "1" }
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env })
  let said = ""
  for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => (said += chunk))
  child.stdin!.end(input)
  const ended = new Promise<Ended>((done) =>
    child.once("close", (status) => {
      rmSync(folder, { recursive: true, force: true })
      done({ status, said })
    })
  )
  return { child, ended: Effect.promise(() => ended) }
}

const command = (...args: ReadonlyArray<string>) => Effect.flatMap(Address, ({ url }) => begun(url, args).ended)
/** In a database of the same server that no service uses. */
const elsewhere = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(Address, ({ url }) => begun(url.replace(/(?<=[^/]\/)[^/?]+(?=\?|$)/, "postgres"), args).ended)
const typing = (input: string, ...args: ReadonlyArray<string>) => Effect.flatMap(Address, ({ url }) => begun(url, args, input).ended)

/** Tables whose rows outside of the season change on purpose. */
const TOUCHED = new Set(["stored_object", "audit", "notification", "view_count"])

type Rows = Effect.Success<ReturnType<typeof allRows>>

const others = (all: Rows["rows"], table: string) => all.get(table)!.flatMap(({ of_season, text }) => (of_season ? [] : [text]))

/** Nothing of the season is left in any table, and every other row is as it was. */
const assertGone = (before: Rows, after: Rows) => {
  assert.deepStrictEqual([...after.rows.keys()], [...before.rows.keys()])
  for (const [table, rows] of after.rows) {
    assert.deepStrictEqual(
      rows.filter(({ of_season }) => of_season),
      [],
      table
    )
    const left = rows.map(({ text }) => text)
    if (!TOUCHED.has(table)) assert.deepStrictEqual(left, others(before.rows, table), table)
  }
}

/** Whether no removal is connected: the server goes on with a statement that waits, though who said it was killed. */
const alone = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'agon removal'`
  ),
  ([row]) => row!.n === 0
)

const counted = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ readonly links: number; readonly views: number; readonly subjects: number }>`
      SELECT (SELECT count(link)::int FROM notification) AS links, (SELECT count(*)::int FROM notification) AS subjects,
        (SELECT count(*)::int FROM view_count) AS views`
  ),
  ([row]) => row!
)

const Ground = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Layer.build(Fixture.layer)
    yield* FullSeason.begin
  })
).pipe(Layer.provideMerge(seeded))

layer(Ground, { timeout: HANGS_AFTER_MS })("a season's removal", (it) => {
  it.effect("is refused where the season is unknown or open, and where its slug was not typed; nothing changes", () =>
    Effect.gen(function* () {
      yield* FullSeason.fullSeason(8)
      const before = yield* allRows(FullSeason.named(8).id)
      const refusals = [
        [
          yield* elsewhere("snakes", "full-8", "--yes"),
          /^the database has no tables of the service; set the variables that the service has\n$/
        ],
        [yield* command("othello", "full-8", "--yes"), /^there is no season full-8 of othello\n$/],
        [yield* command("snakes", "spring", "--yes"), /^the season spring of snakes is open; close it first/],
        [yield* command("snakes", "full-8"), /has 5 matches, 3 versions and 2 comments(.|\n)*Nothing was removed/],
        [yield* typing("full-9\n", "snakes", "full-8"), /Type full-8 to remove it: (.|\n)*Nothing was removed/]
      ] as const
      for (const [{ said, status }, expected] of refusals) {
        assert.match(said, expected)
        assert.strictEqual(status, 1, said)
      }
      for (const args of [["snakes"], ["snakes", "full-8", "--force"]]) {
        const { said, status } = yield* command(...args)
        assert.strictEqual(status, 2, said)
        assert.match(said, /^Usage: scripts\/remove-season GAME SLUG/)
      }
      assert.deepStrictEqual(yield* allRows(FullSeason.named(8).id), before)
    })
  )

  it.effect("leaves no row of it in any table, and every other row as it was", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const gone = yield* FullSeason.fullSeason(1, 1_500)
      yield* FullSeason.fullSeason(2, 20)
      const before = yield* allRows(gone.id)
      const empty = before.bound.filter((table) => !before.rows.get(table)!.some(({ of_season }) => of_season))
      assert.deepStrictEqual(empty, [], "the season of this test has rows in every table: give it some in these (FullSeason.ts)")
      const was = yield* counted

      const { said, status } = yield* typing("full-1\n", "snakes", "full-1")
      assert.strictEqual(status, 0, said)
      assert.match(said, /has 1,505 matches, 3 versions and 2 comments\.\n.* 3 replays, .* 1 files of its dataset: 54 bytes/)
      assert.match(said, /is removed: 1,505 matches, 3,008 seats, 3 versions, 1 ratings/)

      assertGone(before, yield* allRows(gone.id))
      const is = yield* counted
      assert.deepStrictEqual([was.links - is.links, was.subjects - is.subjects, was.views - is.views], [4, 0, 3])
      const [logged] =
        yield* sql`SELECT actor, game, season_id, subject, detail->'removed'->'matches' AS matches FROM audit WHERE action = 'season.remove'`
      assert.deepStrictEqual(logged, { actor: null, game: "snakes", season_id: null, subject: "full-1", matches: 1_505 })

      const objects = yield* sql<{ readonly key: string; readonly in_h: number | null }>`
        SELECT key, round(extract(epoch FROM check_at - now()) / 3600)::int AS in_h FROM stored_object`
      const dueIn = new Map(objects.map(({ in_h, key }) => [key, in_h]))
      for (const key of [...gone.replayKeys, ...gone.ownKeys, FullSeason.SHARED_KEY]) assert.strictEqual(dueIn.get(key), 24, key)
      const two = FullSeason.named(2)
      assert.deepStrictEqual(
        [...two.replayKeys, ...two.ownKeys].map((key) => dueIn.get(key)),
        [undefined, undefined, null, null]
      )

      const again = yield* command("snakes", "full-1", "--yes")
      assert.match(again.said, /^The season full-1 of snakes was removed at /)
      assert.strictEqual(again.status, 0)
    })
  )

  it.effect("that is killed anywhere is hidden, and ends the same when it is run again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { url } = yield* Address
      const gone = yield* FullSeason.fullSeason(3, 1_500)
      const before = yield* allRows(gone.id)
      const left = (table: string) =>
        Effect.map(
          sql.unsafe<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE season_id = $1::uuid`, [gone.id]),
          ([row]) => row!.n
        )
      /**
       * Killed while it waits for a row of this table that somebody else holds: so many rows are left then in
       * each of the tables. The statement that waited may still be done by the server.
       */
      const killedAt = (table: string, where: string, looked: ReadonlyArray<string>, strength = "UPDATE") =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* eventually("the server has noticed the kill before", alone)
            yield* holding(`SELECT 1 FROM ${table} t WHERE ${where} FOR ${strength}`)
            const running = begun(url, ["snakes", "full-3", "--yes"])
            yield* Effect.addFinalizer(() => Effect.sync(() => void running.child.kill("SIGKILL")))
            yield* blocked(1)
            running.child.kill("SIGKILL")
            assert.isNull((yield* running.ended).status)
            return yield* Effect.forEach(looked, left)
          })
        )

      const first = yield* killedAt("thread", `id = '${gone.idOf("thread", 1)}'`, ["participant", "thread", "match"])
      assert.deepStrictEqual(first, [0, 2, 1_505])
      const [hidden] = yield* sql`SELECT visibility, featured FROM season WHERE id = ${gone.id}`
      assert.deepStrictEqual(hidden, { visibility: "private", featured: false })

      const [matches, seats, ratings] = yield* killedAt("match", `season_id = '${gone.id}' AND rated_n = 1400`, ["match", "seat", "rating"])
      assert.isTrue(matches! > 100 && matches! < 1_505, `${matches} are left`)
      assert.deepStrictEqual([seats, ratings], [(matches! - 1) * 2, 1])

      const second = yield* killedAt("match", `id = '${gone.idOf("match", 4)}'`, ["match", "seat"])
      assert.deepStrictEqual(second, [3, 4])

      const third = yield* killedAt("version", `id = '${gone.idOf("version", 2)}'`, ["match", "rating", "version", "audit"])
      assert.deepStrictEqual(third, [0, 0, 3, 1])

      // As a request that adds a row to the season.
      const fourth = yield* killedAt("season", `id = '${gone.id}'`, ["version", "audit"], "KEY SHARE")
      assert.deepStrictEqual(fourth, [0, 0])
      yield* eventually("the server has noticed the last kill", alone)
      const last = yield* command("snakes", "full-3", "--yes")
      assert.strictEqual(last.status, 0, last.said)
      assertGone(before, yield* allRows(gone.id))
    })
  )
})
