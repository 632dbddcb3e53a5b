/** Bodies that JSON allows and no client sends, on every route that takes one: refused or taken, never our fault. */
import { Api } from "@agon/api/Api.ts"
import { Rate } from "@agon/api/Boundary.ts"
import { declaredBodyBytes } from "@agon/api/bodyBytes.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import * as Callers from "../support/RoleCallers.ts"
import { prepare, type Sending } from "../support/RoleRequests.ts"
import { type Row, routeOf, table } from "../support/RoutesTable.ts"
import { call } from "../support/Web.ts"

const web = Callers.layer.pipe(Layer.provideMerge(Fixture.layer), Layer.provideMerge(A.layer))

/** The bound of a route's body, by route. */
const bounds = new Map<string, number>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { annotations, identifier, method, path, payload } }) => {
    if (payload.size === 0) return
    bounds.set(`${method} ${path.replace(/:(\w+)/g, "{$1}")}`, declaredBodyBytes(identifier, Context.get(annotations, Rate)))
  }
})
const rows = table.filter((row) => bounds.has(routeOf(row)))

const rightful = ({ auth }: Row): Callers.Caller => {
  if (auth === "season-admin") return Callers.administrator
  return auth === "owner" || auth === "session" ? Callers.owner : Callers.platform
}

/** As long as the body may be. */
const filled = (bytes: number, piece: string) => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)))

/** Texts that the database does not keep; they are tried in every place. */
const UNKEPT = ['"a\\u0000b"', '"a\\ud800b"']

/** Values in place of one that is right. */
const valuesOf = (bytes: number): ReadonlyArray<string> => [
  ...["1e999", "-0", "1.0000000000000001", '"__proto__"', '{"__proto__":{"a":1},"constructor":{"prototype":1}}'],
  ...["[".repeat(98) + "]".repeat(98), filled(bytes, "9"), `0.${filled(bytes, "1")}`, `[${filled(Math.min(bytes, 36_000), "0,")}0]`],
  ...["\u0301\u0323", "\ufdfa", " ", "\u200b", "a "].map((piece) => `"a${filled(bytes, piece)}"`)
]

const PLACE = "@"
const put = (value: any, [key, ...rest]: ReadonlyArray<string>): any => {
  if (key === undefined) return PLACE
  const inner = put(value?.[key], rest)
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner }
}

/** Where a value stands, the outer before the inner. */
const placesIn = (value: any, at: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? [at]
    : [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...at, key]))]

/** Keys that objects have of themselves; unknown keys are ignored. */
const OWN = ["__proto__", "constructor", "toString", "hasOwnProperty", "toJSON", "then", "length", "_tag", ""]
const MORE = OWN.map((key) => `${JSON.stringify(key)}:{"admin":true}`).join()

/** A board is kept as it was sent, so that it has none but known keys. */
const isBoard = (row: Row) => routeOf(row) === "POST /v1/games/{game}/seasons/{slug}/maps"

layer(web, { excludeTestServices: true, timeout: "5 minutes" })("a body", (it) => {
  const send = ({ method, session, url }: Sending, row: Row, caller: Callers.Caller, body: string) =>
    Effect.flatMap(Callers.World, ({ keys }) => {
      const as = row.auth === "runner" || caller.account === undefined ? {} : { as: session ?? caller.account }
      const headers = row.auth === "runner" ? { headers: Callers.bearer(keys.ours.secret) } : {}
      return call(url, { method, body, ...as, ...headers })
    })
  let n = 0

  it.effect("with keys that objects have of themselves, or with each key twice, is taken as the last of each", () =>
    Effect.gen(function* () {
      for (const row of rows) {
        const caller = rightful(row)
        const sending = yield* prepare(row, caller, (n += 1))
        const whole = JSON.stringify(sending.json ?? {})
        const twice = Object.keys(sending.json ?? {}).map((key) => `${JSON.stringify(key)}:[{}],`)
        const { status, text } = yield* send(sending, row, caller, `{${twice.join("")}${MORE}${whole === "{}" ? "" : ","}${whole.slice(1)}`)
        assert.strictEqual(String(status), isBoard(row) ? "422" : row.success, `${routeOf(row)} ${text}`)
      }
    })
  )

  it.effect("with a hostile value in any place is refused or taken, and costs little", () =>
    Effect.gen(function* () {
      const slow: Array<string> = []
      for (const row of rows) {
        const caller = rightful(row)
        const sending = yield* prepare(row, caller, (n += 1))
        const json = sending.json ?? {}
        const values = valuesOf(bounds.get(routeOf(row))! - 1_000)
        for (const [i, at] of placesIn(json).slice(0, 8).entries()) {
          // Every value somewhere, and in turn everywhere.
          for (const value of [...UNKEPT, ...values.filter((_, k) => (k + i + n) % 4 === 0)]) {
            const body = JSON.stringify(put(json, at)).replace(`"${PLACE}"`, () => value)
            const began = process.cpuUsage()
            const { status, text } = yield* send(sending, row, caller, body)
            const { system, user } = process.cpuUsage(began)
            const what = `${routeOf(row)} ${at.join(".")} ${value.slice(0, 30)}`
            assert.isBelow(status, 500, `${what} ${text}`)
            if (user + system > 1_000_000) slow.push(`${what}: ${(user + system) / 1_000} ms`)
          }
        }
      }
      assert.deepStrictEqual(slow, [], "40 ms on a machine that does nothing else")
    })
  )
})
