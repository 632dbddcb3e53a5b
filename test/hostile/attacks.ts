/**
 * The worst that can be sent to a route, made from what it takes (the operation of the OpenAPI document,
 * the bytes that its body may have) and from a request that it obeys: each attack is that request with
 * one thing as bad as it can be.
 */
import { bodyBytes } from "@agon/api/bodyBytes.ts"
import type { Random } from "../support/Fuzz.ts"
import type { Operation } from "../support/Operations.ts"
import type { Target } from "./host.ts"

export interface Attack {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Sent without its length. */
  readonly chunked?: true
}

const HEAD_BYTES = 15_000

/** The piece over and over, as often as fits. */
const filled = (bytes: number, before: string, piece: string, after: string) =>
  `${before}${piece.repeat(Math.max(0, Math.floor((bytes - Buffer.byteLength(before + after)) / Buffer.byteLength(piece))))}${after}`

/** A list or an object of so many bytes; the last comma is mended. */
const listOf = (bytes: number, item: string, open = "[", close = "]") => filled(bytes, open, `${item},`, `${item}${close}`)
const keysOf = (bytes: number, value: string) => {
  const pairs = Array.from({ length: Math.floor(bytes / (13 + value.length)) }, (_, i) => `"${i.toString(36).padStart(8, "k")}":${value}`)
  return `{${pairs.join(",")}}`
}

/** Values that fill so many bytes, by what is bad about them. */
const worstValues = (bytes: number): Readonly<Record<string, string>> => ({
  "empty lists at depth": filled(bytes, "[".repeat(97), "[],", `[]${"]".repeat(97)}`),
  "too much depth": filled(bytes, "", "[", ""),
  numbers: listOf(bytes, "1"),
  "lists of nothing": listOf(bytes, "[]"),
  objects: listOf(bytes, "{}"),
  "empty texts": listOf(bytes, '""'),
  "objects of another kind": listOf(bytes, '{"kind":"match","seats":[{},{},{},{},{},{},{},{}]}'),
  "NUL in every item": listOf(bytes, '"\\u0000"'),
  "unknown keys": keysOf(bytes, "1"),
  "keys that are lists": keysOf(bytes, "[]"),
  "the same key": listOf(bytes, '"a":1', "{", "}"),
  "keys that are indexes": `{${Array.from({ length: Math.floor(bytes / 14) }, (_, i) => `"${4_294_967_295 - i}":1`).join(",")}}`,
  "a long text": filled(bytes, '"', "x", '"'),
  "a long text of spaces": filled(bytes, '"', " ", '"'),
  "a long text of marks": filled(bytes, '"', "\u0301", '"'),
  "escaped emoji": filled(bytes, '"', "\\ud83d\\ude00", '"'),
  "halves of emoji": filled(bytes, '"', "\\ud83d", '"'),
  "hyphens of a slug": filled(bytes, '"', "a-", '-"'),
  digits: filled(bytes, "", "9", ""),
  "a number beyond all": `1e${"9".repeat(Math.min(bytes, 400) - 2)}`,
  "a small number": "-5e-324",
  nothing: "null"
})

/** Bodies that are no value of JSON. */
const brokenBodies = (bytes: number): Readonly<Record<string, string>> => ({
  "an open text": filled(bytes, '{"a":"', "x", ""),
  "an open list": filled(bytes, "[", "1,", ""),
  spaces: filled(bytes, "{", " ", ""),
  escapes: filled(bytes, '"', "\\\\", ""),
  "bytes that are no UTF-8": filled(bytes, "", "\ufffd", ""),
  nothing: ""
})

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value)

/** The request's own body with one member, at any depth, written as it stands in `text`. */
const withMember = (json: unknown, path: ReadonlyArray<string>, text: string): string => {
  if (path.length === 0) return text
  const [key, ...rest] = path
  const value = isObject(json) ? json : {}
  const members = Object.entries({ ...value, [key!]: value[key!] ?? null })
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${name === key ? withMember(one, rest, text) : JSON.stringify(one)}`).join(",")}}`
}

/** Every member of a schema's objects by its path, those of lists left to the values that are put in their place. */
const membersOf = (schema: any, resolve: (schema: any) => any, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  const it = resolve(schema) ?? {}
  const forms: ReadonlyArray<any> = it.anyOf ?? it.oneOf ?? [it]
  const found = forms.flatMap((form) =>
    Object.entries<any>(resolve(form)?.properties ?? {}).flatMap(([key, member]) => [
      [...path, key],
      ...(path.length < 3 ? membersOf(member, resolve, [...path, key]) : [])
    ])
  )
  return [...new Map(found.map((one) => [one.join("."), one])).values()]
}

const sample = <A>(all: ReadonlyArray<A>, many: number, random: Random): ReadonlyArray<A> =>
  all
    .map((one) => [random(), one] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, many)
    .map(([, one]) => one)

export interface Plan {
  readonly operation: Operation
  readonly name: string
  readonly resolve: (schema: any) => any
  readonly random: Random
  /** Of each kind so many, drawn by the seed. */
  readonly many: number
}

