/**
 * An administrator suspends an account while requests of it are still being sent: they end before they are whole, nothing of them is obeyed, and
 * the rest of their bodies changes nothing, also once the account is let in again.
 */
import { connect, type Socket } from "node:net"
import { afterAll, assert, describe, it } from "vitest"
import { Browser, signIn } from "../support/Browser.ts"
import { eventuallyAsync, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Service from "./Service.ts"
import { Visitor } from "./Visitor.ts"

afterAll(Service.cleanUp, PATIENCE_MS)

interface Half {
  readonly socket: Socket
  readonly rest: string
  /** The answer so far. */
  readonly heard: () => string
  readonly closed: () => boolean
}

/** Sends the head and all of the body but its last bytes. */
const begun = (port: number, method: string, path: string, credential: string, body: unknown): Promise<Half> =>
  new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const head = [`${method} ${path} HTTP/1.1`, `Host: localhost:${port}`, credential, "Content-Type: application/json"]
    const socket = connect(port, "127.0.0.1")
    let [heard, closed] = ["", false]
    socket.on("data", (chunk) => (heard += chunk.toString()))
    socket.on("close", () => (closed = true))
    socket.on("error", (error) => (heard === "" ? reject(error) : undefined))
    socket.write(`${head.join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text.slice(0, -3)}`, () =>
      resolve({ socket, rest: text.slice(-3), heard: () => heard, closed: () => closed })
    )
  })

const sessionOf = async (origin: string, login: string) => {
  const browser = new Browser()
  await signIn(browser, origin, login)
  return browser.cookie(origin, "service_session")!
}

describe("an account that is suspended while it is sending", () => {
  it(
    "has none of its writes obeyed, whatever they are, and no work for its runner key",
    async () => {
      const port = await freePort()
      const service = await Service.start({ directory: Service.newDirectory(), port, runners: 0 })
      const root = await Visitor.signedIn(service.origin, "admin")
      const session = await sessionOf(service.origin, "mallory")
      const mallory = new Visitor(service.origin, session)
      const model = (await mallory.post("/v1/games/snakes/models", { name: "kept" })).id
      await root.patch("/v1/admin/users/mallory", { admin: true })
      const { key } = await mallory.post("/v1/runner-keys", { name: "mine" })
      const before = { me: await mallory.get("/v1/me"), audit: (await root.get("/v1/admin/audit?limit=1")).audit[0].id }

      const writes: ReadonlyArray<readonly [method: string, path: string, body: unknown]> = [
        ["POST", "/v1/games/snakes/models", { name: "late" }],
        ["PATCH", "/v1/me", { bio: "written late" }],
        ["PUT", `/v1/models/${model}/story`, { body: "late", submit: true }],
        ["POST", "/v1/me/webhooks", { url: "https://example.org/hook" }],
        ["POST", "/v1/runner-keys", { name: "another" }],
        ["PATCH", "/v1/admin/users/mallory", { admin: true }],
        ["POST", "/v1/admin/words", { word: "late" }]
      ]
      const cookie = `Cookie: service_session=${session}\r\nOrigin: ${service.origin}`
      const halves = await Promise.all(writes.map((write) => begun(port, write[0], write[1], cookie, write[2])))
      const about = { name: "late", runtime_version: "x", engines: [], accepts: ["match"], slots: 1 }
      halves.push(await begun(port, "POST", "/v1/runner/sessions", `Authorization: Bearer ${key}`, about))
      assert.strictEqual((await mallory.ask("GET", "/v1/me")).status, 200, "what was sent before this has arrived")
      for (const { heard } of halves) assert.strictEqual(heard(), "")

      await root.patch("/v1/admin/users/mallory", { suspended: true, admin: false })
      await eventuallyAsync("every one of them is answered", () => halves.every(({ heard }) => heard() !== ""))
      for (const [i, { heard }] of halves.entries()) {
        assert.match(heard(), /^HTTP\/1\.1 401 /, String(writes[i]?.[1] ?? "runner"))
        assert.include(heard(), '"unauthenticated"')
      }
      await root.patch("/v1/admin/users/mallory", { suspended: false })
      const after = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      for (const { closed, rest, socket } of halves) if (!closed()) socket.write(`${rest}${after}`)
      await eventuallyAsync("the connections are closed", () => halves.every(({ closed }) => closed()))
      for (const { heard } of halves) assert.notMatch(heard(), /^HTTP\/1\.1 20[14]/m)

      const again = await Visitor.signedIn(service.origin, "mallory")
      const { admin, bio } = await again.get("/v1/me")
      assert.deepStrictEqual({ admin, bio }, { admin: false, bio: before.me.bio })
      const { audit } = await root.get("/v1/admin/audit?limit=20")
      const since = audit.slice(
        0,
        audit.findIndex(({ id }: { readonly id: string }) => id === before.audit)
      )
      assert.deepStrictEqual(new Set(since.map(({ actor }: { readonly actor: string }) => actor)), new Set(["admin"]))
      await Service.withDatabase(service, async (client) => {
        const { rows } =
          await client.query(`SELECT (SELECT count(*) FROM runner)::int AS runners, (SELECT count(*) FROM story)::int AS stories,
          (SELECT count(*) FROM webhook)::int AS webhooks, (SELECT count(*) FROM model)::int AS models`)
        assert.deepStrictEqual(rows, [{ runners: 0, stories: 0, webhooks: 0, models: 1 }])
      })
    },
    PATIENCE_MS
  )
})
