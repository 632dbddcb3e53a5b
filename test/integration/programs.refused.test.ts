/**
 * The service, the site and a runner that cannot start say in one sentence what to mend; asked for
 * their help, they do not start.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { query, started, stop } from "@agon/embedded-postgres/testing/LaunchedService.ts"
import { afterAll, assert, describe, it } from "vitest"
import { freePort } from "../support/freePort.ts"

const root = join(import.meta.dirname, "../..")
const home = mkdtempSync(join(tmpdir(), "agon-refused-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

type Environment = Readonly<Record<string, string>>
const run = (program: string, environment: Environment, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [join(root, program), ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"], ...environment },
    encoding: "utf8",
    timeout: 60_000
  })

const [service, site, runner] = ["packages/server/src/main.ts", "packages/site/src/main.ts", "packages/runner/src/main.ts"]

describe("a program that is asked for its help", () => {
  it.for([
    [service, "scripts/start", "AGON_DATA"],
    [site, "scripts/site", "AGON_SITE_PORT"],
    [runner, "agon runner, or scripts/runner", "AGON_RUNNER_KEY"]
  ] as const)("tells its options and does not start: %s", ([program, usage, variable]) => {
    for (const flag of ["--help", "-h"]) {
      const { status, stderr, stdout } = run(program, { AGON_RUNNER_KEY: "k" }, flag)
      assert.deepStrictEqual([status, stderr], [0, ""])
      assert.isTrue(stdout.startsWith(`Usage: ${usage}\n`), stdout)
      assert.include(stdout, variable)
    }
    assert.isFalse(existsSync(join(home, ".agon")), "no data directory was made")
  })
})

describe("a script beside the service", () => {
  it.for([
    ["backup", ["backup"], "scripts/backup DIRECTORY"],
    ["doctor", [], "scripts/doctor"],
    ["removal", [], "scripts/remove-season GAME SLUG"]
  ] as const)("tells its use and does nothing: %s", ([folder, command, usage]) => {
    for (const flag of ["--help", "-h"]) {
      const { status, stderr, stdout } = run(`packages/server/src/${folder}/main.ts`, {}, ...command, flag)
      assert.deepStrictEqual([status, stderr], [0, ""])
      assert.isTrue(stdout.startsWith(`Usage: ${usage} `), stdout)
    }
    assert.isFalse(existsSync(join(home, ".agon")), "no data directory was made")
  })
})

describe("a script beside the service, in a folder that is not the service's", () => {
  it.for([
    ["backup", ["backup", "kept"]],
    ["removal", ["snakes", "spring"]]
  ] as const)("says what to set, and makes no database there: %s", ([folder, command]) => {
    const { status, stderr, stdout } = run(`packages/server/src/${folder}/main.ts`, {}, ...command)
    assert.strictEqual(
      stderr,
      `AGON_DATA: ${join(home, ".agon")} holds no database, and DATABASE_URL is not set; set the variables that the service has\n`
    )
    assert.deepStrictEqual([status, stdout], [1, ""])
    assert.deepStrictEqual(readdirSync(home), [])
  })
})

describe("a service on its own database, which a later release has brought up to date", () => {
  it("names no setting that was not made", async () => {
    const data = mkdtempSync(join(home, "data-"))
    const later = await started(data, { launcher: join(root, "test/support/launcher.ts") })
    await query(
      later.url,
      "CREATE TABLE agon_migration (migration_id integer PRIMARY KEY, created_at timestamptz DEFAULT now(), name text)"
    )
    await query(later.url, "INSERT INTO agon_migration (migration_id, name) VALUES (9999, 'needs_9998_drops')")
    await stop(later)
    const { status, stderr } = run(service, { AGON_DATA: data, AGON_DEMO: "0", AGON_RUNNERS: "0", PORT: String(await freePort()) })
    assert.match(stderr, /^the embedded database: the database has migration 9999, after which [^\n]*\n$/)
    assert.strictEqual(status, 1)
    rmSync(data, { recursive: true })
  })
})

describe("a script beside the service, whose database is away", () => {
  it.for([
    ["backup", ["backup", "kept"]],
    ["removal", ["snakes", "spring"]]
  ] as const)("says which address it was: %s", ([folder, command]) => {
    const environment = { ...amongOthers, AGON_DATA: mkdtempSync(join(home, "data-")) }
    const { status, stderr, stdout } = run(`packages/server/src/${folder}/main.ts`, environment, ...command)
    rmSync(environment.AGON_DATA, { recursive: true })
    assert.match(stderr, /DATABASE_URL: the server cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1\n$/)
    assert.deepStrictEqual([status, stdout], [1, ""])
  })
})

describe("a script that installs or checks", () => {
  it.for(["install", "test"])("tells its use and does nothing: scripts/%s", (name) => {
    const { status, stderr, stdout } = spawnSync(join(root, "scripts", name), ["--help"], { cwd: home, encoding: "utf8", timeout: 60_000 })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.match(stdout, new RegExp(`^ {2}scripts/${name} `, "m"))
    assert.notMatch(stdout, /^#|set -/m)
  })
})

describe("a script that makes a package", () => {
  it.for(["packTool.ts", "packClient.ts"])("makes no folder of an option: scripts/%s", (name) => {
    for (const args of [[], ["--help"]]) {
      const { status, stderr } = run(`scripts/${name}`, {}, ...args)
      assert.deepStrictEqual([status, stderr], [2, `Usage: node scripts/${name} ./OUT\n`])
    }
    assert.deepStrictEqual(readdirSync(home), [])
  })
})

/** The environment that a node among others needs, with a database that nobody reaches. */
const amongOthers = {
  DATABASE_URL: "postgres://agon@127.0.0.1:1/agon",
  AUTH_PROVIDERS: JSON.stringify([{ slug: "github", client_id: "a", client_secret: "b" }])
}

