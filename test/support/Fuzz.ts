/**
 * Requests to every operation of the API, made from its OpenAPI document and a seed: mostly of the right
 * form with the right names, so that they reach what lies behind the first checks, and each bent somewhere,
 * so that it is hostile there.
 */
import { createHash } from "node:crypto"
import { type Operation, operationsOf, resolver } from "./Operations.ts"
import type { Call } from "./Web.ts"

export type Random = () => number

/** mulberry32: small, and the same on every machine. */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Attempt {
  readonly operation: Operation
  readonly url: string
  readonly call: Call
}

/** Names that mean something in the database under test, by the key that takes them. */
export type Names = Readonly<Record<string, ReadonlyArray<unknown>>>

const words = ["", "a", "spring", "Größe", "🐍".repeat(3), "a b&c=d#e%f", "'; DROP TABLE season; --", "x".repeat(300), "__proto__", "null"]
const instants = ["2026-01-01T00:00:00Z", "2099-01-01T00:00:00+02:00", "1970-01-01", "275760-09-13T00:00:00.001Z", "0000-01-01T00:00:00Z"]
const numbers = [0, 1, -1, 2.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e308, -1e308, 5e-324, 9e15]
const unkept = ["a\0b", "\0", "\ud83d", "\udc00\ud800", "ok\ud83d!"]
/** Percent-encoded as they stand; some are no UTF-8 and some no encoding at all. */
const pieces = [
  "%00",
  "a%00b",
  "%ED%A0%80",
  "%FF",
  "%",
  "%zz",
  "-1",
  "1e99",
  "0",
  "%F0%9F%90%8D",
  "x".repeat(2_000),
  "%2F..%2F",
  "null",
  "%27"
]
const uuids = ["019", "01950001-0000-7000-8000-00000000000", "01950002-0000-7000-8000-000000000001".toUpperCase().replace("5", "F")]

/** Choices by the seed. */
interface Chooser {
  readonly pick: <A>(all: ReadonlyArray<A>) => A
  readonly chance: (share: number) => boolean
  readonly below: (n: number) => number
}

const chooserOf = (random: Random): Chooser => ({
  pick: (all) => all[Math.floor(random() * all.length)]!,
  chance: (share) => random() < share,
  below: (n) => Math.floor(random() * n)
})

/** Values of a schema with names that mean something. */
const makeSane = ({ below, chance, pick }: Chooser, names: Names, resolve: (schema: any) => any) => {
  const string = (key: string): unknown => {
    const known = names[key]
    if (known !== undefined && chance(0.9)) return pick(known)
    if (key.endsWith("_at")) return pick(instants)
    return chance(0.15) ? pick(unkept) : pick(words)
  }

  const sane = (schema: any, key: string, depth = 0): unknown => {
    const it = resolve(schema) ?? {}
    if (it.enum !== undefined) return pick(it.enum)
    const branches = it.anyOf ?? it.oneOf
    if (branches !== undefined) return sane(pick(branches), key, depth)
    if (it.properties !== undefined) return object(it, depth)
    if (it.type === "array")
      return Array.from({ length: pick([0, 1, 1, 2, 6]) }, () => sane(it.items ?? it.prefixItems?.[0], key, depth + 1))
    if (it.type === "object") return {}
    if (it.type === "integer" || it.type === "number") return chance(0.7) ? below(12) : pick(numbers)
    if (it.type === "boolean") return chance(0.5)
    if (it.type === "null") return null
    return it.type === "string" ? string(key) : depth > 2 ? null : pick([null, 1, "x", [], {}])
  }

  const object = (schema: any, depth: number) =>
    Object.fromEntries(
      Object.entries<any>(schema.properties)
        .filter(([key]) => schema.required?.includes(key) || chance(0.6))
        .map(([key, value]) => [key, sane(value, key, depth + 1)])
    )

  return sane
}

const makeBent = ({ chance, pick }: Chooser) => {
  const junk = (): unknown =>
    pick<unknown>([null, true, [], {}, [[]], "", ...words, ...numbers, ...unkept, { "\0": 1 }, "y".repeat(70_000), Array(2_000).fill(0)])

  /** The same value, wrong in one place. */
  const bent = (value: any): any => {
    if (Array.isArray(value) && value.length > 0 && chance(0.8)) return value.map((one, i) => (i === 0 ? bent(one) : one))
    if (typeof value !== "object" || value === null || Array.isArray(value) || chance(0.05)) return junk()
    const keys = Object.keys(value)
    if (keys.length === 0) return junk()
    const key = pick(keys)
    if (chance(0.2)) return Object.fromEntries(Object.entries(value).filter(([one]) => one !== key))
    return { ...value, [key]: bent(value[key]), ...(chance(0.1) ? { constructor: 1, [pick(words)]: junk() } : {}) }
  }

  return bent
}

