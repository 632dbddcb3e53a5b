/**
 * The development sign-in lets anybody be anyone: it answers people at this machine, and nobody who
 * comes by a proxy or another name.
 */

import { type IncomingMessage, request as send } from "node:http"
import { signOfElsewhere } from "@agon/server/http/thisMachine.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Browser, signIn } from "../support/Browser.ts"
import * as Service from "../support/SignInService.ts"

/** A header of each proxy and service that stands in front of others, as it sends it. */
const FORWARDED: ReadonlyArray<Record<string, string>> = [
  { "X-Forwarded-For": "203.0.113.7" },
  { "X-Forwarded-Proto": "https" },
  { "X-Forwarded-Host": "agon.example" },
  { "X-Forwarded-For": "127.0.0.1" },
  { "X-Forwarded-For": "" },
  { Forwarded: "for=203.0.113.7" },
  { Via: "1.1 proxy" },
  { "X-Real-IP": "203.0.113.7" },
  { "X-Client-IP": "203.0.113.7" },
  { "CF-Connecting-IP": "203.0.113.7" },
  { "CDN-Loop": "cloudflare" },
  { "True-Client-IP": "203.0.113.7" },
  { "Fastly-Client-IP": "203.0.113.7" },
  { "X-Amz-Cf-Id": "x" },
  { "X-Amzn-Trace-Id": "Root=1" },
  { "X-Envoy-External-Address": "203.0.113.7" },
  { "X-Original-Host": "agon.example" },
  { "Proxy-Connection": "keep-alive" },
  { "Max-Forwards": "10" },
  { "Tailscale-User-Login": "ada" }
]

const HOSTS = [
  "agon.example",
  "agon.example:8080",
  "localhost.agon.example",
  "127.0.0.1.nip.io",
  "0.0.0.0",
  "192.168.1.2:8080",
  "[::2]",
  "1270.0.0.1"
]

interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

const ask = (port: number, path: string, headers: Record<string, string>, method = "GET"): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asking = send({ host: "127.0.0.1", port, path, method, headers: { host: `localhost:${port}`, ...headers } }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (chunk) => (text += chunk))
      answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, text }))
    })
    asking.on("error", reject).end()
  })

const inService = (run: (port: number, origin: string) => Promise<void>) =>
  Effect.flatMap(Service.SignInService, ({ origin, port }) => Effect.promise(() => run(port, origin)))

const PATHS = ["/v1/auth/dev", "/v1/auth/dev?return_to=/x", "/v1/auth/dev/callback?code=x&state=y"]
const PAGES = [
  "/dev-idp/auth?client_id=agon",
  "/dev-idp/.well-known/openid-configuration",
  "/dev-idp/interaction/x",
  "/dev-idp/token",
  "/dev-idp/jwks"
]

const assertKeptOut = async (port: number, headers: Record<string, string>) => {
  for (const path of PATHS) {
    const { headers: told, status, text } = await ask(port, path, headers)
    const { code, detail } = JSON.parse(text)
    assert.deepStrictEqual([status, code], [404, "unknown_provider"], `${path} ${JSON.stringify(headers)}`)
    assert.match(detail, /came from elsewhere, since .*Set AUTH_PROVIDERS, AGON_ADMIN and PUBLIC_ORIGIN\./)
    assert.isUndefined(told["location"])
    assert.isUndefined(told["set-cookie"])
  }
  for (const path of PAGES) {
    const { headers: told, status, text } = await ask(port, path, headers, path === "/dev-idp/token" ? "POST" : "GET")
    assert.strictEqual(status, 403, `${path} ${JSON.stringify(headers)}`)
    assert.include(text, "Set AUTH_PROVIDERS")
    assert.isUndefined(told["set-cookie"])
  }
}

layer(Service.layer(), { excludeTestServices: true })("the development sign-in", (it) => {
  it.effect("knows nobody who comes by a proxy, whatever header shows it and whatever that holds", () =>
    inService(async (port) => {
      for (const headers of FORWARDED) await assertKeptOut(port, headers)
    })
  )

  it.effect("knows nobody who calls this machine by another name than loopback's", () =>
    inService(async (port) => {
      for (const host of HOSTS) await assertKeptOut(port, { host })
    })
  )

  it.effect("lets nobody go on by a proxy who began without one, and leaves other providers alone", () =>
    inService(async (port, origin) => {
      const browser = new Browser()
      const page = await browser.follow(`${origin}/v1/auth/dev`)
      const post = { method: "POST", body: new URLSearchParams({ login: "boss" }), headers: { "x-forwarded-for": "203.0.113.7" } }
      assert.strictEqual((await browser.request(page.url, post)).status, 403)
      assert.isUndefined(browser.cookie(origin, "service_session"))
      assert.strictEqual((await ask(port, "/v1/auth/hub", { "x-forwarded-for": "203.0.113.7", host: "agon.example" })).status, 302)
    })
  )

  it.effect("lets in whoever sits at this machine, by any name of loopback and through a forwarded port", () =>
    inService(async (port, origin) => {
      await signIn(new Browser(), origin, "ada")
      for (const host of [`localhost:${port}`, "localhost", "LOCALHOST:9000", "127.0.0.1:9000", "127.8.8.8", "[::1]:9000"])
        assert.strictEqual((await ask(port, "/v1/auth/dev", { host })).status, 302, host)
    })
  )
})

layer(Service.layer(), { excludeTestServices: true })("somebody at this machine", (it) => {
  const message = (over: object) =>
    ({
      headers: { host: "localhost:8080" },
      httpVersion: "1.1",
      socket: { remoteAddress: "127.0.0.1" },
      ...over
    }) as unknown as IncomingMessage

  it.effect("has a loopback peer and speaks HTTP/1.1", () =>
    Effect.sync(() => {
      for (const remoteAddress of ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"])
        assert.isUndefined(signOfElsewhere(message({ socket: { remoteAddress } })), remoteAddress)
      for (const remoteAddress of ["10.0.0.5", "::ffff:10.0.0.5", "fe80::1", "", undefined])
        assert.strictEqual(signOfElsewhere(message({ socket: { remoteAddress } })), "its peer is another machine")
      assert.strictEqual(signOfElsewhere(message({ socket: undefined })), "its peer is another machine")
      // nginx with nothing but proxy_pass, until 1.29: its own Host, no header of a proxy's.
      assert.match(signOfElsewhere(message({ httpVersion: "1.0", headers: { host: "127.0.0.1:8080" } }))!, /HTTP\/1\.0/)
      assert.match(signOfElsewhere(message({ headers: {} }))!, /Host/)
    })
  )
})
