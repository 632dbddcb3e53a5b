/** Pages as a browser without scripts asks for them, and what is in them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ParserError, parse } from "parse5"
import { retryPutOff } from "./putOff.ts"
import * as Service from "./Service.ts"

export interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

let asked = 0

/** Each request comes from an address of its own, as the proxy in front tells, so that no rate is met. */
export const publicAddress = () => `198.51.${Math.floor(++asked / 250) % 250}.${asked % 250}`

export const page = (origin: string, path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Effect.Effect<Shown> =>
  Effect.promise(async () => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { "x-forwarded-for": publicAddress(), ...headers },
      redirect: "manual"
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** A form as a browser without scripts sends it, from a page of the service's own origin. */
export const postForm = (
  origin: string,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Shown> =>
  Effect.promise(async () => {
    const response = await fetch(`${origin}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded", origin, "x-forwarded-for": publicAddress(), ...headers },
      body
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const asVisitor = (as: string | undefined) => (as === undefined ? {} : { cookie: `service_session=${as}-token` })

/** A page as somebody with this session sees it, asked for again as long as the session's rate says. */
export const visit = (path: string, as?: string): Effect.Effect<Shown, never, Service.Service> =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    Effect.promise(() => retryPutOff(path, () => Effect.runPromise(page(origin, path, asVisitor(as)))))
  )

/** A form of the page at `path`, sent by whoever has this session, in the same way. */
export const send = (
  path: string,
  as: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
): Effect.Effect<Shown, never, Service.Service> =>
  Effect.flatMap(Service.Service, ({ origin }) => {
    const ask = postForm(origin, path, new URLSearchParams(fields).toString(), { ...asVisitor(as), ...headers })
    return Effect.promise(() => retryPutOff(path, () => Effect.runPromise(ask)))
  })

/** Until the site has started, which the service does not wait for. */
export const siteAnswers = Effect.flatMap(Service.Service, ({ origin }) =>
  Effect.promise(async () => {
    const { status } = await retryPutOff("the site", () => fetch(`${origin}/news`))
    assert.strictEqual(status, 200)
  })
)

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** The elements within it. */
  readonly below: ReadonlyArray<Element>
}

/** The elements of a page, which must be well formed. */
export const elementsOf = (path: string, text: string): ReadonlyArray<Element> => {
  const errors: Array<ParserError> = []
  const tree = parse(text, { onParseError: (error) => errors.push(error), sourceCodeLocationInfo: true })
  assert.deepStrictEqual(
    errors.map(({ code, startLine }) => `${code} in line ${startLine}: ${text.split("\n")[startLine - 1]}`),
    [],
    path
  )
  const visit = (node: any): ReadonlyArray<Element> => {
    const below: ReadonlyArray<Element> = (node.childNodes ?? []).flatMap(visit)
    if (node.tagName === undefined) return below
    return [
      { name: node.tagName, attributes: Object.fromEntries(node.attrs.map(({ name, value }: any) => [name, value])), below },
      ...below
    ]
  }
  return visit(tree)
}

/** The forms that the page has sent, each with its elements. */
const postedIn = (elements: ReadonlyArray<Element>) =>
  elements.filter(({ attributes, name }) => name === "form" && attributes["method"]?.toLowerCase() === "post")

/** Each form that is posted has a random text of its own, so that a double click is taken once (sentOnce.ts). */
const assertOnce = (path: string, elements: ReadonlyArray<Element>) => {
  for (const form of postedIn(elements)) {
    const texts = form.below.filter(({ attributes }) => attributes["name"] === "once").map(({ attributes }) => attributes["value"] ?? "")
    assert.lengthOf(texts, 1, `a form of ${path} without the field once: ${JSON.stringify(form.attributes)}`)
    assert.match(texts[0]!, /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/, path)
  }
}

const POLICY = /^default-src 'none'; script-src 'self'; style-src 'self'; .*form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/

/** Whatever holds of every page; answers its elements. */
export const assertPage = (path: string, { headers, text }: Shown) => {
  assert.match(headers.get("content-security-policy") ?? "", POLICY, path)
  assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8", path)
  for (const name of ["x-content-type-options", "referrer-policy", "x-frame-options"])
    assert.isNotNull(headers.get(name), `${name} of ${path}`)
  assert.isNull(headers.get("set-cookie"), path)
  const elements = elementsOf(path, text)
  const of = (name: string) => elements.filter((element) => element.name === name)
  assert.strictEqual(of("html")[0]!.attributes["lang"], "en", path)
  for (const name of ["h1", "main", "header"]) assert.strictEqual(of(name).length, 1, `${name} in ${path}`)
  assert.strictEqual(of("table").length, of("caption").length, path)
  for (const { attributes, name } of elements) {
    assert.isUndefined(attributes["style"], path)
    assert.isEmpty(
      Object.keys(attributes).filter((attribute) => attribute.startsWith("on")),
      path
    )
    assert.notInclude(["style", "iframe", "ill"], name, path)
    if (name === "script") assert.match(attributes["src"] ?? "", /^\/assets\/(replay|chart|follow|submit)-[\w-]+\.js$/, path)
  }
  // As browsers read it: they leave a pattern aside that they cannot read.
  for (const { attributes } of elements) {
    const { pattern } = attributes
    if (pattern !== undefined) assert.doesNotThrow(() => new RegExp(pattern, "v"), undefined, undefined, `${pattern} in ${path}`)
  }
  const levels = elements.flatMap(({ name }) => (/^h[1-6]$/.test(name) ? [Number(name.slice(1))] : []))
  assert.isEmpty(
    levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1),
    `a heading of ${path} leaves a level out: ${levels.join(" ")}`
  )
  assertOnce(path, elements)
  const ids = elements.flatMap(({ attributes }) => attributes["id"] ?? [])
  assert.strictEqual(new Set(ids).size, ids.length, `ids of ${path}`)
  return elements
}

/**
 * The status of a form that is shown again with the reason why it was refused, and the first
 * field that has one beside it.
 */
export const refused = (path: string, shown: Shown): ReadonlyArray<unknown> => {
  const field = assertPage(path, shown).find(({ attributes }) => attributes["aria-invalid"] === "true")
  assert.include(shown.text, 'role="alert"', path)
  return [shown.status, field?.attributes["name"]]
}

/** Names that would do harm where a page did not escape them. */
export const ILL = `"><ill onclick=alert(1)>'${"long".repeat(8)}&amp;`
/** Such names with a character that turns text around, which rows from before names were held to api/Name.ts may have. */
export const TURNED = ILL.replace("'", "'\u202e")
