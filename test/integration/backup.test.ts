/** The commands `scripts/backup` and `scripts/restore` on rows of every kind, and on backups that are not whole. */

import { execFile, execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { dirname, join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { serverUser } from "@agon/embedded-postgres/serverUser.ts"
import { backup } from "@agon/server/backup/backup.ts"
import { MIGRATION_NUMBERS, migrate } from "@agon/server/database/migrate.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import * as S3Objects from "@agon/server/object/s3/S3Objects.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { blocked } from "../support/eventually.ts"
import * as FirstRelease from "../support/FirstRelease.ts"
import * as Fixture from "../support/Fixture.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { holdingUntil } from "../support/holding.ts"
import * as Postgres from "../support/Postgres.ts"
import { missingS3, S3Server } from "../support/S3Server.ts"
import { hasSmallDisks, smallDisk } from "../support/SmallDisk.ts"
import { leftOut } from "../support/slow.ts"
import { seedAccounts } from "../support/Web.ts"

const MAIN = join(import.meta.dirname, "../../packages/server/src/backup/main.ts")
/** Of the fixture's objects those whose files the test makes; the others are lost. */
const REPLAY_HASH = hash("sha256", "a replay")
const REPLAY = `replays/${Fixture.matchIds.open}.${REPLAY_HASH}`
const DATASET_HASH = hash("sha256", "a dataset")
const DATASET = `datasets/${Fixture.seasonIds.spring}/${DATASET_HASH}/2026-01-01-1.matches.jsonl.zst`

interface Ended {
  readonly status: number
  readonly said: string
}

interface Place {
  readonly folder: string
  readonly database: string
  /** A new, empty database. */
  readonly empty: Effect.Effect<string>
  readonly run: (database: string, data: string, ...args: ReadonlyArray<string>) => Effect.Effect<Ended>
}

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-backup-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface User {
  /** A folder of its own. */
  readonly home: string
  readonly uid?: number
  readonly gid?: number
}

/** The user of Postgres, who reaches the database, where tests run as root; else the one that they run as. */
const anotherUser = Effect.map(temporary, (home) => {
  const user = serverUser()
  if (user === undefined) return { home, name: userInfo().username }
  const { gid, uid } = user
  chownSync(home, uid, gid)
  return { home, uid, gid, name: execFileSync("id", ["-nu", String(uid)], { encoding: "utf8" }).trim() }
})

/** How a command ended that this user gave in its folder. */
const ended = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>, { home, ...as }: User) =>
  Effect.promise(
    () =>
      new Promise<Ended>((done) => {
        const env = { PATH: process.env["PATH"] ?? "", ...environment }
        execFile(process.execPath, [MAIN, ...args], { cwd: home, env, ...as, timeout: 60_000 }, (error, out, err) =>
          done({ status: Number(error?.code ?? 0), said: out + err })
        )
      })
  )

class Ground extends Context.Service<Ground, Place>()("test/Ground") {
  static readonly layer = Layer.effect(
    Ground,
    Effect.gen(function* () {
      const folder = yield* temporary
      const database = Redacted.value(yield* Postgres.url({ migrate: true }))
      const run: Place["run"] = (url, data, ...args) =>
        ended(args, { DATABASE_URL: url, AGON_DATA: resolve(folder, data), AGON_DEV_SIGNIN: "1" }, { home: folder })
      const seed = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* seedAccounts
        yield* Layer.build(Fixture.layer)
        yield* sql`UPDATE account SET bio = ${'quotes " and \\ back\\slashes, {braces}\nlines\tand (rows), é 🐍'} WHERE username = 'ada'`
        yield* sql`INSERT INTO dataset_file (season_id, day, part, kind, key, sha256, bytes, rows, through_n, last, made_at)
          VALUES (${Fixture.seasonIds.spring}, '2026-01-01', 1, 'matches', ${DATASET}, ${DATASET_HASH}, 9, 1, 1, true, now())`
        yield* sql`INSERT INTO announcement (id, title, body, created_at) VALUES (gen_random_uuid(), 'Told', 'to all', '2026-01-02')`
        // A trigger writes a row of discussed_match for it, which the backup has as well.
        yield* sql`INSERT INTO thread (id, match_id, season_id, ended_at, comments, created_at)
          SELECT gen_random_uuid(), id, season_id, ended_at, 2, now() FROM match WHERE id = ${Fixture.matchIds.open}`
        // A webhook that is newer than its account's notices: a trigger would deliver them when they are written again.
        yield* sql`INSERT INTO notification (id, account_id, kind, subject, created_at)
          SELECT gen_random_uuid(), id, 'version_entered', 'Old news', now() FROM account WHERE username = 'ada'`
        yield* sql`INSERT INTO webhook (id, account_id, url, secret, created_at)
          SELECT gen_random_uuid(), id, 'https://elsewhere.test', 's', now() FROM account WHERE username = 'ada'`
        yield* sql`UPDATE match SET replay_hash = ${`sha256:${REPLAY_HASH}`} WHERE id = ${Fixture.matchIds.open}`
        yield* sql`UPDATE rating SET mu = 'NaN', sigma = 0.1::float8 + 0.2::float8 WHERE ladder = 'micro'`
      })
      yield* Effect.scoped(seed).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(database), maxConnections: 1 })), Effect.orDie)
      for (const [key, content] of [
        [REPLAY, "a replay"],
        [DATASET, "a dataset"]
      ] as const) {
        const path = join(folder, "data/objects/objects", key)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, content)
      }
      return { folder, database, empty: Effect.map(Postgres.url(), Redacted.value), run }
    })
  )
}

