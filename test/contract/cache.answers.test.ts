/**
 * Shared answers are the same for everybody and say nothing of anybody, on every route; others are kept by
 * nobody. Over the whole API on a real Postgres, from its own document and the table of routes.
 */

import { readFileSync } from "node:fs"
import { Api } from "@agon/api/Api.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { operationsOf } from "../support/Operations.ts"
import { type Answered, call } from "../support/Web.ts"
import * as Writing from "../support/Writing.ts"

const { matchIds, modelIds, versionIds } = Fixture
const shared = "public, max-age=0, s-maxage=600"

const cacheOf = new Map(
  readFileSync(new URL("routes.tsv", import.meta.url), "utf8")
    .split("\n")
    .map((line) => line.split("\t"))
    .map(([method, path, , , cache]) => [`${method} ${path}`, cache])
)
const operations = operationsOf(OpenApi.fromApi(Api))
const left = new Set(["GET /v1/auth/{provider}", "GET /v1/auth/{provider}/callback"]) // sign-in is not real here

interface Names {
  readonly slug: string
  readonly models: string
  readonly versions: string
  readonly matches: string
}
const open: Names = { slug: "spring", models: modelIds.alpha, versions: versionIds.alpha2, matches: matchIds.nano }
const hidden: Names = { slug: "secret", models: modelIds.secretBase, versions: versionIds.hiddenSecret, matches: matchIds.secret }
const others: Readonly<Record<string, string>> = { game: "snakes", map_id: "duel", username: "ada", baseline: "random", n: "1" }

const fill = (path: string, names: Names) => {
  const collection = /\/(models|versions|matches)\/\{id\}/.exec(path)?.[1] as keyof Names | undefined
  const of = (key: string) => (key === "slug" ? names.slug : key === "id" && collection !== undefined ? names[collection] : others[key])
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => of(key) ?? "x")
  return path.endsWith("/threads") ? `${filled}?match=${names.matches}` : filled // it is of something
}

/** With queries that say whose things are meant, where the route takes any. */
const asked = (path: string, query: ReadonlyArray<string>, names: Names) => {
  const values: Readonly<Record<string, string>> = { season: names.slug, model: names.models, version: names.versions, owner: "ada" }
  const plain = fill(path, names)
  if (plain.includes("?")) return [plain, plain.replace(/\?.*/, `?model=${names.models}`)]
  return [plain, ...query.filter((key) => key in values).map((key) => `${plain}?${key}=${values[key]}`)]
}

/**
 * Nobody, a competitor who has things in it, another, an administrator, and those whose
 * cookie is none or somebody else's.
 */
const callers: ReadonlyArray<Record<string, string>> = [
  {},
  { cookie: "service_session=ada-token" },
  { cookie: "service_session=bob-token", origin: "http://evil.example", "sec-fetch-site": "cross-site" },
  { cookie: "service_session=root-token", authorization: "Bearer agon_rk_x" },
  { cookie: "service_session=; other=1", "accept-language": "de", accept: "text/html", "accept-encoding": "br" },
  { cookie: "service_session=nobody-token", "user-agent": "curl", range: "bytes=0-1" }
]

/** Each caller's answer is computed for that caller. */
const fresh = (path: string, headers: Record<string, string>) =>
  Effect.andThen(
    Effect.flatMap(ResponseCache, ({ purgeAll }) => purgeAll),
    call(path, { headers })
  )

/**
 * A series is drawn at the moment of asking, so its moments and its tag are left out. The coding, the length
 * and the end of the tag are the only headers that depend on who asks.
 */