describe("a program that cannot start", () => {
  it.for([
    [service, {}, ["--port"], /^The service takes no argument --port; see --help\.\n$/],
    [site, {}, ["8081"], /^The site takes no argument 8081; see --help\.\n$/],
    [site, { AGON_SITE_PORT: "many" }, [], /^AGON_SITE_PORT: many is no whole number from 0 to 65535\.\n$/],
    [site, { AGON_URL: "the service" }, [], /^AGON_URL: the service is no http\(s\) address\.\n$/],
    [site, { PUBLIC_ORIGIN: "agon.example" }, [], /^PUBLIC_ORIGIN: agon\.example is no http\(s\) address\.\n$/],
    [site, { AGON_SITE_OBJECTS: "s3" }, [], /^AGON_SITE_OBJECTS: s3 is no http\(s\) address\.\n$/],
    [runner, {}, [], /^AGON_RUNNER_KEY is not set: [^\n]+\.\n$/],
    [runner, { AGON_RUNNER_KEY: "k", AGON_URL: "the service" }, [], /^AGON_URL: the service is no http\(s\) address\.\n$/],
    [runner, { AGON_RUNNER_KEY: "k", AGON_RUNNER_SLOTS: "many" }, [], /^AGON_RUNNER_SLOTS: many is no whole number from 1 to 256\.\n$/],
    [
      runner,
      { AGON_RUNNER_KEY: "k", AGON_RUNNER_ACCEPTS: "match,lunch" },
      [],
      /^AGON_RUNNER_ACCEPTS: "lunch" is none of match, admission, audit\.\n$/
    ],
    [
      runner,
      { AGON_RUNNER_KEY: "k", LOG_LEVEL: "loud" },
      [],
      /^LOG_LEVEL: loud is none of all, fatal, error, warn, info, debug, trace, none\.\n$/
    ],
    [runner, { AGON_RUNNER_KEY: "k" }, ["--slots"], /^The runner takes no argument --slots; see --help\.\n$/]
  ] as ReadonlyArray<readonly [string, Environment, ReadonlyArray<string>, RegExp]>)(
    "says what to mend: %s %j %j",
    ([program, environment, args, sentence]) => {
      const { status, stderr, stdout } = run(program, environment, ...args)
      assert.match(stderr, sentence)
      assert.deepStrictEqual([status, stdout], [2, ""])
    }
  )

  it.for([
    [site, { AGON_SITE_PRT: "9", AGON_SITE_PORT: "many" }, "AGON_SITE_PRT"],
    [runner, { AGON_RUNNER_KEY: "k", AGON_RUNNER_SLOT: "4", AGON_RUNNER_SLOTS: "many" }, "AGON_RUNNER_SLOT"]
  ] as ReadonlyArray<readonly [string, Environment, string]>)(
    "names a variable that nothing reads: %s %j",
    ([program, environment, name]) => {
      const { status, stdout } = run(program, { ...environment, AGON_SITE_TIED: "false", AGON_RUNNER_TIED: "false" })
      const { level, message } = JSON.parse(stdout) // its only line
      assert.deepStrictEqual([level, message], ["warn", `${name}: nothing reads it; see --help`])
      assert.strictEqual(status, 2)
    }
  )

  const atTaken = async (start: (port: string) => ReturnType<typeof run>) => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : assert.fail("it listens on a port")
    const ended = start(String(port))
    await new Promise((resolve) => taken.close(resolve))
    return { port, ...ended }
  }

  it.for([
    ["PORT", (port) => ({ PORT: port, AGON_METRICS: "off" })],
    ["AGON_METRICS", (port, free) => ({ PORT: free, AGON_METRICS: `127.0.0.1:${port}` })],
    ["AGON_NODE", (port, free) => ({ PORT: free, AGON_METRICS: "off", AGON_NODE: `127.0.0.1:${port}`, ...amongOthers })]
  ] as ReadonlyArray<readonly [string, (port: string, free: string) => Environment]>)(
    "says which address the service cannot listen on, before it makes a database: %s",
    async ([variable, environment]) => {
      const free = String(await freePort())
      const { port, status, stderr } = await atTaken((port) => run(service, environment(port, free)))
      const why = `${variable}: 127.0.0.1:${port} cannot be listened on (EADDRINUSE)`
      assert.strictEqual(stderr, `${why}; it takes an address of this machine that nobody else listens on\n`)
      assert.strictEqual(status, 1)
      assert.isFalse(existsSync(join(home, ".agon")), "no data directory was made")
    }
  )

  it("says which address the site cannot listen on", async () => {
    const { port, status, stderr } = await atTaken((port) => run(site, { AGON_SITE_PORT: port }))
    assert.strictEqual(stderr, `AGON_SITE_HOST, AGON_SITE_PORT: 127.0.0.1, port ${port} cannot be listened on (EADDRINUSE).\n`)
    assert.strictEqual(status, 2)
  })
})
