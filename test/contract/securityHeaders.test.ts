/** Every answer of the service over a socket carries the headers of http/securityHeaders.ts, whoever made it. */

import { createHash } from "node:crypto"
import { connect } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SignInService, layer as signInService } from "../support/SignInService.ts"

const NAMES = [
  "x-content-type-options",
  "referrer-policy",
  "x-frame-options",
  "cross-origin-resource-policy",
  "cross-origin-opener-policy",
  "content-security-policy"
]

const get = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(SignInService, ({ port }) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init })
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  )

const assertProtected = (headers: Headers, what: string) => {
  for (const name of NAMES) assert.isNotNull(headers.get(name), `${name} of ${what}`)
  assert.strictEqual(headers.get("x-content-type-options"), "nosniff", what)
  assert.match(headers.get("content-security-policy")!, /default-src 'none'.*frame-ancestors 'none'/, what)
}

/** The answer to bytes that are no request. */
const raw = (bytes: string) =>
  Effect.flatMap(SignInService, ({ port }) =>
    Effect.promise(
      () =>
        new Promise<string>((resolve, reject) => {
          let text = ""
          const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
          socket.on("data", (chunk) => (text += chunk)).on("close", () => resolve(text))
          socket.on("error", reject)
        })
    )
  )

layer(signInService(), { excludeTestServices: true })("security headers", (it) => {
  it.effect("are on every answer: of the API, its refusals, the cache, mounts, pages and operations", () =>
    Effect.gen(function* () {
      const providers = "/v1/auth-providers"
      const cases: ReadonlyArray<readonly [string, RequestInit, number]> = [
        [providers, {}, 200],
        [providers, {}, 200], // from the cache
        [providers, { method: "HEAD" }, 200],
        ["/v1/me", {}, 401],
        ["/v1/nothing", {}, 404],
        ["/v1/me", { method: "PUT" }, 405],
        ["/v1/events", { method: "POST", body: "{" }, 415],
        ["/healthz", {}, 200],
        ["/readyz", {}, 200],
        ["/openapi.json", {}, 200],
        ["/docs", {}, 200],
        ["/errors", {}, 200],
        ["/dev-idp/.well-known/openid-configuration", {}, 200],
        ["/dev-idp/interaction/none", {}, 400],
        ["/dev-idp/nothing", {}, 404]
      ]
      for (const [path, init, status] of cases) {
        const answer = yield* get(path, init)
        assert.strictEqual(answer.status, status, path)
        assertProtected(answer.headers, path)
      }
      const { headers } = yield* get(providers)
      const kept = yield* get(providers, { headers: { "if-none-match": headers.get("etag") ?? "none" } })
      assertProtected(kept.headers, `${providers} ${kept.status}`)
    })
  )

  it.effect("are on refusals of what is no request at all", () =>
    Effect.gen(function* () {
      for (const bytes of ["NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", `GET / HTTP/1.1\r\nX: ${"a".repeat(20_000)}\r\n\r\n`]) {
        const text = yield* raw(bytes)
        const [, ...lines] = text.split("\r\n\r\n")[0]!.split("\r\n")
        assertProtected(new Headers(lines.map((line) => line.split(": ") as [string, string])), bytes.slice(0, 20))
      }
    })
  )

  it.effect("let a page run what is written in it, by its hash, and nothing else", () =>
    Effect.gen(function* () {
      for (const path of ["/docs", "/errors"]) {
        const { headers, text } = yield* get(path)
        const policy = headers.get("content-security-policy")!
        for (const element of ["script", "style"]) {
          const own = [...text.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, "g"))].map(([, inner]) => inner!)
          if (element === "script" && path === "/docs") assert.isAtLeast(own.length, 2)
          if (element === "style" && path === "/docs") continue // the reference makes styles as it runs
          const allowed = own.map((inner) => `'sha256-${createHash("sha256").update(inner).digest("base64")}'`)
          const sources = new RegExp(`${element}-src ([^;]*)`).exec(policy)![1]!
          assert.strictEqual(sources, allowed.length === 0 ? "'none'" : allowed.join(" "), `${element} of ${path}`)
        }
      }
    })
  )
})
