/** Pages as a browser without scripts asks for them, and what is in them. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type ParserError, parse } from "parse5"

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

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
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
  const found: Array<Element> = []
  const visit = (node: any) => {
    if (node.tagName !== undefined) {
      found.push({ name: node.tagName, attributes: Object.fromEntries(node.attrs.map(({ name, value }: any) => [name, value])) })
    }
    for (const child of node.childNodes ?? []) visit(child)
  }
  visit(tree)
  return found
}
