/**
 * The service on the embedded database: everything in its directory is closed, and a refusal names
 * the setting that it concerns.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  cleanUp,
  directory,
  isRoot,
  launch,
  type Options,
  ourselves,
  query,
  started,
  stop,
  stranger,
  until,
  users
} from "@agon/embedded-postgres/testing/LaunchedService.ts"
import { refusalOf } from "@agon/server/database/open.ts"
import { afterAll, assert, describe, it } from "vitest"

afterAll(cleanUp)

const launcher = join(import.meta.dirname, "../support/launcher.ts")

const refusal = async (path: string, options: Options = {}) => {
  const refused = launch(path, { launcher, ...options })
  assert.strictEqual(await refused.ended, 1, refused.errors())
  return refused.errors()
}

describe.each(users)("a service on the embedded database, started by $title", (user) => {
  const data = join(directory(user), "data")

  it("keeps everything closed, and refuses data in use by another service in one line that names it", async () => {
    const service = await started(data, { user, launcher })
    assert.strictEqual(statSync(data).mode & 0o777, 0o700)
    for (const name of ["postgres", "object-urls", "state-cookie", "platform-runner"])
      assert.strictEqual(statSync(join(data, "secrets", name)).mode & 0o777, 0o600, name)
    assert.deepStrictEqual(
      await query(service.url, "SELECT current_user, current_database(), current_setting('max_connections') AS most"),
      [{ current_user: "agon", current_database: "agon", most: "60" }]
    )
    assert.match(readFileSync(join(data, "postgres.log"), "utf8"), /ready to accept connections/)
    assert.strictEqual(
      await refusal(data, { user }),
      `AGON_DATA: ${data} is in use by another service (pid ${service.pid}); stop that one or choose another directory\n`
    )
    await stop(service)
  })

  it("leaves a Postgres alone that somebody else runs on its data, and says so in one line", async () => {
    const { uid, gid } = statSync(join(data, "postgres"))
    const other = stranger("/opt/bin/postgres", { ...(uid === process.getuid?.() ? {} : { uid, gid }), cwd: join(data, "postgres") })
    await until("the stranger's name", () => readFileSync(`/proc/${other}/cmdline`, "utf8").startsWith("/opt/bin/postgres"))
    writeFileSync(join(data, "postgres/postmaster.pid"), `${other}\n`)
    assert.strictEqual(
      await refusal(data, { user }),
      `AGON_DATA: a Postgres that this service did not start (pid ${other}) runs on ${join(data, "postgres")}; stop it\n`
    )
  })

  it("refuses a directory that it cannot write in one line", async () => {
    const parent = directory()
    if (user === ourselves && isRoot)
      writeFileSync(join(parent, "file"), "") // root can write everywhere but below a file
    else execFileSync("chmod", ["0555", parent])
    assert.match(
      await refusal(join(parent, "file/data"), { user }),
      /^AGON_DATA: .*data cannot be used by this user \((EACCES|EPERM|ENOTDIR|EEXIST)\)[^\n]+\n$/
    )
  })
})

describe("a service on the embedded database", () => {
  it("refuses data of a version that the machine has not, in one line that says what to do", async () => {
    const data = join(directory(), "data")
    mkdirSync(join(data, "postgres"), { recursive: true, mode: 0o700 })
    writeFileSync(join(data, "postgres/PG_VERSION"), "9\n")
    mkdirSync(join(data, "secrets"))
    assert.match(
      await refusal(data),
      /^DATABASE_URL: not set, and Postgres 9, which made the data, was not found or does not run( as user [^;\n]+)?; install it, or set DATABASE_URL\n$/
    )
  })

  it("passes on what a program of Postgres said", () => {
    assert.strictEqual(
      refusalOf({ fault: "child", message: "initdb ended with 1: no space left" }).message,
      "initdb ended with 1: no space left"
    )
  })
})
