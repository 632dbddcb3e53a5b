/**
 * scripts/nginx.conf by itself, before a backend that answers whatever it is asked: TLS, the way there,
 * and what one client may take.
 */

import { createServer, get as getPlain, type IncomingMessage, type Server } from "node:http"
import { get as getTls } from "node:https"
import { type AddressInfo, connect, type Socket } from "node:net"
import { checkServerIdentity, connect as connectTls } from "node:tls"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { make, missingNginx, type Nginx, SITE } from "./Nginx.ts"

const NAME = "agon.example"
const HSTS = "max-age=63072000"

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

const answerOf = (response: IncomingMessage): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let text = ""
    response.on("data", (chunk) => (text += chunk)).on("error", reject)
    response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }))
  })

/** As a browser asks for a page. */
const BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

/** Whatever holds of a page of nginx's own. */
const assertPage = ({ headers, status, text }: Answer, is: number) => {
  assert.deepStrictEqual([status, headers["content-type"], headers["strict-transport-security"]], [is, "text/html; charset=utf-8", HSTS])
  assert.match(
    text,
    /^<!doctype html>.*<title>[^<]+ – Agon<\/title>.*<header><a href="\/">Agon<\/a>.*<h1>[^<]+<\/h1>.*<a href="\/">To the front page<\/a>/
  )
  assert.match(String(headers["content-security-policy"]), /^default-src 'none'/)
}

const missing = missingNginx()

