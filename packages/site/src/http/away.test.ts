/** The site beside a service that does not answer. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as Site from "../Site.ts"

/** Port 9 of this machine is nobody's. */
const alone = Layer.orDie(
  Site.layer({ host: "127.0.0.1", port: 0, service: "http://127.0.0.1:9", origin: "http://localhost", objects: undefined })
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
