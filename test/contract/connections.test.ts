/**
 * Bytes that strangers may send on a connection: requests that are none, that are two at once, that never
 * end, and more of them than anybody needs.
 */

import { connect, type Socket } from "node:net"
import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { ConnectionLimits } from "@agon/server/http/connection/Connections.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { allowed } from "../support/slack.ts"
import { overSocket, port, uncalled } from "../support/Web.ts"

const GameHandlers = HttpApiBuilder.group(Api, "game", (handlers) =>
  handlers.handleAll({ games: () => Effect.as(tagged("game:x"), []), game: uncalled })
)
const handlers = Layer.mergeAll(
  AccountHandlers.pipe(Layer.provide(Layer.mergeAll(Providers.layer([]), Layer.mock(SignIn, {})))),
  GameHandlers
)

const quick = {
  ...{ head_ms: 400, body_ms: 400, object_ms: 800, idle_ms: 600, every_ms: 50 },
  ...{ head_bytes: 16_384, headers: 1_000, connections: 300, address_connections: 300 }
}

/** Sooner than the limits that hold without those, so that it shows which of them closed a connection. */
const quick_within_ms = 10_000

const liveWith = (limits: Layer.Layer<never>) => overSocket({ handlers, served: ["account", "game"] }).pipe(Layer.provide(limits))

interface Heard {
  readonly text: string
  readonly closed: boolean
  readonly socket: Socket
}

/** How long a test waits for what comes at once on a machine with nothing else to do. */
const PATIENCE_MS = 20_000

/** Says it, and hears until the other end closes or `enough` has come. */
const say = (port: number, words: string | Buffer, enough = /$^/): Promise<Heard> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let text = ""
    const done = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ text, closed, socket })
    }
    const timer = setTimeout(() => done(false), PATIENCE_MS)
    socket.on("error", () => undefined)
    socket.on("close", () => done(true))
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
      if (enough.test(text)) done(false)
    })
    socket.write(words)
  })

const answersIn = (text: string) => text.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9))) ?? []

/** The one answer, which must be a problem, as `status code`. */
const problemIn = (text: string, what: string) => {
  const [head = "", body = ""] = text.split("\r\n\r\n")
  assert.lengthOf(answersIn(text), 1, `${what}: ${text}`)
  assert.match(head, /content-type: application\/problem\+json/i, what)
  assert.match(head, /x-request-id: \S/i, what)
  assert.match(head, /cache-control: no-store/i, what)
  const problem = JSON.parse(body)
  for (const member of ["type", "title", "status", "detail", "code"]) assert.property(problem, member, what)
  assert.strictEqual(problem.type, `/errors#${problem.code}`)
  assert.strictEqual(problem.status, answersIn(text)[0], what)
  return `${problem.status} ${problem.code}`
}

const host = "Host: x\r\n"
const session = "Cookie: service_session=ada-token\r\nContent-Type: application/json\r\n"
const edit = `PATCH /v1/me HTTP/1.1\r\n${host}${session}`
const smuggled = `GET /healthz HTTP/1.1\r\n${host}\r\n`

/** Bytes that are refused, with the connection closed, so that nothing behind it is taken for another request. */
const broken: Readonly<Record<string, string | Buffer>> = {
  "a length and chunks": `${edit}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
  "chunks and a length": `${edit}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`,
  "two lengths": `${edit}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${smuggled}`,
  "the same length twice": `${edit}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`,
  "a length with a sign": `${edit}Content-Length: +2\r\n\r\n{}`,
  "a negative length": `${edit}Content-Length: -1\r\n\r\n{}`,
  "a length beyond all numbers": `${edit}Content-Length: 99999999999999999999\r\n\r\n{}`,
  "a length that is none": `${edit}Content-Length: 0x2\r\n\r\n{}`,
  "a list of lengths": `${edit}Content-Length: 2, 2\r\n\r\n{}`,
  "compressed chunks": `${edit}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${smuggled}`,
  "compressed chunks in two lines": `${edit}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n${smuggled}`,
  "a chunk of no size": `${edit}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n${smuggled}`,
  "a chunk of negative size": `${edit}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n${smuggled}`,
  "a chunk that is longer than it says": `${edit}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${smuggled}`,
  "a space before the colon": `GET /healthz HTTP/1.1\r\n${host}Content-Length : 5\r\n\r\n`,
  "a folded header": `GET /healthz HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`,
  "bare line feeds": "GET /healthz HTTP/1.1\nHost: x\n\n",
  "a header without a name": `GET /healthz HTTP/1.1\r\n${host}: a\r\n\r\n`,
  "NUL in a header": `GET /healthz HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`,
  "a control character in a header": `GET /healthz HTTP/1.1\r\n${host}X: \x01\r\n\r\n`,
  "NUL in the address": `GET /v1/\0 HTTP/1.1\r\n${host}\r\n`,
  "bytes over 127 in the address": `GET /v1/games/ü HTTP/1.1\r\n${host}\r\n`,
  "no Host": "GET /healthz HTTP/1.1\r\n\r\n",
  "no Host, and a question before the body": `PATCH /v1/me HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
  "two Hosts": `GET /healthz HTTP/1.1\r\n${host}${host}\r\n`,
  "an unknown method": `FOO /healthz HTTP/1.1\r\n${host}\r\n`,
  "another version": `GET /healthz HTTP/3.0\r\n${host}\r\n`,
  "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "a greeting of TLS": Buffer.from("16030100f8010000f40303", "hex"),
  "a tunnel": `CONNECT evil.example:80 HTTP/1.1\r\n${host}\r\n`,
  "no words of HTTP": "hello\r\n\r\n"
}