const faceOf = ({ headers, status, text }: Answered) => {
  const { "content-encoding": _c, "content-length": _l, etag, "x-request-id": _, ...rest } = Object.fromEntries(headers)
  const still = text.replace(/"points":\[[^\]]*\]/, "")
  return { status, headers: rest, etag: still === text ? etag!.replace(/-br"$/, '"') : "drawn", text: still }
}

const sharedReads = operations.filter(({ route }) => cacheOf.get(route) === "shared")
/** A post by the name of the season, and a story of the model. */
const written = Effect.andThen(Writing.post(open.slug), Writing.story("ada", open.models, "Once.", true))
const web = Layer.effectDiscard(written).pipe(Layer.provideMerge(Fixture.layer), Layer.provideMerge(A.layer))

layer(web, A.options)("a shared answer", (it) => {
  it.effect("is the same, byte for byte and header for header, whoever asks, and belongs to nobody", () =>
    Effect.gen(function* () {
      let answered = 0
      for (const { path, query, route } of sharedReads) {
        for (const url of asked(path, query, open)) {
          const answers = yield* Effect.forEach(callers, (headers) => fresh(url, headers))
          for (const one of answers) {
            assert.deepStrictEqual(faceOf(one), faceOf(answers[0]!), url)
          }
          const { headers, status, text } = answers[0]!
          assert.isBelow(status, 400, `${route} ${text}`)
          answered++
          assert.strictEqual(headers.get("cache-control"), shared, url)
          assert.match(headers.get("etag")!, /^"[\w-]{22}"$/, url)
          assert.strictEqual(headers.get("vary"), "Accept-Encoding", url)
          for (const name of ["set-cookie", "expires", "age"]) assert.isNull(headers.get(name), `${name} of ${url}`)
          for (const personal of ['"mine"', '"current"', '"email"', "identities", "session", "ada-token", "url"])
            assert.notInclude(text, personal, url)
        }
      }
      assert.isAbove(answered, 20)
    })
  )

  it.effect("is kept whoever asked first, and then given to everybody", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      for (const { path } of sharedReads) {
        for (const [i, headers] of callers.entries()) {
          yield* cache.purgeAll
          const url = fill(path, open)
          const first = yield* call(url, { headers })
          const entry = cache.getUnsafe(url)
          assert.strictEqual(entry?.body.toString(), first.text, url)
          const second = yield* call(url, { headers: callers[(i + 1) % callers.length]! })
          assert.deepStrictEqual([second.text, faceOf(second).etag], [first.text, faceOf(first).etag])
          const same = yield* call(url, { headers: { ...headers, "if-none-match": `"x", W/${entry!.etag}` } })
          assert.deepStrictEqual([same.status, same.text, same.headers.get("cache-control")], [304, "", shared])
          assert.strictEqual(same.headers.get("etag"), entry!.etag)
        }
      }
    })
  )

  it.effect("shows nothing of a hidden season, to nobody, not even after those who may see it have looked", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const reads = operations.filter(({ method }) => method === "GET").filter(({ route }) => !left.has(route))
      const urls = reads.flatMap(({ path, query }) => asked(path, query, hidden))
      for (const headers of [callers[1]!, callers[3]!, callers[0]!]) {
        for (const url of urls) yield* call(url, { headers })
      }
      const secrets = ["secret", modelIds.secretBase, versionIds.alphaSecret, versionIds.hiddenSecret, matchIds.secret]
      let kept = 0
      for (const url of urls) {
        const entry = cache.getUnsafe(url)
        if (entry === undefined) continue
        kept++
        for (const secret of secrets) assert.notInclude(entry.body.toString(), secret, url)
        assert.notMatch(url, /^\/v1\/(private|me|sessions|admin)/)
      }
      assert.isAbove(kept, 5)
      for (const { path, route } of sharedReads.filter(({ path }) => /\{(slug|id)\}/.test(path))) {
        const refused = yield* call(fill(path, hidden), { headers: callers[1]! })
        if (route === "GET /v1/models/{id}") assert.deepStrictEqual([refused.status, refused.json], [200, null])
        else
          assert.deepStrictEqual(
            [refused.status, refused.headers.get("cache-control"), refused.headers.get("etag")],
            [404, "no-store", null],
            route
          )
      }
    })
  )
})

layer(web, A.options)("every other answer", (it) => {
  it.effect("is kept by nobody: reads that are not shared, writes, and refusals", () =>
    Effect.gen(function* () {
      let reads = 0
      for (const { method, path, route } of operations) {
        if (left.has(route)) continue
        const isShared = cacheOf.get(route) === "shared"
        const cases = [
          call(fill(path, open).replace(/snakes|[0-9a-f-]{36}|ada$/, "none"), { method }),
          ...(isShared
            ? []
            : [
                call(fill(path, open), { method }),
                call(fill(path, open), { method, as: "ada", ...(method === "GET" ? {} : { body: "{" }) })
              ]),
          ...(method === "GET" && !isShared ? [call(fill(path, open), { method, as: "root" })] : [])
        ]
        for (const one of cases) {
          const { headers, status } = yield* one
          if (isShared && status < 400) continue // an unknown model's null, or a route without names
          assert.strictEqual(headers.get("cache-control"), "no-store", `${route} ${status}`)
          assert.isNull(headers.get("etag"), `${route} ${status}`)
          // A read of some length is compressed for its reader; nothing else about a request makes another answer.
          assert.include([null, "Accept-Encoding"], headers.get("vary"), `${route} ${status}`)
          if (method === "GET" && status === 200) reads++
        }
      }
      assert.isAbove(reads, 20)
    })
  )
})
