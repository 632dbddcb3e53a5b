/** The site beside a service that does not answer, or whose proxy says so. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Site from "../Site.ts"

const siteOf = (service: string) =>
  Layer.orDie(Site.layer({ host: "127.0.0.1", port: 0, service, origin: "http://localhost", objects: undefined }))

/** Port 9 of this machine is nobody's. */
const alone = siteOf("http://127.0.0.1:9")

/** Answers as nginx does whose nodes are all away. */
const behindProxy = Layer.unwrap(
  Effect.gen(function* () {
    const proxy = createServer((_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>502 Bad Gateway</h1>"))
    yield* Effect.promise(() => new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening)))
    yield* Effect.addFinalizer(() => Effect.sync(() => void proxy.close().closeAllConnections()))
    return siteOf(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  })
)

const asked = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.promise(async () => {
      const { port } = address as { readonly port: number }
      const { headers, status, text } = await fetch(`http://127.0.0.1:${port}${path}`, init).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        text: await answer.text()
      }))
      return { status, text, refresh: headers.get("refresh"), retry: headers.get("retry-after") }
    })
  )

layer(alone, { excludeTestServices: true, timeout: "60 seconds" })("a page that the service does not answer for", (it) => {
  it.effect("is asked for again by the browser itself, and a form is not", () =>
    Effect.gen(function* () {
      const cookie = `service_session=${"s".repeat(43)}`
      for (const [path, headers] of [
        ["/", {}],
        ["/me", { cookie }]
      ] as const) {
        const { refresh, retry, status, text } = yield* asked(path, { headers })
        assert.deepStrictEqual([status, refresh, retry], [503, "10", "2"], path)
        assert.include(text, "Your browser asks for it again in 10 seconds.", path)
      }
      const body = "form=profile&display_name=Ada"
      const type = { "content-type": "application/x-www-form-urlencoded" }
      for (const site of ["same-origin", "none"]) {
        const sent = yield* asked("/me/settings", { method: "POST", headers: { cookie, ...type, "sec-fetch-site": site }, body })
        assert.deepStrictEqual([sent.status, sent.refresh], [503, null])
        assert.notInclude(sent.text, "Your browser asks")
      }
      const none = yield* asked("/none")
      assert.deepStrictEqual([none.status, none.refresh], [404, null])
    })
  )
})

layer(behindProxy, { excludeTestServices: true, timeout: "60 seconds" })("a page that a proxy answers for", (it) => {
  it.effect("is away, and not broken; a form is kept", () =>
    Effect.gen(function* () {
      const cookie = `service_session=${"s".repeat(43)}`
      for (const path of ["/", "/me", "/matches"]) {
        const { refresh, status } = yield* asked(path, { headers: { cookie } })
        assert.deepStrictEqual([status, refresh], [503, "10"], path)
      }
      const headers = { cookie, "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" }
      const sent = yield* asked("/me/settings", { method: "POST", headers, body: "form=profile&display_name=Ada" })
      assert.strictEqual(sent.status, 503)
      assert.include(sent.text, `<input type="hidden" name="display_name" value="Ada">`)
    })
  )
})
