import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { hasSmallDisks, smallDisk } from "../../../test/support/SmallDisk.ts"
import { allowed } from "../../../test/support/slack.ts"
import { find, sparePlaces } from "./binaries.ts"
import { type Options, start } from "./EmbeddedPostgres.ts"
import { serverUser } from "./serverUser.ts"
import {
  cleanUp,
  directory,
  isRoot,
  isRunning,
  launch,
  query,
  type Running,
  started,
  stop,
  stranger,
  until,
  users
} from "./testing/LaunchedService.ts"

afterAll(cleanUp)

const kill = (pid: number) => process.kill(pid, "SIGKILL")
const rows = async (url: string) => Number((await query(url, "SELECT count(*) AS n FROM kept"))[0]!["n"])
const pidFile = (data: string) => join(data, "postgres/postmaster.pid")

/** Rows that are acknowledged before a kill, so that it comes while others are being inserted. */
const ROWS_BEFORE_KILL = 5

/**
 * Inserts row after row until the server goes away; answers how many were acknowledged in all. `isBusy`
 * resolves after a few of them.
 */
const insertUntilItDies = (url: string, before: number) => {
  let acknowledged = before
  const isBusy = Promise.withResolvers<void>()
  const insert = async () => {
    try {
      while (true) {
        await query(url, "INSERT INTO kept VALUES (1)")
        acknowledged += 1
        if (acknowledged === before + ROWS_BEFORE_KILL) isBusy.resolve()
      }
    } catch (error) {
      isBusy.reject(error) // no effect after it was resolved
      return acknowledged
    }
  }
  return { acknowledged: insert(), isBusy: isBusy.promise }
}

/**
 * Whoever runs the server on these data: a process whom Postgres takes for a live
 * server has to be of the same user.
 */
const serverIdentity = (data: string) => {
  const { uid, gid } = statSync(join(data, "postgres"))
  return uid === process.getuid?.() ? {} : { uid, gid }
}