const done = (running: Effect.Effect<Ended>) => Effect.map(running, ({ said, status }) => assert.strictEqual(status, 0, said))

const tables = (backup: string) =>
  Object.fromEntries(
    readdirSync(join(backup, "tables")).map((name) => [name, gunzipSync(readFileSync(join(backup, "tables", name))).toString()])
  )

/** Sets the database for the connections that are made from then on. */
const setOf = (database: string, to: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`ALTER DATABASE "${decodeURIComponent(new URL(database).pathname.slice(1))}" ${to}`)
  ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(database), maxConnections: 1 })), Effect.orDie)

layer(Ground.layer, { timeout: HANGS_AFTER_MS })("a backup", (it) => {
  it.effect("is refused where objects are lost, which --incomplete leaves out; nothing of a refused one is taken for a backup", () =>
    Effect.gen(function* () {
      const { database, empty, folder, run } = yield* Ground
      const refused = yield* run(database, "data", "backup", join(folder, "refused"))
      assert.strictEqual(refused.status, 1, refused.said)
      assert.match(refused.said, /^\d+ objects that the database names are not in the object store or damaged there, .* With --incomplete/)
      const half = yield* run(yield* empty, "elsewhere", "restore", join(folder, "refused"))
      assert.deepStrictEqual([half.status, /holds a backup that was not finished/.test(half.said)], [1, true], half.said)
      const again = yield* run(database, "data", "backup", join(folder, "refused"), "--incomplete")
      assert.match(again.said, /holds a backup that was not finished; remove it/)
      const made = yield* run(database, "data", "backup", join(folder, "kept"), "--incomplete")
      assert.strictEqual(made.status, 0, made.said)
      assert.match(made.said, /tables with \d+ rows and 2 objects of 17 bytes/)
    })
  )

  it.effect("has no file whose content is another than its name says: --incomplete leaves it out as a lost one", () =>
    Effect.gen(function* () {
      const { database, folder, run } = yield* Ground
      const damaged = join(folder, "damaged/objects/objects", REPLAY)
      cpSync(join(folder, "data"), join(folder, "damaged"), { recursive: true })
      writeFileSync(damaged, "a re\0lay")
      const refused = yield* run(database, "damaged", "backup", join(folder, "of-damaged"))
      assert.strictEqual(refused.status, 1, refused.said)
      assert.match(refused.said, /^\d+ objects that the database names are not in the object store or damaged there, .* With --incomplete/)
      const made = yield* run(database, "damaged", "backup", join(folder, "without-damaged"), "--incomplete")
      assert.match(made.said, /tables with \d+ rows and 1 objects of 9 bytes/)
    })
  )

  it.effect(
    "comes back into another database bit for bit, with its objects and its secrets, and no later release is needed to read it",
    () =>
      Effect.gen(function* () {
        const { empty, folder, run } = yield* Ground
        const other = yield* empty
        const kept = join(folder, "kept")
        yield* done(run(other, "other", "restore", kept))
        assert.strictEqual(readFileSync(join(folder, "other/objects/objects", REPLAY), "utf8"), "a replay")
        assert.strictEqual(readFileSync(join(folder, "other/objects/objects", DATASET), "utf8"), "a dataset")
        const secret = (data: string) => readFileSync(join(folder, data, "secrets/object-urls"), "utf8")
        assert.strictEqual(secret("other"), secret("data"))
        assert.strictEqual(statSync(join(folder, "other/secrets/object-urls")).mode & 0o777, 0o600)
        const again = join(folder, "again")
        yield* done(run(other, "other", "backup", again, "--incomplete"))
        const [was, is] = [tables(kept), tables(again)]
        assert.sameMembers(Object.keys(is), Object.keys(was))
        for (const [name, rows] of Object.entries(was)) assert.sameMembers(is[name]!.split("\n"), rows.split("\n"), name)
        assert.match(was["account.gz"]!, /🐍/)
        assert.match(was["rating.gz"]!, /NaN,0.30000000000000004/)
        // Generated numbers go on, and the migrations of this release find nothing to do.
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          assert.deepStrictEqual(yield* migrate, [])
          yield* sql`INSERT INTO board_switch (season_id, map_id, at, enabled) SELECT season_id, map_id, now(), true FROM board LIMIT 1`
        }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(other), maxConnections: 1 })))
        const full = yield* run(other, "other", "restore", kept)
        assert.deepStrictEqual([full.status, /holds a service's data already; --replace/.test(full.said)], [1, true], full.said)
        yield* done(run(other, "other", "restore", kept, "--replace"))
        // A restore that is repeated still has the secrets of the backup, though the first try
        // made those that it has not got.
        assert.strictEqual((yield* run(other, "repeated", "restore", kept)).status, 1)
        yield* done(run(yield* empty, "repeated", "restore", kept))
        assert.strictEqual(secret("repeated"), secret("data"))
      })
  )

  it.effect("comes back whatever the order of its tables: no trigger adds to what it has", () =>
    Effect.gen(function* () {
      const { empty, folder, run } = yield* Ground
      const other = yield* empty
      const [kept, reversed] = [join(folder, "kept"), join(folder, "reversed")]
      cpSync(kept, reversed, { recursive: true })
      const path = join(reversed, "backup.json")
      const { tables: named, ...rest } = JSON.parse(readFileSync(path, "utf8"))
      writeFileSync(path, JSON.stringify({ ...rest, tables: named.toReversed() }))
      yield* done(run(other, "turned", "restore", reversed))
      yield* done(run(other, "turned", "backup", join(folder, "turned-again"), "--incomplete"))
      const [was, is] = [tables(kept), tables(join(folder, "turned-again"))]
      for (const [name, rows] of Object.entries(was)) assert.sameMembers(is[name]!.split("\n"), rows.split("\n"), name)
    })
  )

  it.effect("has text of one form, whatever forms the two databases are set to", () =>
    Effect.gen(function* () {
      const { database, empty, folder, run } = yield* Ground
      const set = (to: string) => setOf(database, to)
      for (const form of ["DateStyle TO 'SQL, DMY'", "extra_float_digits TO 0", "bytea_output TO 'escape'"]) yield* set(`SET ${form}`)
      yield* done(run(database, "data", "backup", join(folder, "other-forms"), "--incomplete"))
      yield* set("RESET ALL")
      assert.deepStrictEqual(tables(join(folder, "other-forms")), tables(join(folder, "kept")))
      yield* done(run(yield* empty, "forms", "restore", join(folder, "other-forms")))
    })
  )

  it.effect("is made and put back in whatever time, also where the database gives a transaction little", () =>
    Effect.gen(function* () {
      const { database, empty, folder, run } = yield* Ground
      const [slow, other] = [join(folder, "slow"), yield* empty]
      const made = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const letGo = yield* holdingUntil(sql`LOCK TABLE comment IN ACCESS EXCLUSIVE MODE`)
        yield* setOf(database, "SET transaction_timeout TO '300ms'")
        const making = yield* Effect.forkChild(run(database, "data", "backup", slow, "--incomplete"))
        yield* blocked(1)
        yield* Effect.promise(() => new Promise((after) => setTimeout(after, 500)))
        yield* letGo
        return yield* Fiber.join(making)
      }).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(database), maxConnections: 2 })),
        Effect.ensuring(setOf(database, "RESET ALL"))
      )
      assert.strictEqual(made.status, 0, made.said)
      yield* setOf(other, "SET transaction_timeout TO '100ms'")
      yield* done(run(other, "slow", "restore", slow))
    })
  )

  it.effect("holds no transaction open while objects are copied, however long that takes", () =>
    Effect.gen(function* () {
      const { database, folder } = yield* Ground
      const url = Redacted.make(database)
      const seen: Array<number> = []
      const held = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.map(
          sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'`,
          (rows) => void seen.push(rows.length)
        )
      ).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })), Effect.orDie)
      const read = () => Effect.as(held, Option.none<Uint8Array>())
      const settings = { directory: join(folder, "data"), database_url: url } as never
      yield* backup(settings, join(folder, "open"), { read, incomplete: true }).pipe(Effect.provide(PgClient.layer({ url })))
      assert.isAbove(seen.length, 2)
      assert.deepStrictEqual([...new Set(seen)], [0])
    })
  )

  it.effect("is made of the schema of the first release, before the new one's first start, and comes back as it was", () =>
    Effect.gen(function* () {
      const { empty, folder, run } = yield* Ground
      const [old, other] = [yield* empty, yield* empty]
      const on = (database: string) => PgClient.layer({ url: Redacted.make(database), maxConnections: 1 })
      yield* FirstRelease.restore.pipe(Effect.provide(on(old)))
      const [match] = yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ readonly id: string }>`SELECT id FROM match WHERE replay_hash IS NOT NULL LIMIT 1`
      ).pipe(Effect.provide(on(old)))
      const replay = join("objects/objects/replays", match!.id) // where that release put it
      mkdirSync(dirname(join(folder, "old", replay)), { recursive: true })
      writeFileSync(join(folder, "old", replay), "an old replay")
      const kept = join(folder, "first")
      const made = yield* run(old, "old", "backup", kept, "--incomplete")
      assert.match(made.said, /tables with \d+ rows and 1 objects of 13 bytes/)
      yield* done(run(other, "new", "restore", kept))
      assert.strictEqual(readFileSync(join(folder, "new", replay), "utf8"), "an old replay")
      yield* done(run(other, "new", "backup", join(folder, "first again"), "--incomplete"))
      assert.deepStrictEqual(tables(join(folder, "first again")), tables(kept))
      assert.strictEqual((yield* migrate.pipe(Effect.provide(on(other)))).at(-1)?.[0], MIGRATION_NUMBERS.at(-1))
    })
  )

  const damages: ReadonlyArray<readonly [string, (backup: string) => void, RegExp]> = [
    ["a table that is cut short", (backup) => truncateSync(join(backup, "tables/season.gz"), 40), /season\.gz is damaged/],
    ["an object that is another", (backup) => writeFileSync(join(backup, "objects", REPLAY), "another!"), /object replays\/.* is damaged/],
    ["no manifest", (backup) => rmSync(join(backup, "backup.json")), /not finished/],
    [
      "the manifest of a later release",
      (backup) => {
        const path = join(backup, "backup.json")
        writeFileSync(path, readFileSync(path, "utf8").replace(/"migration": \d+/, '"migration": 9999'))
      },
      /which this release does not know/
    ],
    ...["../../stranger", "postgres"].map(
      (name) =>
        [
          `a manifest that names ${name.replace(/.*\//, "a ")} as a secret`,
          (backup: string) => {
            const path = join(backup, "backup.json")
            writeFileSync(path, readFileSync(path, "utf8").replace('"object-urls"', JSON.stringify(name)))
          },
          /is not the manifest of a backup of this format/
        ] as const
    )
  ]
  it.effect.each(damages)("with %s is refused before anything is changed", ([name, damage, says]) =>
    Effect.gen(function* () {
      const { empty, folder, run } = yield* Ground
      const [damaged, data] = [join(folder, name.replaceAll(" ", "-")), `data-${name.replaceAll(" ", "-")}`]
      cpSync(join(folder, "kept"), damaged, { recursive: true })
      damage(damaged)
      const { said, status } = yield* run(yield* empty, data, "restore", damaged)
      assert.strictEqual(status, 1, said)
      assert.match(said, says)
      assert.isFalse(existsSync(join(folder, data)))
    })
  )

  it.effect.skipIf(!hasSmallDisks)("that its disk has no room for says so in one line, with the directory that is of no use", () =>
    Effect.gen(function* () {
      const { database, run } = yield* Ground
      const small = yield* smallDisk(64 * 1024)
      const { said, status } = yield* run(database, "data", "backup", join(small, "kept"), "--incomplete")
      assert.strictEqual(status, 1, said)
      assert.match(said, /^[^\n]*no space left on device[^\n]*; [^\n]*\/kept was not finished: remove it\n$/)
    })
  )

  it.effect("in a folder that is not its user's is refused in one line that names the user", () =>
    Effect.gen(function* () {
      const { database } = yield* Ground
      const others = yield* temporary
      const user = yield* anotherUser
      const asUser = (...args: ReadonlyArray<string>) =>
        ended(args, { DATABASE_URL: database, AGON_DATA: join(user.home, "data"), AGON_DEV_SIGNIN: "1" }, user)
      mkdirSync(join(others, "kept"))
      chmodSync(join(others, "kept"), 0)
      chmodSync(others, 0o555)
      const who = `; this runs as the user ${user.name}, who may not do that\n`
      for (const [command, name, why] of [
        ["backup", "new", "permission denied, mkdir"],
        ["backup", "kept", "permission denied, scandir"],
        ["restore", "kept", "permission denied, scandir"]
      ] as const) {
        const path = join(others, name)
        assert.deepStrictEqual(yield* asUser(command, path), { status: 1, said: `${path}: EACCES: ${why} '${path}'${who}` })
      }
    })
  )

  it.effect.skipIf(serverUser() === undefined)("that root puts back is the user's whom AGON_DATA belongs to", () =>
    Effect.gen(function* () {
      const { empty, folder, run } = yield* Ground
      const { gid = 0, home, uid = 0 } = yield* anotherUser
      const data = join(home, "data")
      mkdirSync(data)
      chownSync(data, uid, gid)
      yield* done(run(yield* empty, data, "restore", join(folder, "kept"), "--replace"))
      const paths = readdirSync(data, { recursive: true, encoding: "utf8" })
      assert.includeMembers(paths, ["secrets/site", `objects/objects/${REPLAY}`, `objects/objects/${dirname(REPLAY)}`])
      const left = paths.filter((path) => statSync(join(data, path)).uid !== uid || statSync(join(data, path)).gid !== gid)
      assert.deepStrictEqual(left, [])
    })
  )

  it.effect.skipIf(process.platform !== "linux")("is refused under /proc, where no folder can be made", () =>
    Effect.gen(function* () {
      const { database, run } = yield* Ground
      const path = "/proc/agon/kept"
      const said = `${path}: ENOENT: no such file or directory, mkdir '/proc/agon'\n`
      assert.deepStrictEqual(yield* run(database, "data", "backup", path), { status: 1, said })
    })
  )

  it.effect("leaves out what others keep in the same schema, and is put over an extension's tables", () =>
    Effect.gen(function* () {
      const { empty, folder, run } = yield* Ground
      const [kept, shared] = [join(folder, "kept"), yield* empty]
      yield* done(run(shared, "shared", "restore", kept))
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.gen(function* () {
          yield* sql`CREATE TABLE contact (id int PRIMARY KEY, account_id uuid REFERENCES account)`
          yield* sql`INSERT INTO contact SELECT 1, id FROM account LIMIT 1`
          yield* sql`CREATE TABLE of_an_extension (id int)`
          yield* sql`ALTER EXTENSION plpgsql ADD TABLE of_an_extension`
        })
      ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(shared), maxConnections: 1 })), Effect.orDie)
      const beside = join(folder, "beside-others")
      yield* done(run(shared, "shared", "backup", beside, "--incomplete"))
      assert.deepStrictEqual(tables(beside), tables(kept))
      yield* done(run(yield* empty, "alone", "restore", beside))
      yield* done(run(shared, "shared", "restore", beside, "--replace"))
    })
  )

  it.effect.skipIf(leftOut("a backup of a real bucket: 10 s") ?? missingS3())(
    "of a bucket has its objects, and is put back into another",
    () =>
      Effect.gen(function* () {
        const { database, empty, folder } = yield* Ground
        const server = yield* S3Server
        const run = (bucket: string, url: string, ...args: ReadonlyArray<string>) => {
          const { accessKeyId, endpoint, region, secretAccessKey } = server
          const at = { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: bucket }
          const key = { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey) }
          return ended(args, { DATABASE_URL: url, AGON_DATA: join(folder, bucket), AGON_DEV_SIGNIN: "1", ...at, ...key }, { home: folder })
        }
        const inBucket = <A, E>(bucket: string, use: (objects: (typeof ObjectStore)["Service"]) => Effect.Effect<A, E>) =>
          Effect.provide(ObjectStore.use(use), S3Objects.layer({ ...server, bucket }))
        const kept = join(folder, "of-s3")
        yield* inBucket("agon-was", ({ put }) =>
          Effect.andThen(put(REPLAY, Buffer.from("a replay")), put(DATASET, Buffer.from("a dataset")))
        )
        yield* done(run("agon-was", database, "backup", kept, "--incomplete"))
        yield* done(run("agon-is", yield* empty, "restore", kept))
        const back = yield* inBucket("agon-is", ({ get }) => Effect.all([REPLAY, DATASET].map((key) => get({ key, max_bytes: 100 }))))
        assert.strictEqual(back.map((bytes) => Buffer.from(Option.getOrThrow(bytes)).toString()).join(), "a replay,a dataset")
      }).pipe(Effect.provide(S3Server.layer), TestClock.withLive)
  )

  it.effect("of a bucket that is not there is refused, and neither the bucket nor AGON_DATA is made", () =>
    Effect.gen(function* () {
      const { database, folder } = yield* Ground
      const asked: Array<string> = []
      const store = createServer(({ method, url }, response) => {
        asked.push(`${method} ${url}`)
        response.writeHead(method === "HEAD" ? 404 : 500).end()
      })
      const port = yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<number>((at) => store.listen(0, "127.0.0.1", () => at((store.address() as AddressInfo).port)))),
        () => Effect.sync(() => store.close())
      )
      const bucket = { S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: "mistyped", S3_ACCESS_KEY_ID: "k", S3_SECRET_ACCESS_KEY: "s" }
      const service = { DATABASE_URL: database, AGON_DATA: join(folder, "nowhere"), AGON_DEV_SIGNIN: "1", ...bucket }
      const { said, status } = yield* ended(["backup", join(folder, "of-a-bucket"), "--incomplete"], service, { home: folder })
      assert.deepStrictEqual([status, said], [1, "S3_BUCKET: bucket mistyped is not there; set the variables that the service has\n"])
      assert.deepStrictEqual([...new Set(asked)], ["HEAD /mistyped"])
      assert.isFalse(existsSync(join(folder, "nowhere")))
    })
  )

  it.effect("is not put under a service that uses the database", () =>
    Effect.gen(function* () {
      const { empty, folder, run } = yield* Ground
      const used = yield* empty
      yield* Effect.gen(function* () {
        yield* (yield* SqlClient.SqlClient)`SELECT 1`
        const { said, status } = yield* run(used, "used", "restore", join(folder, "kept"), "--replace")
        assert.deepStrictEqual([status, /a service uses the database/.test(said)], [1, true], said)
      }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(used), maxConnections: 1, applicationName: "agon requests" })))
    })
  )

  it.effect("is not begun by a command that is not understood", () =>
    Effect.gen(function* () {
      const { database, run } = yield* Ground
      for (const args of [
        ["backup", "a", "b"],
        ["restore", "a", "--incomplete"],
        ["backup", ""],
        ["restore", " "]
      ]) {
        const { said, status } = yield* run(database, "data", ...args)
        assert.deepStrictEqual([status, said.startsWith("Usage:")], [2, true], args.join(" "))
      }
    })
  )
})
