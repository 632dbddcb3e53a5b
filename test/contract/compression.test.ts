/**
 * Answers in the coding that a reader asks for: kept ones, those made for one reader, the documents; and
 * those that are never compressed.
 */

import { type IncomingHttpHeaders, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { overSocket, port, uncalled, unlimited } from "../support/Web.ts"

const map = (i: number) => ({
  map_id: `board-${i}`,
  players: 2,
  rows: 11,
  cols: 11,
  enabled: true,
  added_at: "2026-01-01T00:00:00.000Z",
  matches: i
})
const maps = (n: number) => ({ maps: Array.from({ length: n }, (_, i) => map(i)), total: n, next_cursor: null })
let computed = 0

const BoardHandlers = HttpApiBuilder.group(Api, "board", (handlers) =>
  handlers.handleAll({
    boards: ({ query }) => {
      computed++
      return Effect.as(tagged("boards"), maps(query.enabled ? 1 : 100))
    },
    privateBoards: () => Effect.succeed(maps(100)),
    board: uncalled,
    privateBoard: uncalled
  })
)
const ModelHandlers = HttpApiBuilder.group(Api, "model", (handlers) =>
  handlers.handleAll({
    createModel: ({ payload }) =>
      Effect.succeed({
        ...{ id: "m", game: "snakes", name: payload.name, owner: "x".repeat(5_000), retired: false },
        created_at: "2026-01-01T00:00:00.000Z"
      }),
    ...{ ownModels: uncalled, model: uncalled, privateModel: uncalled, editModel: uncalled, modelSeason: uncalled, rivals: uncalled },
    ...{ modelMaps: uncalled, privateModelMaps: uncalled, privateModelSeason: uncalled, privateRivals: uncalled }
  })
)

const Served = (publicBurst: number) =>
  overSocket({
    handlers: Layer.merge(BoardHandlers, ModelHandlers),
    served: ["board", "model"],
    rates: { ...unlimited, public: { per_s: 0.001, burst: publicBurst } }
  })

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** As node hears it: fetch would ask for codings and take them off. */
const get = (path: string, headers: Record<string, string> = {}, send: { readonly method?: string; readonly body?: string } = {}) =>
  Effect.flatMap(port, (port) =>
    Effect.promise(
      () =>
        new Promise<Got>((resolve, reject) => {
          const asked = request({ port, path, headers, method: send.method ?? "GET" }, (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk) => chunks.push(chunk))
            response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }))
          })
          asked.on("error", reject).end(send.body)
        })
    )
  )

const plainOf = ({ body, headers }: Got) => {
  const coding = headers["content-encoding"]
  return (coding === "br" ? brotliDecompressSync(body) : coding === "gzip" ? gunzipSync(body) : body).toString()
}

const boards = "/v1/games/snakes/seasons/s1/maps"