/** One run after another on the same data, each test leaving to the next what it had to survive. */
describe.each(users)("the embedded database, started by $title", (user) => {
  const data = join(directory(user), "data")
  let service: Running
  let acknowledged = 0

  it("makes its cluster at the first start, and keeps everything closed", async () => {
    service = await started(data, { user })
    assert.match(service.version!, /^18\./)
    assert.strictEqual(statSync(data).mode & 0o777, 0o700)
    if (isRoot) assert.notStrictEqual(statSync(join(data, "postgres")).uid, 0)
    const settings = await query(
      service.url,
      `SELECT name, setting FROM pg_settings
       WHERE name IN ('fsync', 'data_checksums', 'server_encoding', 'max_connections', 'jit', 'listen_addresses')`
    )
    assert.deepStrictEqual(Object.fromEntries(settings.map((row) => [row["name"], row["setting"]])), {
      fsync: "on",
      data_checksums: "on",
      server_encoding: "UTF8",
      max_connections: "20", // the launcher's
      jit: "off",
      listen_addresses: ""
    })
    const wrong = await query(service.url.replace(/kept:[^@]+/, "kept:wrong"), "SELECT 1").catch((error: Error) => error.message)
    assert.match(String(wrong), /password authentication failed/)
  })

  it("after kill -9 of Postgres: it is back at the same address, and nothing acknowledged is lost", async () => {
    await query(service.url, "CREATE TABLE kept (id int)")
    const inserting = insertUntilItDies(service.url, acknowledged)
    await inserting.isBusy
    kill(service.postgres!)
    acknowledged = await inserting.acknowledged
    await until("the database", async () => (await rows(service.url).catch(() => -1)) >= acknowledged)
    assert.isAbove(acknowledged, 0)
    assert.isTrue(isRunning(service.pid))
  })

  it("refuses data in use by another service in one line that names it", async () => {
    const second = launch(data, { user })
    assert.strictEqual(await second.ended, 1)
    assert.strictEqual(
      second.errors(),
      `directory: ${data} is in use by another service (pid ${service.pid}); stop that one or choose another directory\n`
    )
    assert.isAtLeast(await rows(service.url), acknowledged)
  })

  it("after kill -9 of the service: the server left running is stopped, and nothing acknowledged is lost", async () => {
    const postgres = Number(readFileSync(pidFile(data), "utf8").split("\n")[0])
    const inserting = insertUntilItDies(service.url, acknowledged)
    await inserting.isBusy
    kill(service.pid)
    await service.ended
    assert.isTrue(isRunning(postgres), "the trap: it survives its service")
    service = await started(data, { user })
    assert.isFalse(isRunning(postgres))
    assert.isAbove(await inserting.acknowledged, acknowledged)
    acknowledged = await inserting.acknowledged
    assert.isAtLeast(await rows(service.url), acknowledged)
  })

  it.each([
    { whose: "another program's", name: "sleep" },
    { whose: "another database's Postgres", name: "/opt/bin/postgres" }
  ])("after kill -9 of both, with the old pid now $whose: it starts", async ({ name }) => {
    kill(service.pid)
    kill(service.postgres!)
    await until("the end of both", () => !isRunning(service.postgres!) && !isRunning(service.pid))
    const other = stranger(name, { ...serverIdentity(data), cwd: "/" })
    await until("the stranger's name", () => readFileSync(`/proc/${other}/cmdline`, "utf8").startsWith(name))
    writeFileSync(pidFile(data), readFileSync(pidFile(data), "utf8").replace(/^\d+/, String(other)))
    service = await started(data, { user })
    assert.isTrue(isRunning(other), "a stranger is left alone")
    assert.isAtLeast(await rows(service.url), acknowledged)
  })

  it("stops with its service, cleanly and within 10 s, and an interrupt at the terminal reaches the service alone", async () => {
    const group = (pid: number) => spawnSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim()
    assert.notStrictEqual(group(service.postgres!), group(service.pid))
    const began = performance.now()
    await stop(service)
    assert.isBelow(performance.now() - began, allowed(10_000))
    assert.isFalse(isRunning(service.postgres!))
    assert.isFalse(existsSync(pidFile(data)))
  })

  it("leaves a Postgres alone that somebody else runs on its data, and says so in one line", async () => {
    const other = stranger("/opt/bin/postgres", { ...serverIdentity(data), cwd: join(data, "postgres") })
    await until("the stranger's name", () => readFileSync(`/proc/${other}/cmdline`, "utf8").startsWith("/opt/bin/postgres"))
    // The second is how a server without clients writes it.
    for (const written of [`${other}\n`, `-${other}\n`]) {
      writeFileSync(pidFile(data), written)
      const refused = launch(data, { user })
      assert.strictEqual(await refused.ended, 1)
      assert.match(
        refused.errors(),
        new RegExp(`^directory: a Postgres that this service did not start \\(pid ${other}\\) runs on [^\n]+\n$`)
      )
      assert.isTrue(isRunning(other))
      assert.strictEqual(readFileSync(pidFile(data), "utf8"), written)
    }
  })
})