layer(liveWith(Layer.empty), { excludeTestServices: true })("a connection", (it) => {
  it.effect("with what is no request, or could be taken for two, ends with one problem", () =>
    Effect.gen(function* () {
      const at = yield* port
      for (const [what, words] of Object.entries(broken)) {
        const { closed, text } = yield* Effect.promise(() => say(at, words))
        assert.strictEqual(problemIn(text, what), "400 invalid_request", what)
        assert.isTrue(closed, what)
      }
    })
  )

  it.effect("with an encoding of its own is closed after one answer", () =>
    Effect.gen(function* () {
      const at = yield* port
      for (const encoding of ["xchunked", "chunked, identity", "gzip", "chunked, chunked"]) {
        const { closed, text } = yield* Effect.promise(() => say(at, `${edit}Transfer-Encoding: ${encoding}\r\n\r\n${smuggled}`))
        assert.lengthOf(answersIn(text), 1, encoding)
        assert.isTrue(closed, encoding)
        assert.match(text, /problem\+json/, encoding)
      }
    })
  )

  it.effect("with a head over 16 KiB ends with 431, whatever it is made of", () =>
    Effect.gen(function* () {
      const at = yield* port
      const heads = {
        header: `GET /healthz HTTP/1.1\r\n${host}X: ${"a".repeat(20_000)}\r\n\r\n`,
        headers: `GET /healthz HTTP/1.1\r\n${host}${"X: a\r\n".repeat(4_000)}\r\n`,
        lines: `GET /healthz HTTP/1.1\r\n${host}${"X:\r\n".repeat(1_000)}\r\n`,
        address: `GET /${"a".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`,
        cookie: `GET /v1/me HTTP/1.1\r\n${host}Cookie: service_session=${"a".repeat(20_000)}\r\n\r\n`
      }
      for (const [what, words] of Object.entries(heads)) {
        const { closed, text } = yield* Effect.promise(() => say(at, words))
        assert.strictEqual(problemIn(text, what), "431 headers_too_large")
        assert.isTrue(closed, what)
      }
    })
  )

  it.effect("with headers up to that answers as if they were not there", () =>
    Effect.gen(function* () {
      const at = yield* port
      const absurd = [
        `X: ${"a".repeat(15_000)}`,
        Array(700).fill("X: a").join("\r\n"),
        "Accept: */*;q=7,,,;",
        "Range: bytes=0-0,-1,9999999-",
        "If-Range: x",
        'If-None-Match: "',
        "Content-Encoding: br",
        "X-Forwarded-For: ,,,'; DROP TABLE",
        "Forwarded: for=_x",
        "Cookie: =;;==",
        "Cookie: service_session=\xff\xfe",
        "Authorization: Bearer \xff",
        "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13",
        "Connection: close, keep-alive, x-request-id",
        "Expect: tea",
        "TE: trailers, x",
        "Trailer: Content-Length",
        "X-HTTP-Method-Override: DELETE"
      ]
      for (const header of absurd) {
        const words = Buffer.from(`GET /v1/games HTTP/1.1\r\n${host}${header}\r\n\r\n`, "latin1")
        const { text } = yield* Effect.promise(() => say(at, words, /\r\n\r\n\[\]$/))
        assert.deepStrictEqual(answersIn(text), [200], JSON.stringify(header))
      }
    })
  )

  it.effect("answers requests one behind the other, with bodies that nobody reads, addresses that name the host, and HTTP/1.0", () =>
    Effect.gen(function* () {
      const at = yield* port
      const games = (rest = "", path = "/v1/games", method = "GET") => `${method} ${path} HTTP/1.1\r\n${host}${rest}\r\n`
      const both = yield* Effect.promise(() => say(at, `${games("Content-Length: 5\r\n")}hello${smuggled}`, /healthy/))
      assert.deepStrictEqual(answersIn(both.text), [200, 200])
      for (const path of ["http://evil.example/v1/games", "https://evil.example:1/v1/games", "HTTP://x/v1/games"]) {
        const { text } = yield* Effect.promise(() => say(at, games("", path), /\r\n\r\n\[\]$/))
        assert.deepStrictEqual(answersIn(text), [200], path)
      }
      for (const [path, method, expected] of [
        ["http://evil.example", "GET", "302"],
        ["http://evil.example?x", "OPTIONS", "404 not_found"],
        ["*", "OPTIONS", "404 not_found"],
        ["/v1/games", "OPTIONS", "405 method_not_allowed"],
        ["/v1/games", "TRACE", "405 method_not_allowed"],
        ["/v1/me", "PROPFIND", "405 method_not_allowed"],
        ["//evil.example/v1/games", "GET", "404 not_found"],
        ["/v1/games/../../etc/passwd", "GET", "404 not_found"],
        [`/${"a/".repeat(7_000)}`, "GET", "404 not_found"],
        ["/v1/games/%", "PUT", "404 not_found"]
      ] as const) {
        const { text } = yield* Effect.promise(() => say(at, games("Connection: close\r\n", path, method)))
        assert.strictEqual(expected === "302" ? String(answersIn(text)[0]) : problemIn(text, path), expected, `${method} ${path}`)
      }
      const old = yield* Effect.promise(() => say(at, "GET /v1/games HTTP/1.0\r\n\r\n"))
      assert.deepStrictEqual([answersIn(old.text), old.closed], [[200], true])
      const head = yield* Effect.promise(() => say(at, games("Connection: close\r\n", "/v1/games", "HEAD")))
      assert.match(head.text, /^HTTP\/1\.1 200 .*content-length: 2\r\n.*\r\n\r\n$/is)
    })
  )

  it.effect("is told at once that a body is too large where its length says so, with 100-continue or without", () =>
    Effect.gen(function* () {
      const at = yield* port
      for (const expect of ["", "Expect: 100-continue\r\n"]) {
        for (const type of ["application/json", "text/plain"]) {
          const words = `PATCH /v1/me HTTP/1.1\r\n${host}Cookie: service_session=ada-token\r\nContent-Type: ${type}\r\n${expect}Content-Length: 10000000000\r\n\r\n`
          const { closed, text } = yield* Effect.promise(() => say(at, words))
          assert.strictEqual(problemIn(text, type), "413 body_too_large")
          assert.isTrue(closed)
        }
      }
      const asked = yield* Effect.promise(() =>
        say(at, `GET /nothing HTTP/1.1\r\n${host}Expect: 100-continue\r\nConnection: close\r\n\r\n`)
      )
      assert.match(asked.text, /^HTTP\/1\.1 404 [\s\S]*\r\nx-content-type-options: nosniff\r\n/i, "it has the headers of every answer")
      const invited = `${edit}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`
      const { text } = yield* Effect.promise(() => say(at, invited, /HTTP\/1\.1 100/))
      assert.deepStrictEqual(answersIn(text), [100])
    })
  )

  it.effect("that goes away in the middle of a body is nobody's fault, and the next one is served", () =>
    Effect.gen(function* () {
      const at = yield* port
      yield* Effect.promise(async () => {
        for (let i = 0; i < 20; i++) {
          const socket = connect(at, "127.0.0.1")
          socket.on("error", () => undefined)
          await new Promise<void>((resolve) => socket.write(`${edit}Content-Length: 1000\r\n\r\n{`, () => resolve()))
          if (i % 2 === 0) socket.resetAndDestroy()
          else socket.end()
        }
      })
      const { text } = yield* Effect.promise(() => say(at, smuggled, /healthy/))
      assert.deepStrictEqual(answersIn(text), [200])
    })
  )

  it.effect("takes JSON by any spelling of its type, and refuses in it what it refuses in all", () =>
    Effect.gen(function* () {
      const at = yield* port
      const send = (type: string, body: string) =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${at}/v1/me`, {
            method: "PATCH",
            headers: { cookie: "service_session=ada-token", ...(type === "" ? {} : { "content-type": type }) },
            body: Buffer.from(body)
          })
          return `${response.status} ${((await response.json()) as any).code ?? ""}`.trim()
        })
      for (const type of ["application/json", "Application/JSON", "APPLICATION/JSON;charset=utf-8", 'application/json ; charset="x"', ""]) {
        assert.strictEqual(yield* send(type, '{"bio":"x"}'), "200", type)
        assert.strictEqual(yield* send(type, '{"bio":"\\u0000"}'), "400 invalid_request", type)
        assert.strictEqual(yield* send(type, '{"bio":"\\ud800"}'), "400 invalid_request", type)
      }
      for (const type of [
        "text/json",
        "application/jsonp",
        "application/problem+json",
        "application/x-www-form-urlencoded",
        "json",
        "a/b, application/json"
      ]) {
        assert.strictEqual(yield* send(type, '{"bio":"\\u0000"}'), "415 unsupported_media_type", type)
      }
    })
  )
})

layer(liveWith(Layer.succeed(ConnectionLimits, quick)), { excludeTestServices: true })("a slow connection", (it) => {
  /** Says a little now and then, and hears how it ends. */
  const drip = (at: number, begin: string, drop: string) =>
    Effect.promise(async () => {
      const began = Date.now()
      const heard = await new Promise<string>((resolve) => {
        const socket = connect(at, "127.0.0.1")
        let text = ""
        socket.on("error", () => undefined)
        socket.on("data", (chunk) => (text += chunk))
        if (begin !== "") socket.write(begin)
        const timer = drop === "" ? undefined : setInterval(() => socket.write(drop), 50)
        socket.on("close", () => {
          clearInterval(timer)
          resolve(text)
        })
      })
      assert.isBelow(Date.now() - began, allowed(quick_within_ms))
      return heard
    })

  it.effect("that says nothing, or its head byte by byte, is closed with 408", () =>
    Effect.gen(function* () {
      const at = yield* port
      for (const [begin, drop] of [
        ["", ""],
        ["GET /v1/games HTTP/1.1\r\n", ""],
        ["GET /v1/games HTTP/1.1\r\n", "X: a\r\n"],
        ["", "G"]
      ] as const) {
        assert.strictEqual(
          problemIn(yield* drip(at, begin, drop), begin),
          `${begin === "" && drop === "G" ? "400 invalid_request" : "408 request_timeout"}`
        )
      }
    })
  )

  it.effect("that brings its body byte by byte, or not at all, is closed with 408", () =>
    Effect.gen(function* () {
      const at = yield* port
      for (const [begin, drop] of [
        [`${edit}Content-Length: 1000\r\n\r\n`, ""],
        [`${edit}Content-Length: 1000\r\n\r\n`, " "],
        [`${edit}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"],
        [`${edit}Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n`, " "]
      ] as const) {
        const heard = (yield* drip(at, begin, drop)).replace("HTTP/1.1 100 Continue\r\n\r\n", "")
        assert.strictEqual(problemIn(heard, begin), "408 request_timeout")
      }
      const answered = yield* drip(at, `GET /v1/games HTTP/1.1\r\n${host}Content-Length: 1000\r\n\r\n`, " ")
      assert.deepStrictEqual(answersIn(answered), [200], "what has been answered is only closed")
    })
  )

  it.effect("that asks for more than it reads is closed, and what it has not read goes with it", () =>
    Effect.gen(function* () {
      const at = yield* port
      const heard = yield* Effect.promise(
        () =>
          new Promise<number>((resolve) => {
            const socket = connect(at, "127.0.0.1")
            let bytes = 0
            socket.on("error", () => undefined)
            socket.on("close", () => resolve(bytes))
            socket.write(`GET /openapi.json HTTP/1.1\r\n${host}\r\n`.repeat(30))
            // Two seconds from the first answer on, which a busy machine gives late.
            socket.once("readable", () => setTimeout(() => socket.on("data", (chunk) => (bytes += chunk.length)).resume(), 2_000))
          })
      )
      const document = yield* Effect.promise(() => fetch(`http://127.0.0.1:${at}/openapi.json`).then((answer) => answer.text()))
      assert.isBelow(heard, 100 * document.length)
    })
  )

  it.effect("is one of many: three hundred that say nothing keep nobody out for long, and more are not taken", () =>
    Effect.gen(function* () {
      const at = yield* port
      const idle = yield* Effect.promise(() =>
        Promise.all(
          Array.from(
            { length: 400 },
            () =>
              new Promise<Socket>((resolve) => {
                const socket = connect(at, "127.0.0.1", () => resolve(socket))
                socket.on("error", () => undefined)
              })
          )
        )
      )
      const closed = Promise.all(idle.map((socket) => new Promise((resolve) => socket.on("close", resolve).resume())))
      yield* Effect.promise(() => closed)
      const { text } = yield* Effect.promise(() => say(at, smuggled, /healthy/))
      assert.deepStrictEqual(answersIn(text), [200])
    })
  )
})