describe.skipIf(missing !== undefined)(`nginx in front${missing === undefined ? "" : `: ${missing}`}`, () => {
  let nginx: Nginx
  let backend: Server
  /** Requests under way at the backend, which answers when it is told. */
  let held: Array<() => void> = []
  /** The paths that the backend was asked for. */
  const asked: Array<string> = []

  beforeAll(async () => {
    backend = createServer((request, response) => {
      const [, control] = request.url!.split("control=")
      if (control !== undefined) response.setHeader("cache-control", decodeURIComponent(control))
      asked.push(request.url!)
      if (request.url!.startsWith("/none")) response.statusCode = 404
      const answer = () => response.end(JSON.stringify(request.headers))
      if (request.url === "/held") held.push(answer)
      else answer()
    })
    await new Promise<void>((resolve) => backend.listen(0, "127.0.0.1", resolve))
    nginx = await make()
    await nginx.start([`127.0.0.1:${(backend.address() as AddressInfo).port}`])
    while (!(await reaches(nginx.tls_port))) {}
  })

  afterAll(async () => {
    await nginx.stop()
    backend.closeAllConnections()
    await new Promise((resolve) => backend.close(resolve))
  })

  const reaches = (port: number) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true))
      socket.on("error", () => setImmediate(resolve, false)).on("connect", () => socket.destroy())
    })

  const overTls = (path: string) =>
    new Promise<Answer>((resolve, reject) => {
      const options = { host: "127.0.0.1", port: nginx.tls_port, path, servername: NAME, ca: nginx.certificate(), headers: { host: NAME } }
      const checked = { ...options, checkServerIdentity: (_: string, certificate: any) => checkServerIdentity(NAME, certificate) }
      getTls(checked, (response) => resolve(answerOf(response))).on("error", reject)
    })
  const plain = (path: string, port = nginx.port, localAddress = "127.0.0.1", headers = {}, method = "GET") =>
    new Promise<Answer>((resolve, reject) => {
      const options = { host: "127.0.0.1", port, path, localAddress, headers, method, agent: false }
      getPlain(options, (response) => resolve(answerOf(response))).on("error", reject)
    })

  it("speaks TLS with the certificate it was given, from version 1.2, and tells browsers to stay with it", async () => {
    const { headers, status, text } = await overTls("/v1/games")
    assert.deepStrictEqual([status, headers["strict-transport-security"]], [200, HSTS])
    assert.strictEqual(JSON.parse(text)["x-forwarded-for"], "127.0.0.1")
    const old = await new Promise<boolean>((resolve) => {
      const options = {
        host: "127.0.0.1",
        port: nginx.tls_port,
        maxVersion: "TLSv1.1",
        minVersion: "TLSv1",
        rejectUnauthorized: false
      } as const
      const socket = connectTls({ ...options, ciphers: "DEFAULT@SECLEVEL=0" }, () => resolve(true))
      socket.on("error", () => resolve(false))
    })
    assert.isFalse(old)
  })

  it("sends whoever comes without TLS on to the same path with it", async () => {
    const { headers, status } = await plain("/v1/games?x=1", nginx.redirect_port)
    assert.deepStrictEqual([status, headers.location], [301, `https://${NAME}/v1/games?x=1`])
  })

  it("lets one client have 500 requests under way, and refuses the next with a problem while another client is served", async () => {
    const sockets: Array<Socket> = []
    const answers: Array<Promise<string>> = []
    for (let i = 0; i < 520; i++) {
      const socket = connect({ port: nginx.port, host: "127.0.0.1", localAddress: "127.0.0.3" })
      sockets.push(socket)
      answers.push(new Promise((resolve) => socket.once("data", (chunk) => resolve(String(chunk))).on("error", () => resolve("closed"))))
      socket.write(`GET /held HTTP/1.1\r\nHost: ${NAME}\r\n\r\n`)
    }
    const refused = await Promise.any(answers)
    assert.match(refused, /^HTTP\/1\.1 429 .*Retry-After: 1\r\n.*"code":"rate_limited"/s)
    const other = await plain("/v1/games", nginx.port, "127.0.0.4")
    assert.strictEqual(other.status, 200)
    for (const answer of held) answer()
    held = []
    for (const socket of sockets) socket.destroy()
  })

  it("refuses no read of the site, which asks for many visitors, and passes on whose it is and what the site says of the visitor", async () => {
    const read = () => plain("/v1/games", nginx.port, SITE, { "agon-visitor": "told" })
    for (let hundred = 0; hundred < 10; hundred++) {
      const answers = await Promise.all(Array.from({ length: 100 }, read))
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    }
    const { "agon-visitor": visitor, "x-forwarded-for": forwarded } = JSON.parse((await read()).text)
    assert.deepStrictEqual([visitor, forwarded], ["told", SITE])
  })

  it("refuses a flood of one client with a problem, and no runner's", async () => {
    const flood = await Promise.all(Array.from({ length: 700 }, () => plain("/v1/games", nginx.port, "127.0.0.5")))
    const refused = flood.filter(({ status }) => status === 429)
    assert.isAbove(refused.length, 0)
    assert.strictEqual(JSON.parse(refused[0]!.text).code, "rate_limited")
    assert.strictEqual(refused[0]!.headers["strict-transport-security"], HSTS)
    assert.isAbove(flood.filter(({ status }) => status === 200).length, 400)
    assert.strictEqual((await plain("/v1/runner/leases", nginx.port, "127.0.0.5")).status, 200)
  })

  it("says to a browser in a page, and to a program as a problem, that a body is too large, that it asks too much and that no node answers", async () => {
    const long = { "content-length": String(3 * 1024 * 1024) }
    assertPage(await plain("/me/settings", nginx.port, "127.0.0.6", { ...BROWSER, ...long }, "POST"), 413)
    assert.strictEqual(JSON.parse((await plain("/v1/games", nginx.port, "127.0.0.6", long, "POST")).text).code, "body_too_large")

    const flood = await Promise.all(Array.from({ length: 700 }, () => plain("/", nginx.port, "127.0.0.7", BROWSER)))
    assertPage(flood.find(({ status }) => status === 429)!, 429)

    const alone = await make()
    await alone.start(["127.0.0.1:9"])
    while (!(await reaches(alone.port))) {}
    const [page, form, problem] = [
      await plain("/", alone.port, "127.0.0.6", BROWSER),
      await plain("/me/settings", alone.port, "127.0.0.6", BROWSER, "POST"),
      await plain("/v1/games", alone.port, "127.0.0.6")
    ]
    await alone.stop()
    for (const shown of [page, form]) assertPage(shown, 503)
    assert.deepStrictEqual([page.headers["refresh"], form.headers["refresh"]], ["10", undefined])
    assert.include(page.text, '<a href="">Ask for this page again</a>')
    assert.include(form.text, "look whether it was taken")
    assert.deepStrictEqual([problem.headers["content-type"], JSON.parse(problem.text).code], ["application/problem+json", "unavailable"])
  })

  describe("answers again what everybody may read, for a second", () => {
    const SHARED = "public, max-age=0, s-maxage=600"
    const PAGE = "public, no-cache"
    let pages = 0
    /** The path of a page that was not asked for before. */
    const page = (control: string) => `/page-${++pages}?control=${encodeURIComponent(control)}`
    const timesOf = (path: string) => asked.filter((url) => url === path).length
    const read = (path: string, headers = {}, address = "127.0.0.8") => plain(path, nginx.port, address, headers)

    it("and the node is asked once, then once more", async () => {
      for (const path of [page(SHARED), page(PAGE)]) {
        const [first, second] = [await read(path), await read(path)]
        assert.deepStrictEqual([first.status, second.status, second.text], [200, 200, first.text])
        assert.strictEqual(second.headers["cache-control"], decodeURIComponent(path.split("control=")[1]!), "browsers are told as before")
        assert.strictEqual(timesOf(path), 1)
        await new Promise((resolve) => setTimeout(resolve, 2_100)) // nginx counts whole seconds
        await read(path)
        assert.strictEqual(timesOf(path), 2)
      }
    })

    it("but not to whoever is signed in, nor to the site, nor under another name", async () => {
      for (const [headers, address] of [
        [{ cookie: "session=1" }, "127.0.0.8"],
        [{ authorization: "Bearer 1" }, "127.0.0.8"],
        [{ "agon-visitor": "1" }, SITE],
        [{ host: "other.example" }, "127.0.0.8"]
      ] as const) {
        const path = page(SHARED)
        await read(path)
        await read(path, headers, address)
        assert.strictEqual(timesOf(path), 2, JSON.stringify(headers))
      }
      const path = page(SHARED)
      const [own, other] = [await read(path, { cookie: "session=1" }), await read(path)]
      assert.strictEqual(JSON.parse(own.text).cookie, "session=1")
      assert.notInclude(other.text, "session=1", "what was made for one is not kept for another")
    })

    it("but nothing that the service does not call public, and no error", async () => {
      const none = `/none?control=${encodeURIComponent(SHARED)}`
      for (const path of [page("private, no-store"), page("no-store"), page("max-age=60"), none]) {
        await read(path)
        await read(path)
        assert.strictEqual(timesOf(path), 2, path)
      }
    })
  })
})
