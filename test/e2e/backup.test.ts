/** A season is played, backed up while it plays, lost with everything around it, restored, and goes on. */

import { execFile } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { verify } from "@agon/engine/replay/verify.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../support/freePort.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { leftOut } from "../support/slow.ts"
import * as Competition from "./Competition.ts"
import { audit, type Ledger } from "./Ledger.ts"
import * as Service from "./Service.ts"
import { Visitor } from "./Visitor.ts"

const ROOT = join(import.meta.dirname, "../..")
const BEFORE = 6
const MORE = 3

const command = promisify(execFile)

const missing = leftOut("a season is played, lost and restored: half a minute")

describe.skipIf(missing !== undefined)("a season that is played, backed up and lost", { timeout: HANGS_AFTER_MS }, () => {
  let options: Service.Options
  let service: Service.Service
  let admin: Visitor
  let before: Ledger
  let kept: string

  const run = (name: "backup" | "restore", ...args: ReadonlyArray<string>) =>
    command(join(ROOT, "scripts", name), [...args], {
      cwd: ROOT,
      env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", AGON_DATA: options.directory }
    })

  beforeAll(async () => {
    options = { directory: Service.newDirectory(), port: await freePort() }
    kept = join(Service.newDirectory(), "kept")
    service = await Service.start(options)
    admin = await Visitor.signedIn(service.origin, "admin")
    await Competition.open(admin, { boards: ["open-7"], baselines: ["straight-on", "careless"] })
    await Competition.rated(admin, BEFORE)
  }, HANGS_AFTER_MS)
  afterAll(Service.cleanUp)

  it("is written to a directory by one command while it plays", async () => {
    before = await audit(service)
    assert.isAtLeast(before.results.size, BEFORE)
    const { stdout } = await run("backup", kept)
    assert.match(stdout, /tables with \d+ rows and \d+ objects/)
  })

  it("does not take its place while the service runs, nor a backup that is there", async () => {
    const refused = async (...args: Parameters<typeof run>) =>
      (
        await run(...args).then(
          () => assert.fail("accepted"),
          (error) => error
        )
      ).stderr
    assert.match(await refused("restore", kept, "--replace"), /is in use by another service/)
    assert.match(await refused("backup", kept), /holds a backup already/)
  })

  it("is put back by one command when everything is lost, with ratings that a replay of its log gives", async () => {
    Service.kill(service, service.pid)
    await service.ended
    Service.killIfThere(Service.postgresPid(service))
    rmSync(options.directory, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 }) // Postgres may still write
    const { stdout } = await run("restore", kept)
    assert.match(stdout, /is back/)
    assert.isTrue(existsSync(join(options.directory, "secrets/object-urls")))
    service = await Service.start(options)
    const now = await audit(service)
    for (const [id, result] of before.results) assert.strictEqual(now.results.get(id), result, `match ${id}`)
  })

  it("goes on: its people are signed in, its replays are read, its models play", async () => {
    assert.strictEqual((await admin.get("/v1/me")).username, "admin")
    await Competition.rated(admin, (await Competition.ratedSoFar(admin)) + MORE)
    await audit(service)
    const [id] = before.results.keys()
    const { replay_url } = await admin.get(`/v1/matches/${id}`)
    assert.isTrue(verify(await (await fetch(replay_url)).json()).ok)
  })
})