layer(Served(1e6), { excludeTestServices: true })("an answer", (it) => {
  it.effect("that is kept has a form and a tag for each coding, and is known by any of its tags", () =>
    Effect.gen(function* () {
      const forms = new Map<string, Got>()
      for (const coding of ["identity", "gzip", "br", "gzip", "br", "identity"]) {
        const got = yield* get(boards, { "accept-encoding": coding })
        assert.deepStrictEqual([got.status, got.headers["vary"]], [200, "Accept-Encoding"])
        assert.strictEqual(got.headers["content-encoding"], coding === "identity" ? undefined : coding)
        assert.strictEqual(Number(got.headers["content-length"]), got.body.length)
        assert.isTrue((forms.get(coding) ?? got).body.equals(got.body))
        forms.set(coding, got)
      }
      const all = [...forms.values()]
      assert.strictEqual(new Set(all.map(plainOf)).size, 1)
      assert.strictEqual(new Set(all.map(({ headers }) => headers.etag)).size, 3, "a strong tag is one of bytes")
      for (const one of all.slice(1)) assert.isBelow(one.body.length, all[0]!.body.length / 5)
      assert.strictEqual(computed, 1)
      for (const { headers } of all)
        for (const coding of ["identity", "br"]) {
          const same = yield* get(boards, { "accept-encoding": coding, "if-none-match": `"x", ${headers.etag}` })
          assert.deepStrictEqual(
            [same.status, same.headers.etag, same.headers["vary"], same.body.length],
            [304, headers.etag, "Accept-Encoding", 0]
          )
        }
      const head = yield* get(boards, { "accept-encoding": "br" }, { method: "HEAD" })
      assert.deepStrictEqual([head.headers["content-encoding"], head.body.length], ["br", 0])
    })
  )

  it.effect("that is short is sent as it is", () =>
    Effect.gen(function* () {
      const got = yield* get(`${boards}?enabled=true`, { "accept-encoding": "br" })
      assert.deepStrictEqual([got.status, got.headers["content-encoding"]], [200, undefined])
    })
  )

  it.effect("that is made for one reader is compressed for that reader, and has no tag", () =>
    Effect.gen(function* () {
      const path = `/v1/private${boards.slice(3)}`
      const [plain, packed] = [yield* get(path), yield* get(path, { "accept-encoding": "gzip" })]
      assert.deepStrictEqual([packed.headers["content-encoding"], packed.headers["cache-control"]], ["gzip", "no-store"])
      assert.deepStrictEqual([plain.headers["vary"], packed.headers["vary"]], ["Accept-Encoding", "Accept-Encoding"])
      assert.strictEqual(plainOf(packed), plainOf(plain))
      assert.isBelow(packed.body.length, plain.body.length / 5)
      assert.isUndefined(packed.headers.etag)
    })
  )

  it.effect("to a write is never compressed: it may hold a secret beside what was sent", () =>
    Effect.gen(function* () {
      const made = yield* get(
        "/v1/games/snakes/models",
        { "accept-encoding": "br", "content-type": "application/json", cookie: "service_session=ada-token" },
        { method: "POST", body: JSON.stringify({ name: "viper" }) }
      )
      assert.strictEqual(made.status, 201)
      assert.isAbove(made.body.length, 5_000)
      assert.isUndefined(made.headers["content-encoding"])
    })
  )
})

layer(Served(20), { excludeTestServices: true })("a document", (it) => {
  it.effect("is prepared in each coding, the same bytes for all, with a tag, and counts as public", () =>
    Effect.gen(function* () {
      let asked = 0
      const ask = (path: string, headers: Record<string, string>) => Effect.tap(get(path, headers), () => Effect.sync(() => asked++))
      for (const [path, type] of [
        ["/docs", "text/html; charset=utf-8"],
        ["/openapi.json", "application/json"],
        ["/errors", "text/html; charset=utf-8"]
      ] as const) {
        const plain = yield* ask(path, {})
        assert.deepStrictEqual(
          [plain.status, plain.headers["content-type"], plain.headers["cache-control"]],
          [200, type, "public, max-age=300"]
        )
        for (const coding of ["br", "gzip"]) {
          const got = yield* ask(path, { "accept-encoding": coding })
          assert.deepStrictEqual([got.headers["content-encoding"], got.headers["vary"]], [coding, "Accept-Encoding"])
          assert.strictEqual(plainOf(got), plain.body.toString(), path)
          assert.isBelow(got.body.length, plain.body.length / 3, path)
          const same = yield* ask(path, { "accept-encoding": coding, "if-none-match": got.headers.etag! })
          assert.deepStrictEqual([same.status, same.body.length], [304, 0])
        }
      }
      for (; asked < 20; ) yield* ask("/docs", { "if-none-match": "*" })
      const refused = yield* ask("/docs", {})
      assert.deepStrictEqual([refused.status, refused.headers["content-type"]], [429, "application/problem+json"])
      assert.isDefined(refused.headers["retry-after"])
    })
  )
})
