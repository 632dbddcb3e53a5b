/**
 * Answers are written from their schemas (server/http/json/jsonWriters.ts) byte for byte as Effect's encoder and
 * `JSON.stringify` write them, for values that each route may answer, for values that it may not, and for
 * every character and kind of number.
 */
import "effect/schema/SchemaJITCompiler/enable" // as in the service
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { Api } from "@agon/api/Api.ts"
import { answerOf } from "@agon/server/http/group.ts"
import { jsonTextOf } from "@agon/server/http/json/jsonText.ts"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Exit, Schema, SchemaAST } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiSchema, OpenApi } from "effect/http-api"

const VALUES = 40
const CHANGED = 8

interface Answered {
  readonly route: string
  readonly success: Schema.Top
}

/** A page or a picture is no JSON. */
const isJson = (ast: SchemaAST.AST) => SchemaAST.resolveAt("~httpApiEncoding")(ast) === undefined

const answered: Array<Answered> = []
HttpApi.reflect(Api as unknown as HttpApi.Top, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { method, path, success } }) => {
    for (const one of success)
      if (!HttpApiSchema.isNoContent(one.ast) && isJson(one.ast)) answered.push({ route: `${method} ${path}`, success: one })
  }
})

/** The answer's text by Effect, undefined for a value that the schema refuses. */
const byEffect = (schema: Schema.Top) => {
  const encode = Schema.encodeUnknownExit(schema as Schema.Codec<unknown>)
  return (value: unknown) => {
    const encoded = encode(value)
    return Exit.isSuccess(encoded) ? JSON.stringify(encoded.value) : undefined
  }
}

const INSTEAD: ReadonlyArray<unknown> = [
  undefined,
  null,
  "",
  "é\u2028\ud800",
  -0,
  1.5,
  Number.NaN,
  Infinity,
  2 ** 60,
  true,
  [],
  {},
  [null],
  { a: 1 }
]

/**
 * The value with one place changed, `n` of all that could be: gone, of another kind, with a key more, or with
 * its keys the other way round.
 */
const changedAt = (value: unknown, n: number): unknown => {
  let left = n
  const change = (one: any): any => {
    const kind = left % (INSTEAD.length + 2)
    left -= INSTEAD.length + 2
    if (left < 0 && left > -INSTEAD.length - 3) {
      if (kind < INSTEAD.length) return INSTEAD[kind]
      if (typeof one !== "object" || one === null || Array.isArray(one)) return one
      return Object.fromEntries(kind === INSTEAD.length ? [["more", 1], ...Object.entries(one)] : Object.entries(one).toReversed())
    }
    if (Array.isArray(one)) return one.map(change)
    if (typeof one !== "object" || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, change(inner)]))
  }
  return change(value)
}

const placesIn = (value: unknown): number =>
  typeof value === "object" && value !== null ? Object.values(value).reduce((sum: number, one) => sum + placesIn(one), 1) : 1

const SERVER = resolve(import.meta.dirname, "../../packages/server/src")

describe("the answers of the API", () => {
  it("are all made by http/group.ts", () => {
    const sources = readdirSync(SERVER, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"))
    const others = sources.filter((name) => readFileSync(join(SERVER, name), "utf8").includes("HttpApiBuilder.group("))
    assert.deepStrictEqual(others, [join("http", "group.ts")])
  })

  it("all but those of classes are written from their schemas", () => {
    const others = answered.filter(({ success }) => answerOf(success) === undefined).map(({ route }) => route)
    assert.deepStrictEqual(
      new Set(others),
      new Set(answered.filter(({ success }) => success.ast.encoding !== undefined).map(({ route }) => route))
    )
    assert.isAtMost(others.length, 6)
  })

  for (const { route, success } of answered) {
    it.effect(`${route}: as Effect writes them`, () =>
      Effect.gen(function* () {
        const write = jsonTextOf(success)
        if (write === undefined) return
        const expected = byEffect(success)
        const values = yield* Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(success)), { count: VALUES, seed: route })
        for (const [i, value] of values.entries()) {
          const text = write(value)
          assert.isDefined(text)
          assert.strictEqual(text, expected(value))
          const places = placesIn(value) * (INSTEAD.length + 2)
          for (let j = 0; j < CHANGED; j++) {
            const changed = changedAt(value, (i * 7919 + j * 104_729) % places)
            assert.strictEqual(write(changed), expected(changed))
          }
        }
      })
    )
  }

  it("have the status that the document says, as JSON", () => {
    const { paths } = OpenApi.fromApi(Api) as unknown as { readonly paths: Record<string, Record<string, { readonly responses: object }>> }
    for (const { route, success } of answered) {
      const answer = answerOf(success)
      const [method = "", path = ""] = route.split(" ")
      const statuses = Object.keys(paths[path.replace(/:(\w+)/g, "{$1}")]![method.toLowerCase()]!.responses)
      const { "0": value } = Effect.runSync(Arbitrary.sampleEffect(Arbitrary.schema(Schema.toType(success)), { count: 1, seed: route }))
      const response = answer?.(value)
      if (!HttpServerResponse.isHttpServerResponse(response)) continue
      assert.include(statuses, String(response.status), route)
      assert.strictEqual(response.headers["content-type"], "application/json")
    }
  })
})

