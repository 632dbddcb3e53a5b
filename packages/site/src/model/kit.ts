/** The starter kit as pages: each heading of a file has an address, so that a rejection leads to its remedy. */
import { readStarterKit } from "@agon/zoo/starterKit.ts"
import { Effect } from "effect"
import { html } from "../html/Html.ts"
import { kitAt } from "../html/links.ts"
import { manual } from "../html/manual.ts"
import type { SharedRoute } from "../http/Route.ts"
import { found } from "../http/refuse.ts"

const FIRST = "README"

/** In the order in which the first page leads to them. */
const inOrder = (texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const linked = Array.from(texts.get(FIRST)!.matchAll(/\]\(([\w-]+)\.md\b/g), ([, name]) => name!)
  const names = new Set([FIRST, ...linked, ...texts.keys()])
  return new Map([...names].flatMap((name) => (texts.has(name) ? [[name, texts.get(name)!]] : [])))
}

const texts = inOrder(readStarterKit())

const titleOf = (text: string) => /^# (.*)$/m.exec(text)?.[1] ?? "Starter kit"

/** `limits.md#read-yours` is a page of the kit; files of a checkout beside it have none. */
const addressOf = (to: string): string | undefined => {
  const [, file = "", fragment = ""] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(to) ?? []
  if (texts.has(file)) return `${kitAt(file)}${fragment}`
  return /^https?:\/\/|^#/.test(to) ? to : undefined
}

const pages = new Map(
  [...texts].map(([name, text]) => [name.toLowerCase(), { title: titleOf(text), body: manual(text.replace(/^# .*\n/, ""), addressOf) }])
)

const index = (current: string) => html`<nav class="sections" aria-label="Starter kit"><ul>
${[...pages].map(([name, { title }]) => html`<li><a href="${kitAt(name)}"${name === current && html` aria-current="page"`}>${title}</a></li>\n`)}</ul></nav>
`

export const kitPage: SharedRoute = {
  path: "/kit/:page",
  query: [],
  render: Effect.fnUntraced(function* ({ params }) {
    const name = params["page"]!
    const { body, title } = yield* found(pages.get(name))
    return { title, main: html`<h1>${title}</h1>\n${index(name)}${body}` }
  })
}