describe("the embedded database", () => {
  it("needs no port, starts where the path is too long for a socket, and after an initdb that was cut short", async () => {
    const port = createServer()
    await new Promise<void>((resolve) => port.once("error", () => resolve()).listen(5432, "127.0.0.1", () => resolve()))
    const parent = join(directory(), "p".repeat(120))
    mkdirSync(join(parent, "data/postgres.initdb/base"), { recursive: true })
    const service = await started(join(parent, "data"))
    assert.match(service.errors() + service.url, /proc/)
    await stop(service)
    assert.isFalse(existsSync(join(parent, "data/postgres.initdb")))
    port.close()
  })

  it("after kill -9 of the service, the server left running is stopped, also where the path of its program has spaces", async () => {
    const [data, place] = [join(directory(), "data"), directory()]
    chmodSync(place, 0o755)
    const programs = join(place, "a checkout of mine")
    const { bin } = await Effect.runPromise(find({ name: "kept", user: serverUser(), spare: sparePlaces(serverUser()) }))
    symlinkSync(bin, programs)
    const first = await started(data, { programs })
    kill(first.pid)
    await first.ended
    assert.isTrue(isRunning(first.postgres!))
    const second = await started(data, { programs })
    assert.isFalse(isRunning(first.postgres!))
    await stop(second)
  })

  it("is given the caller's password where it has another, and keeps its data", async () => {
    const data = join(directory(), "data")
    mkdirSync(data, { mode: 0o700 })
    const once = (password: string, statement: string) =>
      Effect.runPromise(
        Effect.gen(function* () {
          const { url } = yield* start({ directory: data, name: "kept", password: Redacted.make(password) })
          return yield* Effect.promise(() => query(Redacted.value(url), statement))
        }).pipe(Effect.scoped)
      )
    await once("the first", "CREATE TABLE kept AS SELECT 7 AS id")
    assert.deepStrictEqual(await once("it's another", "SELECT id FROM kept"), [{ id: 7 }])
    assert.deepStrictEqual(await once("it's another", "SELECT id FROM kept"), [{ id: 7 }])
  })

  it("waits for a server that takes its time for a connection, as on a busy machine, and clears away a pid file without a pid", async () => {
    const data = join(directory(), "data")
    mkdirSync(data, { mode: 0o700 })
    const up = (settings: Readonly<Record<string, string>>) =>
      Effect.runPromise(
        Effect.asVoid(start({ directory: data, name: "kept", password: Redacted.make("secret"), settings })).pipe(Effect.scoped)
      )
    await up({})
    writeFileSync(pidFile(data), "")
    await up({ pre_auth_delay: "6" }) // s; a driver gives up after five
  })

  it.runIf(hasSmallDisks)("says in one line that the disk is full, wherever in the making of its data that is", async () => {
    for (const megabytes of [12, 25]) {
      const { message } = await Effect.runPromise(
        Effect.gen(function* () {
          const small = yield* smallDisk(megabytes << 20)
          return yield* Effect.flip(start({ directory: small, name: "kept", password: Redacted.make("secret") }))
        }).pipe(Effect.scoped)
      )
      assert.match(message, /^[^\n|]* ended with 1: [^\n|]*No space left on device[^\n]*$/, `${megabytes} MB`)
    }
  })

  it("says in one line what in the directory is in its way", async () => {
    const data = directory()
    mkdirSync(join(data, "postgres.log"))
    const refusal = () =>
      Effect.runPromise(start({ directory: data, name: "kept", password: Redacted.make("secret") }).pipe(Effect.scoped, Effect.flip))
    const started = await refusal()
    assert.strictEqual(started.fault, "directory")
    assert.match(started.message, /\/postgres cannot be started: EISDIR[^\n]*postgres\.log/)
    rmSync(join(data, "postgres"), { recursive: true })
    mkdirSync(join(data, "postgres.password/below"), { recursive: true }) // the file of that name is removed before it is written
    const made = await refusal()
    assert.strictEqual(made.fault, "directory")
    assert.match(made.message, /^\S+ cannot be written: [^\n]*postgres\.password/)
  })

  const machine = [17, 16, 15].map((major) => `/usr/lib/postgresql/${major}/bin`).find((bin) => existsSync(bin))
  it.runIf(machine !== undefined)(
    "runs on the machine's Postgres, but not on data of another version, which it says in one line",
    async () => {
      const data = join(directory(), "data")
      const service = await started(data, { programs: machine! })
      assert.match(service.version!, /^1[567]\./)
      await stop(service)
      writeFileSync(join(data, "postgres/PG_VERSION"), "18\n")
      const refused = launch(data, { programs: machine! })
      assert.strictEqual(await refused.ended, 1)
      assert.match(refused.errors(), /^programs: Postgres 18, which made the data, was not found[^\n]+\n$/)
    }
  )
})

describe("options", () => {
  const refusal = (options: Partial<Options>) =>
    Effect.runPromise(
      start({ directory: "/nowhere", name: "kept", password: Redacted.make("secret"), ...options }).pipe(Effect.scoped, Effect.flip)
    )

  it.each(["", "Kept", "1kept", "kept app", "kept;", "../kept", "k".repeat(41)])(
    "refuse the name %j before anything is touched",
    async (name) => {
      assert.deepInclude(await refusal({ name }), { fault: "options" })
    }
  )

  it.each(["", "two\nlines", "zero\0"])("refuse the password %j, which initdb would read as another", async (password) => {
    assert.deepInclude(await refusal({ password: Redacted.make(password) }), { fault: "options" })
  })

  it("name the directory that is not there", async () => {
    const { fault, message } = await refusal({})
    assert.strictEqual(fault, "directory")
    assert.match(message, /^\/nowhere cannot be locked: /)
  })
})
