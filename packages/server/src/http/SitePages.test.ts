import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { publicOrigin } from "../config/publicOrigin.ts"
import { telling } from "./ClientAddress.ts"
import { makeSitePages } from "./SitePages.ts"

const SECRET = "s3cret-of-the-service"

const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** The front of a service before a site that answers as it is told to; answers the front's address. */
const front = (site: RequestListener) =>
  Effect.gen(function* () {
    const port = yield* listening(site)
    const shape = { at: () => ({ host: "127.0.0.1", port }), told: telling(Redacted.make(SECRET)) }
    const pages = makeSitePages(shape, {
      clientOf: () => "198.51.100.7",
      take: () => 0,
      fork: Effect.runFork,
      origin: publicOrigin("http://localhost")
    })
    const own = yield* listening((request, response) => {
      if (!pages(request, response)) response.end("the service's own")
    })
    return `http://127.0.0.1:${own}`
  })

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => Effect.promise(() => fetch(url, { headers }))

it.live("the site is told the visitor's address, signed, and of the visitor's cookies the session alone, for personal pages", () =>
  Effect.gen(function* () {
    const asked: Array<IncomingMessage> = []
    const origin = yield* front((request, response) => {
      asked.push(request)
      response.setHeader("content-type", "text/html").end("a page")
    })
    const cookie = "theme=dark; service_session=session-of-ada; other=secret"
    const personal = [
      "/me",
      "/me?x=1",
      "/me/settings",
      "/admin",
      "/admin/users",
      "/device?code=x",
      "/games/snakes/seasons/spring/admin/rounds"
    ]
    const shared = ["/", "/news", "/mean", "/me.html", "/administrators", "/games/me", "/games/snakes/seasons/admin", "/people/me?next=/me"]
    for (const path of [...personal, ...shared]) yield* get(origin + path, { cookie, authorization: "Bearer x", "x-other": "x" })
    assert.deepStrictEqual(
      asked.map(({ headers, url }) => [url, headers.cookie]),
      [...personal.map((path) => [path, "service_session=session-of-ada"]), ...shared.map((path) => [path, undefined])]
    )
    for (const { headers } of asked) {
      assert.match(String(headers["agon-visitor"]), /^198\.51\.100\.7 [0-9a-f]{64}$/)
      assert.notInclude(JSON.stringify(headers), SECRET)
      assert.includeMembers(["accept-encoding", "agon-visitor", "connection", "cookie", "host"], Object.keys(headers))
    }
  })
)