/** Bodies: half of them right, the others bent, and some no JSON at all. */
const makeBodies = (chooser: Chooser, names: Names, resolve: (schema: any) => any) => {
  const { chance, pick } = chooser
  const sane = makeSane(chooser, names, resolve)
  const bent = makeBent(chooser)

  return (schema: any): string => {
    const value = sane(schema, "")
    const whole = JSON.stringify(chance(0.5) ? value : bent(value)) ?? "{}"
    if (chance(0.85)) return whole
    return pick([
      whole.slice(0, -1),
      `\ufeff${whole}`,
      "",
      "NaN",
      "{'a':1}",
      `${whole}${whole}`,
      "[".repeat(20_000) + "]".repeat(20_000),
      `{"a":${"[".repeat(5_000)}"\\u0000"${"]".repeat(5_000)}}`,
      JSON.stringify({ name: "z".repeat(1_100_000) }),
      whole.replace(/^\{/, '{"name":"twice",'),
      whole.replace(/\d+/, "1e400")
    ])
  }
}

const makeUrls = ({ chance, pick }: Chooser, names: Names) => {
  const piece = (key: string): string => {
    const known = names[key]
    if (known !== undefined && chance(0.9)) return encodeURIComponent(String(pick(known)))
    return pick([...pieces, ...uuids])
  }

  const queryOf = (query: ReadonlyArray<string>): string => {
    const asked = query
      .filter(() => chance(0.4))
      .map((key) => [key, chance(0.6) ? piece(key) : pick([...pieces, "", "25", "true", "open"])])
    if (asked.length > 0 && chance(0.15)) asked.push([asked[0]![0]!, pick(pieces)])
    if (chance(0.1)) asked.push([pick(["x", "%00", "limit[]", "__proto__"]), pick(pieces)])
    return asked.length === 0 ? "" : `?${asked.map(([key, value]) => `${key}=${value}`).join("&")}`
  }

  return ({ path, query }: Pick<Operation, "path" | "query">): string =>
    `${path.replace(/\{(\w+)\}/g, (_, key: string) => piece(key))}${queryOf(query)}`
}

const headersOf = ({ chance, pick }: Chooser): Record<string, string | undefined> => ({
  ...(chance(0.05)
    ? { "content-type": pick(["text/plain", "application/json; charset=utf-16", "multipart/form-data", "a", undefined]) }
    : {}),
  ...(chance(0.05) ? { origin: pick(["http://evil.example", "null", "http://localhost:8080"]) } : {}),
  ...(chance(0.03) ? { "sec-fetch-site": pick(["cross-site", "none", "\u00ff"]) } : {}),
  ...(chance(0.03) ? { "if-none-match": pick(["*", '"x"', ",,,"]) } : {}),
  ...(chance(0.03) ? { cookie: pick(["service_session=%00", "service_session=", "=;;=", `service_session=${"a".repeat(5_000)}`]) } : {}),
  ...(chance(0.03) ? { authorization: pick(["Bearer", "Bearer %00", "Basic eA==", "Bearer agon_rk_x"]) } : {})
})

/** Makes attempts without end; the same seed and names, the same attempts. */
export const makeFuzz = (document: any, names: Names, random: Random) => {
  const operations = operationsOf(document)
  const chooser = chooserOf(random)
  const { chance, pick } = chooser
  const bodyOf = makeBodies(chooser, names, resolver(document))
  const urlOf = makeUrls(chooser, names)

  return (): Attempt => {
    const operation = pick(operations)
    const as = pick(["root", "root", "root", "ada", "ada", "bob", undefined])
    const runs = operation.path.startsWith("/v1/runner/") && chance(0.9) ? { authorization: `Bearer ${pick(names["secret"]!)}` } : {}
    return {
      operation,
      url: urlOf(operation),
      call: {
        method: operation.method,
        ...(as === undefined ? {} : { as }),
        ...(operation.body === undefined ? {} : { body: bodyOf(operation.body) }),
        headers: { ...runs, ...headersOf(chooser) }
      }
    }
  }
}

export const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`
