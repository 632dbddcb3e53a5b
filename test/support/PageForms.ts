/**
 * A visitor whose browser runs no script: opens pages, fills in the fields that a page's form has, and
 * presses its buttons. After each press the part of the page at which the browser arrives must be there.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { parse } from "parse5"
import { assertPage, page, postForm, type Shown } from "./Pages.ts"
import { retryPutOff } from "./putOff.ts"

interface Button {
  /** As it is read aloud. */
  readonly label: string
  readonly field: readonly [name: string, value: string] | undefined
  readonly action: string | undefined
}

export interface PageForm {
  readonly action: string
  /** Names and texts in the order of the page, as the browser would send them untouched. */
  readonly fields: ReadonlyArray<readonly [name: string, text: string]>
  /** Names of fields that may be filled in, with the texts that a list takes. */
  readonly takes: ReadonlyMap<string, ReadonlyArray<string> | undefined>
  readonly buttons: ReadonlyArray<Button>
  /** Whether the visitor has to open something before the form is seen. */
  readonly folded: boolean
}

type Node = any

const attribute = (node: Node, name: string): string | undefined => node.attrs?.find((one: Node) => one.name === name)?.value
const below = (node: Node): ReadonlyArray<Node> => (node.childNodes ?? []).flatMap((child: Node) => [child, ...below(child)])
const textOf = (node: Node): string =>
  below(node)
    .map(({ value }) => value ?? "")
    .join("")
const isFolded = (node: Node): boolean =>
  node.parentNode !== undefined && (node.tagName === "details" ? attribute(node, "open") === undefined : isFolded(node.parentNode))

const choicesOf = (node: Node) => below(node).filter(({ tagName }) => tagName === "option")

const sentBy = (node: Node): ReadonlyArray<string> => {
  if (node.tagName === "textarea") return [textOf(node)]
  if (node.tagName === "select") {
    const choices = choicesOf(node)
    const chosen = choices.find((choice) => attribute(choice, "selected") !== undefined) ?? choices[0]
    return chosen === undefined ? [] : [attribute(chosen, "value") ?? ""]
  }
  const isBox = attribute(node, "type") === "checkbox"
  return isBox && attribute(node, "checked") === undefined ? [] : [attribute(node, "value") ?? ""]
}

const formOf = (form: Node): PageForm => {
  const nodes = below(form)
  const inputs = nodes.filter(({ tagName }) => ["input", "textarea", "select"].includes(tagName))
  return {
    action: attribute(form, "action") ?? "",
    fields: inputs.flatMap((node) => sentBy(node).map((text) => [attribute(node, "name")!, text] as const)),
    takes: new Map(
      inputs
        .filter((node) => attribute(node, "type") !== "hidden")
        .map((node) => [
          attribute(node, "name")!,
          node.tagName === "select" ? choicesOf(node).map((choice) => attribute(choice, "value")!) : undefined
        ])
    ),
    buttons: nodes
      .filter(({ tagName }) => tagName === "button")
      .map((node) => {
        const name = attribute(node, "name")
        return {
          label: attribute(node, "aria-label") ?? textOf(node),
          field: name === undefined ? undefined : [name, attribute(node, "value") ?? ""],
          action: attribute(node, "formaction")
        }
      }),
    folded: isFolded(form)
  }
}

/** The forms of a page that are posted. */
export const formsOf = (text: string): ReadonlyArray<PageForm> =>
  below(parse(text))
    .filter((node) => node.tagName === "form" && attribute(node, "method") === "post")
    .map(formOf)

/** A page at its address, with the status of the form that led there. */
export interface At {
  readonly path: string
  readonly fragment: string
  /** Of the form that was sent, or of the page where none was. */
  readonly status: number
  readonly shown: Shown
}

/** Texts of fields; several for boxes of one name. */
export type Filled = Readonly<Record<string, string | ReadonlyArray<string>>>

const bodyOf = ({ fields, takes }: PageForm, button: Button, filled: Filled): URLSearchParams => {
  for (const [name, text] of Object.entries(filled)) {
    assert.isTrue(takes.has(name), `the form of ${button.label} has no field ${name}`)
    const choices = takes.get(name)
    if (choices !== undefined) assert.include(choices, text, name)
  }
  const untouched = fields.filter(([name]) => !(name in filled))
  const typed = Object.entries(filled).flatMap(([name, texts]) => [texts].flat().map((text) => [name, text] as const))
  return new URLSearchParams([...untouched, ...typed, ...(button.field === undefined ? [] : [button.field])].map((pair) => [...pair]))
}

/** The page has the element that the browser scrolls to and gives the focus. */
const assertArrives = ({ fragment, path, shown }: At) => {
  const elements = assertPage(path, shown)
  if (fragment !== "")
    assert.isTrue(
      elements.some(({ attributes }) => attributes["id"] === fragment),
      `no #${fragment} in ${path}`
    )
}

/** By the cookie of a session. */
export const visitor = (origin: string, cookie: string) => {
  const told = (name: string, ask: Effect.Effect<Shown>) => Effect.promise(() => retryPutOff(name, () => Effect.runPromise(ask)))

  const open = Effect.fnUntraced(function* (path: string, fragment = "", status?: number) {
    const shown = yield* told(path, page(origin, path, { cookie }))
    const at: At = { path, fragment, shown, status: status ?? shown.status }
    assertArrives(at)
    return at
  })

  /** Presses the one button of that label; a folded form is opened first. */
  const press = Effect.fnUntraced(function* ({ path, shown }: At, label: string, filled: Filled = {}) {
    const found = formsOf(shown.text).flatMap((form) =>
      form.buttons.flatMap((button) => (button.label === label ? [{ form, button }] : []))
    )
    assert.strictEqual(found.length, 1, `buttons ${label} of ${path}`)
    const { button, form } = found[0]!
    const target = new URL(button.action ?? form.action, `${origin}${path}`)
    const to = `${target.pathname}${target.search}`
    const answer = yield* told(`${label} at ${path}`, postForm(origin, to, bodyOf(form, button, filled).toString(), { cookie }))
    const fragment = target.hash.slice(1)
    if (answer.status !== 303) {
      const at: At = { path: to, fragment, shown: answer, status: answer.status }
      assertArrives(at)
      return at
    }
    // A redirect without a fragment keeps the one of the form.
    const next = new URL(answer.headers.get("location")!, target)
    return yield* open(`${next.pathname}${next.search}`, next.hash.slice(1), answer.status)
  })

  return { open, press }
}
