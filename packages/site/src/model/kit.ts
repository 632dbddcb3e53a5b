/** The starter kit, as it is written: each section of a file has an address, so that a rejection leads to its remedy. */
import { readStarterKit } from "@agon/zoo/starterKit.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { kitAt } from "../html/links.ts"
import type { SharedRoute } from "../http/Route.ts"
import { found } from "../http/refuse.ts"

const texts = readStarterKit()

const titleOf = (text: string) => /^# (.*)$/m.exec(text)?.[1] ?? "Starter kit"

const section = (text: string): Html => {
  const [heading = "", ...lines] = text.split("\n")
  const id = heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-")
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${heading}</h2>
<pre>${lines.join("\n").trim()}</pre>
</section>
`
}

const index = html`<nav aria-label="Starter kit"><ul>
${[...texts].map(([name, text]) => html`<li><a href="${kitAt(name)}">${titleOf(text)}</a></li>\n`)}</ul></nav>
`

export const kitPage: SharedRoute = {
  path: "/kit/:page",
  query: [],
  render: Effect.fnUntraced(function* ({ params }) {
    const text = yield* found(texts.get(params["page"] === "readme" ? "README" : params["page"]!))
    const [beginning = "", ...sections] = text.replace(/^# .*\n/, "").split(/^## /m)
    const title = titleOf(text)
    return { title, main: html`<h1>${title}</h1>\n${index}<pre>${beginning.trim()}</pre>\n${sections.map(section)}` }
  })
}
