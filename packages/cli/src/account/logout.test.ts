import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { freePort } from "../../../../test/support/freePort.ts"
import { agonHere } from "../testing/here.ts"

const folder = mkdtempSync(join(tmpdir(), "agon-logout-"))
const file = join(folder, "agon", "session.json")
const environment = { XDG_CONFIG_HOME: folder }

const keep = (url: string) => {
  mkdirSync(join(folder, "agon"), { recursive: true })
  writeFileSync(file, JSON.stringify({ url, session: "x".repeat(43), username: "ada" }))
}

/** A command's output and status where another program answers at the service's address. */
const beside = async (listener: RequestListener, ...args: ReadonlyArray<string>) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  keep(url)
  const ended = await agonHere(args, { environment })
  server.close()
  return { url, ...ended }
}

describe("a session whose service is gone", () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  it("is forgotten by logout, which says that the service has not been told", async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    keep(url)
    const { err, out, status } = await agonHere(["logout"], { environment })
    assert.deepStrictEqual([status, err], [0, ""])
    const [first, second] = out.split("\n")
    assert.strictEqual(first, `${url} cannot be reached: connect ECONNREFUSED ${url.slice("http://".length)}.`)
    assert.strictEqual(second, `The session of ada is forgotten here. At ${url} it ends by itself, 30 days after the sign-in.`)
    assert.isFalse(existsSync(file))
    assert.strictEqual((await agonHere(["logout"], { environment })).out, "You were not signed in.\n")

    keep(url)
    const json = await agonHere(["logout", "--json"], { environment })
    assert.deepStrictEqual([json.status, JSON.parse(json.out)], [0, { ended: { url, username: "ada" }, at_service: false }])
    assert.isFalse(existsSync(file))
  })

  it("is forgotten where something else answers at its address", async () => {
    for (const status of [200, 404, 502, 503]) {
      const ended = await beside((_, response) => response.writeHead(status, { "content-type": "text/html" }).end("<html>"), "logout")
      assert.strictEqual(ended.status, 0, ended.err)
      assert.match(ended.out, /^http\S+ (does not answer as a service does|gave an answer that this version of agon does not know).*\n/)
      assert.isFalse(existsSync(file))
    }
  })

  it("stays where the service itself refuses to end it now", async () => {
    const body = {
      type: "/errors#unavailable",
      title: "Temporarily unavailable",
      status: 503,
      code: "unavailable",
      detail: "The service starts."
    }
    const { err, status } = await beside(
      (_, response) => response.writeHead(503, { "content-type": "application/problem+json" }).end(JSON.stringify(body)),
      "logout"
    )
    assert.deepStrictEqual([status, existsSync(file)], [2, true], err)
  })

  it("hinders no sign-in elsewhere, whose own address is named where that fails", async () => {
    const [gone, other] = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`]
    keep(gone)
    const { err, status } = await agonHere(["login", "--url", other], { environment })
    assert.deepStrictEqual(
      [status, err.startsWith(`agon: ${other} cannot be reached: connect ECONNREFUSED ${other.slice(7)}`)],
      [2, true],
      err
    )
    assert.isTrue(existsSync(file), "the session that is kept is not forgotten for a sign-in that failed")
  })
})
