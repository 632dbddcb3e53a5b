/**
 * Replays that lie in a bucket, which pages may not ask: the site passes them on from a real S3
 * server, and says what is wrong.
 */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertPage, page } from "../support/Pages.ts"
import type { Mishap } from "../support/S3Front.ts"
import { missingS3 } from "../support/S3Server.ts"
import { Elsewhere, PLAYED, PLAYED_IN_PRIVATE, layer as service } from "../support/S3Service.ts"
import * as Service from "../support/Service.ts"

const REPLAY_MAX_BYTES = 4 * 1024 * 1024

const get = (path: string, headers?: Readonly<Record<string, string>>, method?: string) =>
  Effect.flatMap(Service.Service, ({ origin }) => page(origin, path, headers, method))

/** The address that the page of a match gives its player, and whoever wants the file. */
const sourceOn = (path: string, headers?: Readonly<Record<string, string>>) =>
  Effect.map(get(path, headers), (answer) => {
    assert.strictEqual(answer.status, 200)
    const elements = assertPage(path, answer)
    const { src } = elements.find(({ name }) => name === "agon-replay")!.attributes
    const { download, href } = elements.find(({ attributes }) => attributes["download"] !== undefined)!.attributes
    // Browsers give a file of another origin a name of its own.
    assert.deepStrictEqual([href, download], [src, `${path.split("/").at(-1)}.json`])
    return src!
  })
const source = sourceOn(`/matches/${PLAYED}`)

/** The answer at the address while reads of the store go wrong. */
const whileIll = (mishap: Mishap, path: string) =>
  Effect.gen(function* () {
    const { front } = yield* Elsewhere
    front.plan = (method) => (method === "GET" ? mishap : undefined)
    return yield* Effect.ensuring(
      get(path),
      Effect.sync(() => {
        front.plan = () => undefined
      })
    )
  })

const missing = missingS3()
describe.skipIf(missing !== undefined)(`replays in a bucket${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(service, { excludeTestServices: true, timeout: "600 seconds" })((it) => {
    it.effect("come through the site, byte for byte, named by their content and kept for good", () =>
      Effect.gen(function* () {
        const { replay } = yield* Elsewhere
        const path = yield* source
        assert.match(path, new RegExp(`^/replays/${PLAYED}/[0-9a-f]{32}$`))
        const { headers, status, text } = yield* get(path)
        assert.deepStrictEqual([status, text], [200, replay.toString()])
        assert.strictEqual(headers.get("content-type"), "application/json")
        assert.strictEqual(headers.get("cache-control"), "public, max-age=31536000, immutable")
        assert.strictEqual(headers.get("content-length"), String(replay.length))
        assert.strictEqual(yield* source, path, "another signature makes no other address")
      })
    )

    it.effect("of private seasons come to those who see the match, and are kept by nobody", () =>
      Effect.gen(function* () {
        const { front, replay } = yield* Elsewhere
        const ada = { cookie: "service_session=ada-token" }
        const path = yield* sourceOn(`/private/matches/${PLAYED_IN_PRIVATE}`, ada)
        assert.match(path, new RegExp(`^/private/replays/${PLAYED_IN_PRIVATE}/[0-9a-f]{32}$`))
        const { headers, status, text } = yield* get(path, ada)
        assert.deepStrictEqual([status, text, headers.get("cache-control")], [200, replay.toString(), "private, no-store"])
        front.seen.length = 0
        for (const others of [{}, { cookie: "service_session=bob-token" }]) {
          for (const address of [path, path.replace("/private", "")]) assert.strictEqual((yield* get(address, others)).status, 404, address)
        }
        assert.deepStrictEqual(front.seen, [])
      })
    )

    it.effect("of one's own matches come to those who have a seat in them, and are kept by nobody", () =>
      Effect.gen(function* () {
        const { front, replay } = yield* Elsewhere
        const ada = { cookie: "service_session=ada-token" }
        const path = yield* sourceOn(`/me/matches/${PLAYED_IN_PRIVATE}`, ada)
        assert.match(path, new RegExp(`^/me/replays/${PLAYED_IN_PRIVATE}/[0-9a-f]{32}$`))
        const { headers, status, text } = yield* get(path, ada)
        assert.deepStrictEqual([status, text, headers.get("cache-control")], [200, replay.toString(), "private, no-store"])
        front.seen.length = 0
        for (const others of [{}, { cookie: "service_session=bob-token" }]) {
          const refused = yield* get(path, others)
          assert.deepStrictEqual([refused.status, refused.headers.get("cache-control")], [404, "private, no-store"])
        }
        assert.deepStrictEqual(front.seen, [])
      })
    )

    it.effect("have one address each: whatever else is asked for is not there, and nothing of a request reaches the store", () =>
      Effect.gen(function* () {
        const { front } = yield* Elsewhere
        const path = yield* source
        const other = path.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))
        const nothing = [
          other,
          `/replays/${PLAYED}`,
          `/replays/${PLAYED}/none`,
          path.replace(PLAYED, PLAYED.replace(/.$/, "9")),
          `${path}/x`
        ]
        front.seen.length = 0
        for (const ill of nothing) assert.strictEqual((yield* get(ill)).status, 404, ill)
        assert.deepStrictEqual(front.seen, [])
        assert.strictEqual((yield* get(`${path}?x=1&X-Amz-Signature=2`)).status, 200)
        assert.notMatch(front.seen.join(), /x=1/)
        const head = yield* get(path, {}, "HEAD")
        assert.deepStrictEqual([head.status, head.headers.get("allow")], [405, "GET"])
      })
    )

    it.effect("that the store refuses, moves, breaks off or has too many bytes of are told as a sentence, and kept by nobody", () =>
      Effect.gen(function* () {
        const path = yield* source
        const answers = (status: number, headers: Readonly<Record<string, string>>, body = "") => {
          const mishap: Mishap = (_go, response) => response.writeHead(status, headers).end(body)
          return mishap
        }
        const long = "x".repeat(REPLAY_MAX_BYTES + 1)
        const faults: ReadonlyArray<readonly [Mishap, number, RegExp]> = [
          ["503", 503, /The store of files does not answer as it should/],
          ["reset", 503, /does not answer just now/],
          [answers(404, {}), 404, /There is no page/],
          [answers(403, {}), 503, /The store of files does not answer as it should/],
          [answers(302, { location: "http://127.0.0.1:1/" }), 503, /The store of files does not answer as it should/],
          [answers(200, { "content-length": String(long.length) }, long), 502, /more than 4194304 bytes/],
          ["cut", 503, /do not answer just now/],
          [answers(200, { "transfer-encoding": "chunked" }, long), 503, /do not answer just now/]
        ]
        for (const [mishap, status, sentence] of faults) {
          const answer = yield* whileIll(mishap, path)
          assert.strictEqual(answer.status, status, String(sentence))
          assert.match(answer.text, sentence)
          assert.strictEqual(answer.headers.get("cache-control"), "no-store")
          if (status === 503) assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
        }
        assert.strictEqual((yield* get(path)).status, 200, "the next try succeeds")
      })
    )
  })
})
