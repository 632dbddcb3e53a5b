/**
 * Answers of a bucket that begin with 200 and come to another end, from a server that gives
 * them: no real one does on demand.
 */

import { createHash } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { s3List } from "./s3List.ts"
import { s3Requests } from "./s3Requests.ts"
import { s3Verify } from "./s3Verify.ts"

const body = Buffer.from("the bytes of an upload")
const asked = { key: "incoming/a", sha256: createHash("sha256").update(body).digest("hex"), max_bytes: 100, into: "weights/a" }
const COPIED = '<?xml version="1.0"?><CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>'
const failed = (code: string) => `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>Try again.</Message></Error>`

type Answer = (response: ServerResponse) => void

/** A bucket that answers a GET of the object, and everything else as it is told, the last answer again and again. */
const bucket = (...answers: Array<Answer>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const seen: Array<string> = []
        const server = createServer((request, response) => {
          seen.push(request.method!)
          request.resume()
          if (request.method === "GET" && request.url!.endsWith("/incoming/a")) response.writeHead(200, { etag: '"e"' }).end(body)
          else (answers.length > 1 ? answers.shift()! : answers[0]!)(response)
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { server, seen }
      }),
      ({ server }) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    ({ seen, server }) => {
      const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const secretAccessKey = Redacted.make("secret")
      const requests = s3Requests({ endpoint, region: "us-east-1", bucket: "b", accessKeyId: "a", secretAccessKey })
      return { seen, verify: s3Verify(requests, "b"), list: s3List(requests) }
    }
  )

/** Its outcome, while the test's clock runs ten seconds at each look, for the network a moment. */
const inTime = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.flip(effect))
    const moment = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 10)))
    for (let seconds = 0; fiber.pollUnsafe() === undefined && seconds < 3_600; seconds += 10)
      yield* Effect.andThen(moment, TestClock.adjust("10 seconds"))
    if (fiber.pollUnsafe() === undefined) return assert.fail("it hangs")
    return yield* Fiber.join(fiber)
  })

const ok: Answer = (response) => response.end(COPIED)
const wrong =
  (text: string): Answer =>
  (response) =>
    void response.writeHead(200).end(`   \n${text}`)
const spaces: Answer = (response) => {
  const timer = setInterval(() => response.write(" "), 5)
  response.on("close", () => clearInterval(timer))
}
const cut: Answer = (response) => response.write(COPIED.slice(0, 20), () => response.destroy())

it.live("a copy that ends with an error behind its 200, or in the middle, is made again, and is not taken for one", () =>
  Effect.gen(function* () {
    for (const mishap of [wrong(failed("InternalError")), wrong(failed("SlowDown")), cut]) {
      const { seen, verify } = yield* bucket(mishap, ok)
      assert.deepStrictEqual(yield* verify(asked), { bytes: body.length })
      assert.deepStrictEqual(seen, ["GET", "PUT", "GET", "PUT"])
    }
    const never = yield* bucket(wrong(failed("InternalError")))
    assert.deepInclude(yield* Effect.flip(never.verify(asked)), { _tag: "ObjectsUnavailable", detail: "copy failed" })
    assert.isFalse(never.seen.includes("DELETE"), "the upload stays for the next attempt")
  }).pipe(Effect.scoped)
)

it.effect("a copy whose answer never ends is given up in time, and the upload stays", () =>
  Effect.gen(function* () {
    const { seen, verify } = yield* bucket(spaces)
    assert.deepInclude(yield* inTime(verify(asked)), { _tag: "ObjectsUnavailable" })
    assert.isFalse(seen.includes("DELETE"))
  }).pipe(Effect.scoped)
)

it.effect("a listing that never ends, is cut or is an error's page is no listing", () =>
  Effect.gen(function* () {
    for (const answer of [spaces, cut, wrong("x".repeat(8 * 1024 * 1024))]) {
      const { list } = yield* bucket(answer)
      assert.deepInclude(yield* inTime(list({ prefix: "replays/", limit: 10 })), { _tag: "ObjectsUnavailable", operation: "list" })
    }
  }).pipe(Effect.scoped)
)

it.live("a clock that is off ends at once as unavailable, with the server's word for it", () =>
  Effect.gen(function* () {
    const { list, seen } = yield* bucket((response) => response.writeHead(403).end(failed("RequestTimeTooSkewed")))
    assert.deepInclude(yield* Effect.flip(list({ prefix: "replays/", limit: 10 })), { detail: "403 RequestTimeTooSkewed" })
    assert.lengthOf(seen, 1)
  }).pipe(Effect.scoped)
)
