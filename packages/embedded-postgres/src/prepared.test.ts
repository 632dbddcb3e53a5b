import { execFileSync } from "node:child_process"
import { chownSync, existsSync, mkdirSync, readdirSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { candidates } from "./binaries.ts"
import { start } from "./EmbeddedPostgres.ts"
import { keep } from "./keep.ts"
import type { Shelf } from "./prepared.ts"
import { cleanUp, directory, isRoot, query } from "./testing/LaunchedService.ts"

afterAll(cleanUp)

/** A quotation mark ends a text in SQL, and a backslash is none. */
const PASSWORD = 'it\'s \\ "a password" $1'
const FACTS = `SELECT system_identifier::text, current_database() AS database, current_user AS user,
  (SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings
   WHERE name IN ('data_checksums', 'server_encoding', 'lc_collate', 'wal_segment_size', 'password_encryption')) AS settings
  FROM pg_control_system()`

/** The clusters in a folder, without their spares. */
const clusters = (folder: string) => readdirSync(folder).filter((name) => !name.endsWith(".spare"))

const onNewData = (prepared?: Shelf) => {
  const path = join(directory(), "data")
  mkdirSync(path, { mode: 0o700 })
  return { directory: path, name: "kept", password: Redacted.make(PASSWORD), ...(prepared === undefined ? {} : { prepared }) }
}

/** Facts of a server on a new directory, and of the same when it is started again. */
const facts = (folder?: string) => {
  const options = onNewData(folder === undefined ? undefined : { folder })
  const told = Effect.gen(function* () {
    const { url } = yield* start(options)
    const wrong = new URL(Redacted.value(url))
    wrong.password = "another"
    const refused = yield* Effect.promise(() => query(String(wrong), "SELECT 1").catch((error: Error) => error.message))
    assert.include(refused, "password authentication failed")
    const [row] = yield* Effect.promise(() => query(Redacted.value(url), FACTS))
    return row!
  }).pipe(Effect.scoped)
  return Effect.runPromise(Effect.all([told, told]))
}

describe("a prepared cluster", () => {
  const folder = join(directory(), "clusters")
  const kept = () => join(folder, clusters(folder)[0]!)
  beforeAll(() => Effect.runPromise(keep({ folder, name: "kept" })))

  it("is made once with a spare, and nothing else is left", async () => {
    const before = readdirSync(folder).sort()
    assert.deepStrictEqual(before, [clusters(folder)[0]!, `${clusters(folder)[0]!}.spare`])
    assert.isTrue(existsSync(join(kept(), "PG_VERSION")))
    await Effect.runPromise(keep({ folder, name: "kept" }))
    assert.deepStrictEqual(readdirSync(folder).sort(), before)
  })

  it("has a spare that one of two first starts at once moves to its place, and that an installation makes again", async () => {
    const spare = `${kept()}.spare`
    const folders = [onNewData({ folder }), onNewData({ folder })]
    const { ino } = statSync(spare)
    await Effect.runPromise(Effect.scoped(Effect.forEach(folders, start, { concurrency: 2 })))
    const inodes = folders.map(({ directory }) => statSync(join(directory, "postgres")).ino)
    assert.strictEqual(inodes.filter((each) => each === ino).length, 1)
    assert.isFalse(existsSync(spare))
    await Effect.runPromise(keep({ folder, name: "kept" }))
    assert.isTrue(existsSync(join(spare, "PG_VERSION")))
  })

  it("has a spare that is copied where an installation shares its files with another one", async () => {
    const linked = join(directory(), "linked")
    execFileSync("cp", ["-al", folder, linked])
    const data = onNewData({ folder: linked })
    await Effect.runPromise(Effect.scoped(start(data)))
    assert.strictEqual(statSync(join(data.directory, "postgres/PG_VERSION")).nlink, 1)
  })

  it("is copied by first starts, each with its own password, and is as one that was made anew", async () => {
    const [one, again] = await facts(folder)
    const [other] = await facts(folder)
    const [anew] = await facts()
    assert.deepStrictEqual(again, one)
    assert.deepStrictEqual(other, one)
    assert.notStrictEqual(anew.system_identifier, one.system_identifier)
    assert.deepStrictEqual({ ...anew, system_identifier: "" }, { ...one, system_identifier: "" })
  })

  it("of another version is not found", async () => {
    const machine = candidates().find((candidate) => "bin" in candidate)
    if (machine === undefined) return
    await Effect.runPromise(keep({ folder, name: "kept", candidates: [machine] }))
    assert.strictEqual(clusters(folder).length, 2)
  })

  it.runIf(isRoot)("of another user is not taken", async () => {
    const [one] = await facts(folder)
    for (const name of readdirSync(folder)) chownSync(join(folder, name), 12_345, 12_345)
    const [other] = await facts(folder)
    assert.notStrictEqual(other.system_identifier, one.system_identifier)
  })

  it("that is damaged costs a start nothing but the time to make another", async () => {
    const damaged = join(directory(), "clusters")
    await Effect.runPromise(keep({ folder: damaged, name: "kept" }))
    for (const name of readdirSync(damaged)) truncateSync(join(damaged, name, "global/pg_control"), 100)
    for (const _ of ["of its spare", "of a copy"]) assert.strictEqual((await facts(damaged))[0]["database"], "kept")
    assert.deepStrictEqual(readdirSync(damaged), clusters(damaged))
  })
})

const says = (url: Redacted.Redacted, text: string) => Effect.promise(() => query(Redacted.value(url), text))

/** The text in the database of a server on a new directory; undefined where its database is empty. */
const held = (shelf: Shelf) =>
  Effect.gen(function* () {
    const { url } = yield* start(onNewData(shelf))
    const [row] = yield* says(url, "SELECT to_regclass('note') IS NOT NULL AS is")
    if (row!["is"] !== true) return undefined
    return (yield* says(url, "SELECT text FROM note"))[0]!["text"]
  }).pipe(Effect.scoped, Effect.runPromise)

describe("a prepared cluster with contents", () => {
  const folder = join(directory(), "clusters")
  const shelf = (...editions: ReadonlyArray<string>): Shelf => ({ folder, editions: () => editions })
  const contents = (edition: string) => ({
    edition,
    fill: (url: Redacted.Redacted) => says(url, `CREATE TABLE note (text text); INSERT INTO note VALUES ('${edition}')`)
  })
  beforeAll(() =>
    Effect.runPromise(
      Effect.forEach(["old", "new"], (edition) => keep({ folder, name: "kept", contents: contents(edition) }), { discard: true })
    )
  )

  it("is found by the names of its contents, the first one first", async () => {
    assert.strictEqual(await held(shelf("new", "old")), "new")
    assert.strictEqual(await held(shelf("newer", "old", "")), "old")
  })

  it("is not taken by a start that wants others, or an empty database", async () => {
    assert.isUndefined(await held(shelf("newer", "")))
    assert.isUndefined(await held({ folder }))
  })

  it("has ended cleanly: a copy has nothing to recover", () => {
    for (const name of readdirSync(folder)) assert.isFalse(existsSync(join(folder, name, "postmaster.pid")), name)
  })

  it("whose contents cannot be written is not there, and leaves nothing", async () => {
    const before = readdirSync(folder)
    const fill = () => Effect.fail("no" as const)
    const said = await Effect.runPromise(Effect.flip(keep({ folder, name: "kept", contents: { edition: "newest", fill } })))
    assert.strictEqual(said, "no")
    assert.deepStrictEqual(readdirSync(folder), before)
  })
})
