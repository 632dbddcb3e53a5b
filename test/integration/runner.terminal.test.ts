/**
 * The lines of a program: for people on a terminal, otherwise each an object of JSON. A runner whose key
 * is refused logs some and ends.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "vitest"

const PROGRAM = join(import.meta.dirname, "../../packages/runner/src/main.ts")
/** Of Debian's bsdutils, on every machine of it: runs a command on a terminal of its own. */
const SCRIPT = "/usr/bin/script"
const KEY = `agon_rk_${"k".repeat(43)}`

const REFUSAL = { type: "/errors#unauthenticated", title: "Sign in first", status: 401, detail: "No.", code: "unauthenticated" }
const SENTENCE = "name takes a text of at most 64 characters."
const INVALID = {
  type: "/errors#invalid_request",
  title: "The request is not valid",
  status: 400,
  detail: SENTENCE,
  code: "invalid_request",
  errors: []
}
const SESSION = { runner: "01950000-0000-7000-8000-000000000001", heartbeat_s: 10, lease_s: 30 }
const NAME_REFUSED = "no-such-name"
/** The key of this one is revoked once it has a session. */
const NAME_REVOKED = "revoked"
const service = createServer(async (request, answer) => {
  let body = ""
  for await (const chunk of request) body += chunk
  if (body.includes(NAME_REVOKED)) return answer.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(SESSION))
  const refusal = body.includes(NAME_REFUSED) ? INVALID : REFUSAL
  answer.writeHead(refusal.status, { "content-type": "application/problem+json" })
  answer.end(JSON.stringify(refusal))
})
let url = ""
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve))
  const address = service.address()
  if (address !== null && typeof address === "object") url = `http://127.0.0.1:${address.port}`
})
afterAll(() => void service.close())

const outputOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    onTestFinished(() => void child.kill("SIGKILL"))
    let said = ""
    child.stdout!.on("data", (chunk) => (said += chunk))
    child.on("close", () => resolve(said))
  })

const environment = () => ({ PATH: process.env["PATH"] ?? "", AGON_URL: url, AGON_RUNNER_KEY: KEY, LOG_LEVEL: "debug" })

describe("a program's log", () => {
  it("is an object of JSON a line where standard output is no terminal, up to why the program ended", async () => {
    const said = await outputOf(spawn(process.execPath, [PROGRAM], { env: environment(), stdio: ["ignore", "pipe", "inherit"] }))
    const lines = said.trimEnd().split("\n")
    const objects = lines.map((line) => JSON.parse(line))
    assert.deepStrictEqual(Object.keys(objects[0]), ["time", "level", "message", "url", "slots", "isolation"])
    assert.strictEqual(objects[0].message, "runner starts")
    const { cause, level, message } = objects.at(-1)
    assert.deepStrictEqual([level, message], ["fatal", "the program ended"])
    assert.match(cause, /^the runner key is not valid, or was revoked; set AGON_RUNNER_KEY to [^\n]+$/)
    assert.notInclude(said, KEY)
  })

  it("says of a session that is refused which option it was", async () => {
    const env = { ...environment(), AGON_RUNNER_NAME: NAME_REFUSED }
    const said = await outputOf(spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "pipe", "inherit"] }))
    const { cause } = JSON.parse(said.trimEnd().split("\n").at(-1)!)
    assert.strictEqual(cause, `the service opens no session for this runner: ${SENTENCE}`)
  })

  it("says of a key that is revoked meanwhile that this ended it, and the status says that it failed", async () => {
    const env = { ...environment(), AGON_RUNNER_NAME: NAME_REVOKED }
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "pipe", "inherit"] })
    const lines = (await outputOf(child)).trimEnd().split("\n")
    assert.include(lines.join("\n"), "runner ready")
    assert.include(JSON.parse(lines.at(-1)!).cause, "the runner key is not valid, or was revoked")
    assert.notInclude(lines.join("\n"), "it is stopped")
    assert.strictEqual(child.exitCode, 1)
  })

  it.skipIf(!existsSync(SCRIPT))("is for people where it is a terminal (needs script of Debian's bsdutils)", async () => {
    const command = `'${process.execPath}' '${PROGRAM}'`
    const said = await outputOf(spawn(SCRIPT, ["-qec", command, "/dev/null"], { env: environment(), stdio: ["ignore", "pipe", "inherit"] }))
    const lines = said.replaceAll("\r", "").trimEnd().split("\n")
    assert.match(lines[0]!, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ INFO {2}runner starts url=http:\/\/127\.0\.0\.1:\d+ slots=1 isolation=\S+$/)
    const last = lines.findIndex((line) => / FATAL the program ended$/.test(line))
    assert.isAbove(last, 0, said)
    for (const line of lines.slice(last + 1)) assert.match(line, /^ {4}/)
    assert.notInclude(said, KEY)
  })
})
