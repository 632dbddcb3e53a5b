/**
 * Pictures for previews of links: a match's last position, and a season's boards, as PNG, named by
 * the pages that they belong to.
 */
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { decodePng } from "@agon/site/picture/testing/decodePng.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { elementsOf, page, publicAddress } from "../support/Pages.ts"
import { retryPutOff } from "../support/putOff.ts"
import { missingS3 } from "../support/S3Server.ts"
import { PLAYED, PLAYED_IN_PRIVATE, layer as service } from "../support/S3Service.ts"
import * as Service from "../support/Service.ts"

const { matchIds: x, modelIds: m } = Fixture
const spring = "/games/snakes/seasons/spring"
const ofMatch = (id: string) => `/matches/${id}/board.png`
const ofBoard = `${spring}/boards/duel/board.png`

/** The fixture's boards have no files that a game would take. */
const realBoard = Effect.flatMap(SqlClient.SqlClient, (sql) => {
  const file = { ...snakesBoards.find(({ map_id }) => map_id === "open-7")!, map_id: "duel" }
  return sql`UPDATE board SET file = ${JSON.stringify(file)}::text::jsonb WHERE map_id = 'duel'`
})

const fetched = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    Effect.promise(async () => {
      const answer = await fetch(`${origin}${path}`, { method, headers: { "x-forwarded-for": publicAddress(), ...headers } })
      return { status: answer.status, headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) }
    })
  )

/** The same asked for again while the service puts it off, as a busy machine's does. */
const taken = (...asked: Parameters<typeof fetched>) =>
  Effect.flatMap(Service.Service, (service) =>
    Effect.promise(() => retryPutOff(asked[0], () => Effect.runPromise(Effect.provideService(fetched(...asked), Service.Service, service))))
  )

const get = (path: string, headers?: Readonly<Record<string, string>>) =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    Effect.promise(() => retryPutOff(path, () => Effect.runPromise(page(origin, path, headers))))
  )

/** The picture that a page names, and its words. */
const previewOf = (path: string, headers?: Readonly<Record<string, string>>) =>
  Effect.map(get(path, headers), ({ status, text }) => {
    assert.strictEqual(status, 200, path)
    const metas = elementsOf(path, text).filter(({ name }) => name === "meta")
    const of = (name: string) =>
      metas.find(({ attributes }) => (attributes["property"] ?? attributes["name"]) === name)?.attributes["content"]
    return { picture: of("og:image"), alt: of("og:image:alt"), type: of("og:image:type"), card: of("twitter:card") }
  })

const missing = missingS3()
describe.skipIf(missing !== undefined)(`pictures for previews${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(service, { excludeTestServices: true, timeout: "600 seconds" })((it) => {
    it.effect("are named in whole addresses by the pages of a match, a board, a season and a model, with words beside them", () =>
      Effect.gen(function* () {
        yield* realBoard
        const { origin } = yield* Service.Service
        for (const [path, picture] of [
          [`/matches/${PLAYED}`, ofMatch(PLAYED)],
          [`${spring}/boards/duel`, ofBoard],
          [spring, ofBoard],
          [`/models/${m.beta}?season=spring`, ofMatch(PLAYED)]
        ] as const) {
          // Asked for first, so that it is made however busy the machine is; a page does not wait for it.
          assert.strictEqual((yield* taken(picture)).status, 200, picture)
          const preview = yield* previewOf(path)
          assert.deepStrictEqual([preview.picture, preview.type, preview.card], [`${origin}${picture}`, "image/png", "summary"], path)
          assert.match(preview.alt!, /^[A-Z][^<>]*\.$/, path)
        }
      })
    )

    it.effect("are PNGs of the board, small, kept by their tag, and not compressed a second time", () =>
      Effect.gen(function* () {
        for (const [path, side] of [
          [ofMatch(PLAYED), 9],
          [ofBoard, 7]
        ] as const) {
          const { bytes, headers, status } = yield* taken(path, { "accept-encoding": "br, gzip" })
          assert.deepStrictEqual([status, headers.get("content-type"), headers.get("content-encoding")], [200, "image/png", null], path)
          assert.strictEqual(headers.get("cache-control"), "public, no-cache")
          assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
          assert.isBelow(bytes.length, 40_000)
          const { height, width } = decodePng(bytes)
          assert.deepStrictEqual([width, width % side], [height, 0])
          const again = yield* fetched(path, { "if-none-match": headers.get("etag")! })
          assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
          const head = yield* fetched(path, {}, "HEAD")
          assert.deepStrictEqual([head.status, head.headers.get("content-length")], [200, String(bytes.length)])
          assert.deepStrictEqual((yield* fetched(`${path}?size=9000&x=${"y".repeat(300)}`)).bytes, bytes, "an address has no parameters")
          assert.strictEqual((yield* fetched(path, {}, "POST")).status, 405)
        }
      })
    )

    it.effect("are there where there is something to show, and for everybody: of nothing else a page says that it is not there", () =>
      Effect.gen(function* () {
        const ada = { cookie: "service_session=ada-token" }
        assert.strictEqual((yield* get(`/private/matches/${PLAYED_IN_PRIVATE}`, ada)).status, 200)
        assert.isUndefined((yield* previewOf(`/private/matches/${PLAYED_IN_PRIVATE}`, ada)).picture, "a stranger would find nothing there")
        for (const path of [
          ...[PLAYED_IN_PRIVATE, x.nano, m.beta].map(ofMatch),
          ...["/matches/x/board.png", `/private${ofMatch(PLAYED_IN_PRIVATE)}`, `${ofMatch(PLAYED)}/x`],
          ...[`${spring}/boards/crowd/board.png`, `${spring}/boards/none/board.png`, ofBoard.replace("spring", "secret")]
        ]) {
          const { headers, status } = yield* fetched(path, ada)
          assert.deepStrictEqual([status, headers.get("content-type")], [404, "text/html; charset=utf-8"], path)
        }
        const { text } = yield* get(`/matches/${x.nano}`)
        assert.notInclude(text, "og:image", "its replay is gone")
      })
    )

    it.effect("are drawn once for many who ask together, and refused to whoever asks for more than an address may", () =>
      Effect.gen(function* () {
        const many = yield* Effect.forEach(
          Array.from({ length: 40 }, () => ofMatch(PLAYED)),
          (path) => fetched(path),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(new Set(many.map(({ status }) => status)), new Set([200]))
        assert.lengthOf(new Set(many.map(({ headers }) => headers.get("etag"))), 1)
        const from = { "x-forwarded-for": publicAddress() }
        const flood = yield* Effect.forEach(
          Array.from({ length: 400 }, (_, i) => `${ofMatch(PLAYED)}?${i}`),
          (path) => fetched(path, from),
          { concurrency: 20 }
        )
        assert.include(
          flood.map(({ status }) => status),
          429
        )
      })
    )
  })
})