const bodiesOf = ({ json }: Target, { many, name, operation, random, resolve }: Plan): ReadonlyArray<readonly [string, string]> => {
  const bytes = bodyBytes(name)
  const values = Object.entries(worstValues(bytes))
  const room = bytes - JSON.stringify(json ?? {}).length - 100
  const inside = Object.entries(worstValues(Math.max(room, 100)))
  const members = sample(membersOf(operation.body, resolve), 2 * many, random).flatMap((path) =>
    sample(inside, many, random).map(([what, text]) => [`${what} in ${path.join(".")}`, withMember(json, path, text)] as const)
  )
  return [...sample(values, 3 * many, random), ...sample(Object.entries(brokenBodies(bytes)), many, random), ...members]
}

const long = (piece: string) => piece.repeat(Math.floor(HEAD_BYTES / piece.length))

const QUERY_VALUES: Readonly<Record<string, string>> = {
  "a long text": long("x"),
  digits: long("9"),
  "a list": long("a,"),
  NUL: long("%00"),
  "bytes that are no UTF-8": long("%FF"),
  "halves of emoji": long("%ED%A0%80"),
  marks: long("%CC%81"),
  "percent signs": long("%"),
  "a number beyond all": "1e999",
  "a large number": "9007199254740993"
}

const queriesOf = ({ url }: Target, { many, operation, random }: Plan): ReadonlyArray<readonly [string, string]> => {
  const join = url.includes("?") ? "&" : "?"
  const own = sample(operation.query, 2 * many, random).flatMap((name) => [
    ...sample(Object.entries(QUERY_VALUES), many, random).map(
      ([what, text]) => [`${what} in ?${name}`, `${url}${join}${name}=${text}`.slice(0, HEAD_BYTES)] as const
    ),
    [`?${name} again and again`, `${url}${join}${long(`${name}=1&`)}`] as const
  ])
  return [
    ...own,
    ["unknown parameters", `${url}${join}${Array.from({ length: 1_500 }, (_, i) => `p${i}=${i}`).join("&")}`.slice(0, HEAD_BYTES)]
  ]
}

/** Each piece of the path that is a parameter, as long and as strange as it can be. */
const pathsOf = ({ url }: Target, { many, operation, random }: Plan): ReadonlyArray<readonly [string, string]> => {
  const pieces = operation.path.split("/")
  const [path = "", query] = url.split("?")
  const parameters = pieces.flatMap((piece, i) => (piece.startsWith("{") ? [i] : []))
  return sample(parameters, many, random).flatMap((at) =>
    sample(
      [
        "x".repeat(999),
        "a-".repeat(400),
        "%00".repeat(300),
        "%F0%9F%90%8D".repeat(80),
        "%FF".repeat(300),
        "9".repeat(900),
        "%2F".repeat(300)
      ],
      many,
      random
    ).map((text) => {
      const bent = path
        .split("/")
        .map((piece, i) => (i === at ? text : piece))
        .join("/")
      return [`${text.slice(0, 6)}… for ${pieces[at]}`, query === undefined ? bent : `${bent}?${query}`] as const
    })
  )
}

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a long cookie": { cookie: long("a=b; ") },
  "a session of any length": { cookie: `service_session=${long("x")}` },
  "a long key": { authorization: `Bearer ${long("x")}` },
  "many tags": { "if-none-match": long('"x", ') },
  "many encodings": { "accept-encoding": long("a;q=0.1, ") },
  "many addresses": { "x-forwarded-for": long("1.2.3.4,") },
  "a long type": { "content-type": `application/json; ${long("a=b; ")}` },
  "many headers": Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`x-${i}`, "1"]))
}

/** All attacks on a route. */
export const attacksOn = (target: Target, plan: Plan): ReadonlyArray<Attack> => {
  const { headers, json, method, url } = target
  const base = { method, headers: { ...headers, ...(method === "GET" ? {} : { "content-type": "application/json" }) } }
  const own = json === undefined ? {} : { body: JSON.stringify(json) }
  const takesBody = plan.operation.body !== undefined
  const oversized = filled(2 * bodyBytes(plan.name), '{"a":[', "1,", "1]}")
  return [
    ...(takesBody ? bodiesOf(target, plan).map(([what, body]) => ({ ...base, what, path: url, body })) : []),
    ...(takesBody ? [{ ...base, what: "twice too much", path: url, body: oversized }] : []),
    ...(takesBody ? [{ ...base, what: "too much without its length", path: url, body: oversized, chunked: true as const }] : []),
    ...queriesOf(target, plan).map(([what, path]) => ({ ...base, ...own, what, path })),
    ...pathsOf(target, plan).map(([what, path]) => ({ ...base, ...own, what, path })),
    ...sample(Object.entries(HEADERS), plan.many, plan.random).map(([what, more]) => ({
      ...base,
      ...own,
      what,
      path: url,
      headers: { ...base.headers, ...more }
    }))
  ]
}
