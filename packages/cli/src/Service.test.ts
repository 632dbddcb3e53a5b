import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeHttpClient } from "@effect/platform-node"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { freePort } from "../../../test/support/freePort.ts"
import { listening } from "../../../test/support/listening.ts"
import { connect, saying } from "./Service.ts"
import { agonHere } from "./testing/here.ts"

const answering = (listener: RequestListener) => listening(createHttpServer(listener))

/** The sentence that a command ends with. */
const sentenceAt = (url: string) =>
  Effect.gen(function* () {
    const client = yield* connect(url)
    const { message } = yield* Effect.flip(saying(url)(client.version.candidates({ query: { limit: 1, cursor: 0 } })))
    assert.strictEqual(message.slice(0, url.length), url)
    return message.slice(url.length)
  }).pipe(Effect.provide(NodeHttpClient.layerNodeHttp))

describe("a service that a command does not reach", () => {
  it.live("is named with the reason", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      assert.strictEqual(yield* sentenceAt(`http://127.0.0.1:${port}`), ` cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.`)
      assert.match(yield* sentenceAt("http://nowhere.invalid"), /^ cannot be reached: getaddrinfo \w+ nowhere\.invalid\.$/)
      const cut = yield* listening(createServer((socket) => socket.destroy()))
      assert.match(yield* sentenceAt(cut), /^ cannot be reached: .*(hang up|ECONNRESET)\.$/)
      assert.match(yield* sentenceAt(cut.replace("http:", "https:")), /^ cannot be reached: \S.*\.$/)
    }).pipe(Effect.scoped)
  )

  it.live("is named by agon demo too, which takes the addresses that other commands take", () =>
    Effect.gen(function* () {
      const demo = (url: string) => Effect.promise(() => agonHere(["demo", "--url", url]))
      const port = yield* Effect.promise(freePort)
      const url = `http://127.0.0.1:${port}`
      const none = `agon: ${url} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.\n`
      assert.deepStrictEqual(yield* demo(url), { status: 2, out: "", err: none, drawn: "" })
      const bare = "agon: The address of a service is like https://agon.example, not localhost:8080.\n"
      assert.deepStrictEqual(yield* demo("localhost:8080"), { status: 2, out: "", err: bare, drawn: "" })
      const page = yield* answering((_request, response) => response.writeHead(404).end())
      const refused = `agon: Signing in as admin at ${page} failed: the sign-in page answered 404.\n`
      assert.deepStrictEqual(yield* demo(page), { status: 2, out: "", err: refused, drawn: "" })
    }).pipe(Effect.scoped)
  )

  it.live("is told from one that answers something else", () =>
    Effect.gen(function* () {
      const proxy = yield* answering((_request, response) => response.writeHead(502, { "content-type": "text/html" }).end("<html>"))
      assert.strictEqual(yield* sentenceAt(proxy), " does not answer as a service does: status 502.")
      for (const [status, type, body] of [
        [404, "application/json", '{"error":404}'],
        [503, "text/html", "<html>"]
      ] as const) {
        const page = yield* answering((_request, response) => response.writeHead(status, { "content-type": type }).end(body))
        assert.strictEqual(yield* sentenceAt(page), ` does not answer as a service does: status ${status}.`)
      }
      const site = yield* answering((_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"))
      assert.strictEqual(yield* sentenceAt(site), " gave an answer that this version of agon does not know.")
    }).pipe(Effect.scoped)
  )

  it.live("is told from a request that no service would take, which is not sent", () =>
    Effect.gen(function* () {
      const client = yield* connect(`http://127.0.0.1:${yield* Effect.promise(freePort)}`)
      const make = client.model.createModel({ params: { game: "snakes" }, payload: { name: "x".repeat(65) } })
      const { message } = yield* Effect.flip(saying("http://127.0.0.1")(make))
      assert.strictEqual(message, "name takes text of 1 to 64 characters, not all of them blank.")
    }).pipe(Effect.provide(NodeHttpClient.layerNodeHttp))
  )

  it.effect("is not waited for without end, where it takes the request or half of the answer", () =>
    Effect.gen(function* () {
      for (const half of [false, true]) {
        const asked = Promise.withResolvers<void>()
        const silent = yield* answering((_request, response) => {
          if (half) response.writeHead(200, { "content-type": "application/json", "content-length": 9 }).write("{")
          asked.resolve()
        })
        const sentence = yield* Effect.forkChild(sentenceAt(silent))
        yield* Effect.promise(() => asked.promise)
        yield* TestClock.adjust("74 seconds")
        assert.isUndefined(sentence.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(sentence), " cannot be reached: no answer within 75 seconds.")
      }
    }).pipe(Effect.scoped)
  )
})

const MATCH = "0198f2c0-7a3e-7b51-8000-1234567890ab"

describe("the service that a command asks", () => {
  const folder = mkdtempSync(join(tmpdir(), "agon-service-"))
  const file = join(folder, "agon", "session.json")
  // Nobody listens there, so every command ends with the address that it has asked.
  const [flag, variable, kept] = ["http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:3"] as const
  const reads: ReadonlyArray<ReadonlyArray<string>> = [
    ["login"],
    ["watch", MATCH],
    ["replay", "download", MATCH],
    ["rerun", MATCH, "--turn", "0"],
    ["examine", join(folder, "a.onnx"), "--game", "snakes", "--season", "spring"]
  ]
  const asked = async (args: ReadonlyArray<string>, variables: Readonly<Record<string, string>> = {}) => {
    const { err, status } = await agonHere(args, { environment: { XDG_CONFIG_HOME: folder, ...variables } })
    assert.strictEqual(status, 2, err)
    return /^agon: (\S+) cannot be reached/.exec(err)?.[1] ?? err
  }
  const keep = () => writeFileSync(file, JSON.stringify({ url: kept, session: "x".repeat(43), username: "ada" }))
  beforeAll(() => {
    mkdirSync(join(folder, "agon"))
    for (const name of ["a.onnx", "a.json"]) writeFileSync(join(folder, name), "x")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  for (const args of reads)
    it(`is that of agon login, where neither --url nor AGON_URL names another: ${args[0]}`, async () => {
      keep()
      assert.strictEqual(await asked(args), kept)
      assert.strictEqual(await asked(args, { AGON_URL: variable }), variable)
      assert.strictEqual(await asked([...args, "--url", flag], { AGON_URL: variable }), flag)
    })

  it("is the one on this machine, where nothing names one", async () => {
    rmSync(file, { force: true })
    const { err, out } = await agonHere(["watch", MATCH, "--open"], { environment: { XDG_CONFIG_HOME: folder } })
    assert.strictEqual(out, `http://localhost:8080/matches/${MATCH}\n`, err)
  })
})