describe("text that is written", () => {
  const of = (schema: Schema.Top, value: unknown) => jsonTextOf(schema)!(value)

  it("has every character as JSON.stringify has it", () => {
    for (let code = 0; code <= 0xffff; code++) {
      const text = `a${String.fromCharCode(code)}b`
      assert.strictEqual(of(Schema.String, text), JSON.stringify(text))
    }
    for (const text of [
      "",
      "😀",
      "\udc00\ud800",
      "x".repeat(100_000),
      "é".repeat(100_000),
      '"'.repeat(100_000),
      "\u0001".repeat(100_000)
    ]) {
      assert.strictEqual(of(Schema.String, text), JSON.stringify(text))
    }
  })

  it("has numbers as JSON.stringify has them", () => {
    const whole = [0, -0, 1, -1, 9, 10, 99, 100, 999_999_999, 1e9, 1e9 + 1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53) + 1]
    for (const one of whole) assert.strictEqual(of(Schema.Int, one), JSON.stringify(one))
    const broken = [
      0.1,
      0.01,
      0.001,
      0.005,
      -0.01,
      1.005,
      0.1 + 0.2,
      1e-7,
      5e-324,
      1.7976931348623157e308,
      9_999_999.99,
      10_000_000.01,
      1e21
    ]
    for (const one of [...whole, ...broken]) assert.strictEqual(of(Schema.Finite, one), JSON.stringify(one))
    for (let i = 0; i < 200_000; i++) {
      const hundredths = i * 4_999.37
      for (const one of [i / 100, -i / 100, Math.round(hundredths) / 100, hundredths, i / 1000, i / 7]) {
        if (of(Schema.Finite, one) !== JSON.stringify(one)) assert.fail(`${one} is written ${of(Schema.Finite, one)}`)
      }
    }
    for (const one of [Number.NaN, Infinity, "1", null, undefined]) assert.isUndefined(of(Schema.Finite, one))
    for (const one of [1.5, 2 ** 53, Number.NaN]) assert.isUndefined(of(Schema.Int, one))
  })

  it("grows to any length, and the next text is whole", () => {
    const list = Schema.Array(Schema.Struct({ a: Schema.Int, b: Schema.NullOr(Schema.String), c: Schema.Boolean }))
    const many = Array.from({ length: 100_000 }, (_, i) => ({ a: i, b: i % 3 === 0 ? null : `number ${i}`, c: i % 2 === 0 }))
    assert.strictEqual(of(list, many), JSON.stringify(many))
    for (const short of [many.slice(0, 3), many.slice(0, 2_000), []]) assert.strictEqual(of(list, short), JSON.stringify(short))
  })

  it("has the keys of a record in their order, whatever they are", () => {
    const record = Schema.Record(Schema.String, Schema.Int)
    const odd = JSON.parse('{"b":1,"10":2,"2":3,"__proto__":4,"\\"":5,"":6,"é":7}')
    assert.strictEqual(of(record, odd), JSON.stringify(odd))
    assert.strictEqual(of(record, {}), "{}")
  })

  it("leaves out what is missing and optional, also at the start, and reads what a prototype has", () => {
    const schema = Schema.Struct({ a: Schema.optionalKey(Schema.Int), b: Schema.Int, c: Schema.optionalKey(Schema.Int) })
    class WithB {
      get b() {
        return 2
      }
    }
    for (const value of [{ b: 1 }, { c: 3, b: 2 }, { a: 1, b: 2, c: 3 }, { a: undefined, b: 1 }, { a: 1 }, new WithB(), [1], null]) {
      assert.strictEqual(of(schema, value), byEffect(schema)(value))
    }
  })

  it("has by Effect what only Effect can write", () => {
    const schema = Schema.Struct({
      at: Schema.Array(Schema.DateTimeUtcFromString),
      either: Schema.Union([Schema.Struct({ a: Schema.Int }), Schema.Unknown])
    })
    const value = Schema.decodeUnknownSync(schema)({ at: ["2026-01-02T03:04:05.678Z"], either: { a: "é" } })
    assert.strictEqual(of(schema, value), '{"at":["2026-01-02T03:04:05.678Z"],"either":{"a":"é"}}')
  })
})
