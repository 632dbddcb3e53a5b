/**
 * How much a request may bring and a refusal may answer: a bound for every operation,
 * before anything is made of it.
 */

import { connect, type Socket } from "node:net"
import { Api } from "@agon/api/Api.ts"
import { BODY_BYTES, bodyBytes } from "@agon/api/bodyBytes.ts"
import { InvalidRequest, NotFound } from "@agon/api/Problem.ts"
import { itemsMax } from "@agon/api/takes.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, type Schema, SchemaAST } from "effect"
import { HttpServerRespondable } from "effect/http"
import { HttpApi } from "effect/http-api"
import { eventually } from "../support/eventually.ts"
import { overSocket, port } from "../support/Web.ts"

const bodies = new Map<string, { readonly route: string; readonly schemas: ReadonlyArray<Schema.Constraint> }>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const schemas = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas as ReadonlyArray<Schema.Constraint>)
    if (schemas.length > 0) bodies.set(endpoint.identifier, { route: `${endpoint.method} ${endpoint.path}`, schemas })
  }
})

const listsIn = (ast: SchemaAST.AST, path: string): ReadonlyArray<readonly [string, SchemaAST.Arrays]> => {
  if (SchemaAST.isArrays(ast)) return [[path, ast], ...ast.rest.flatMap((item) => listsIn(item, `${path}[]`))]
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => listsIn(type, path))
  return SchemaAST.isObjects(ast) ? ast.propertySignatures.flatMap(({ name, type }) => listsIn(type, `${path}.${String(name)}`)) : []
}

describe("a body", () => {
  it("has a bound of bytes that names an operation which takes one", () => {
    for (const operation of Object.keys(BODY_BYTES)) assert.isTrue(bodies.has(operation), operation)
    assert.strictEqual(bodyBytes("countView"), 1_024)
    assert.strictEqual(bodyBytes("editMe"), 16_384)
    for (const operation of bodies.keys()) assert.isAtMost(bodyBytes(operation), 1_048_576, operation)
  })

  it("has no list without a bound", () => {
    let lists = 0
    for (const [operation, { schemas }] of bodies) {
      for (const [path, list] of schemas.flatMap(({ ast }) => listsIn(ast, operation))) {
        assert.isNumber(itemsMax(list), path)
        lists++
      }
    }
    assert.isAtLeast(lists, 10)
  })
})

describe("a refusal", () => {
  it("is cut to what a person reads, whoever made it however long", async () => {
    const long = "🐍".repeat(50_000)
    const problems = [
      new NotFound({ detail: long }),
      new InvalidRequest({ detail: long, errors: Array(10_000).fill({ path: long, message: long }) })
    ]
    for (const problem of problems) {
      const { body } = await Effect.runPromise(HttpServerRespondable.toResponse(problem))
      const text = body._tag === "Uint8Array" ? body.text! : assert.fail(body._tag)
      assert.isBelow(Buffer.byteLength(text), 20_000)
      assert.isTrue(text.isWellFormed() && JSON.parse(text).detail.isWellFormed())
    }
  })
})

/** A connection that has sent these words and stays open. */
const hold = (port: number, words: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(port, "127.0.0.1", () => socket.write(words, () => resolve(socket)))
        })
    ),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** The text that is answered until the other end has said enough. */
const say = (words: ReadonlyArray<string>) =>
  Effect.flatMap(port, (port) =>
    Effect.promise(
      () =>
        new Promise<string>((resolve) => {
          const socket = connect(port, "127.0.0.1")
          let text = ""
          socket.on("data", (chunk) => {
            text += chunk
            if (text.includes('"code"')) socket.destroy()
          })
          socket.on("error", () => undefined).on("close", () => resolve(text))
          for (const word of words) socket.write(word)
        })
    )
  )

layer(overSocket(), { excludeTestServices: true })("over a socket", (it) => {
  const head = "POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

  it.effect("a body that says it is too long is refused before a byte of it has come", () =>
    Effect.gen(function* () {
      const text = yield* say([`${head}Content-Length: 1025\r\n\r\n`])
      assert.match(text, /^HTTP\/1\.1 413 .*"The body of this request may have 1024 bytes\.".*"body_too_large"/s)
    })
  )

  it.effect("a body that does not say is refused when it has come so far", () =>
    Effect.gen(function* () {
      const text = yield* say([`${head}Transfer-Encoding: chunked\r\n\r\n401\r\n${"x".repeat(1_025)}\r\n`]) // and never ends
      assert.match(text, /^HTTP\/1\.1 413 .*"body_too_large"/s)
    })
  )

  it.effect("one byte less is looked at", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ kind: "match", id: "", more: "" }).padEnd(1_024)
      assert.match(yield* say([`${head}Content-Length: 1024\r\n\r\n${body}`]), /^HTTP\/1\.1 400 .*id takes text of 1 to 100 characters\./s)
    })
  )

  const mine = "PATCH /v1/me HTTP/1.1\r\nHost: x\r\nCookie: service_session=ada-token\r\nContent-Type: application/json\r\n"
  const long = (bytes: number) =>
    `${mine}Content-Length: ${bytes}\r\n\r\n${JSON.stringify({ bio: "x" }).replace("x", "x".repeat(bytes - 10))}`

  it.effect("a known caller's body may have 1 MiB, and what is in it is looked at", () =>
    Effect.gen(function* () {
      for (const bytes of [16_385, 1_048_576]) assert.match(yield* say([long(bytes)]), /^HTTP\/1\.1 400 .*bio takes .*"invalid_request"/s)
      assert.match(
        yield* say([long(1_048_577)]),
        /^HTTP\/1\.1 413 .*may have 1048576 bytes, and 16384 without a Content-Length.*"body_too_large"/s
      )
    })
  )

  it.effect("sixteen bodies larger than their operation can use are read at once, and usual ones beside them", () =>
    Effect.gen(function* () {
      const at = yield* port
      const held = yield* Effect.forEach(Array(16), () => hold(at, `${mine}Content-Length: 1048576\r\n\r\n{`))
      yield* eventually(
        "no place is free",
        Effect.map(say([long(20_000)]), (text) => /^HTTP\/1\.1 503 .*\nretry-after: 1\r.*"unavailable"/is.test(text))
      )
      assert.match(yield* say([long(16_384)]), /^HTTP\/1\.1 400 /)
      held[0]!.destroy()
      yield* eventually(
        "a place is free",
        Effect.map(say([long(20_000)]), (text) => /^HTTP\/1\.1 400 /.test(text))
      )
    }).pipe(Effect.scoped)
  )
})
