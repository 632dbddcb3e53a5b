/**
 * Markdown of our own, such as the starter kit, as HTML: with tables, and an address for each heading. It is no place for what other people
 * wrote, which `markdown.ts` shows.
 */
import MarkdownIt from "markdown-it"
import { type Html, made } from "./Html.ts"

const parser = new MarkdownIt("default", { html: false, linkify: false, typographer: false })

type Tokens = ReturnType<typeof parser.parse>
type Token = Tokens[number]
/** Where a link of the text leads on the site, or undefined where it leads nowhere. */
export type AddressOf = (to: string) => string | undefined

/** `Read yours` as `read-yours`, which is how links of the texts name it. */
const idOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-")

/** A link that leads nowhere stays text. */
const relinked = (tokens: Tokens, addressOf: AddressOf): Tokens => {
  let kept = true
  return tokens.filter((token) => {
    if (token.type === "link_close") return kept
    if (token.type !== "link_open") return true
    const to = addressOf(String(token.attrGet("href")))
    kept = to !== undefined
    if (to !== undefined) token.attrSet("href", to)
    return kept
  })
}

/** The corner of a table may be empty, and is no heading then. */
const asHeading = (open: Token, inline: Token, close: Token): void => {
  if (inline.content !== "") open.attrSet("scope", "col")
  else for (const token of [open, close]) token.tag = "td"
}

/** A table scrolls in a region of its own where it is wide; each region has another name. */
parser.renderer.rules["table_open"] = (tokens, i) => {
  const n = tokens.slice(0, i + 1).filter(({ type }) => type === "table_open").length
  return `<div class="scroll" role="region" aria-label="Table ${n}" tabindex="0"><table>\n`
}
parser.renderer.rules["table_close"] = () => "</table></div>\n"

/** `text` without its title. Pictures, which stand on lines of their own, are left out: their files are not the site's. */
export const manual = (text: string, addressOf: AddressOf): Html => {
  const env = {}
  const tokens = parser.parse(text.replace(/^!\[.*\]\(.*\)$/gm, ""), env)
  for (const [i, token] of tokens.entries()) {
    if (token.type === "heading_open") token.attrSet("id", idOf(tokens[i + 1]!.content))
    if (token.type === "th_open") asHeading(token, tokens[i + 1]!, tokens[i + 2]!)
    if (token.children !== null) token.children = relinked(token.children, addressOf)
  }
  return made(`<div class="markdown">${parser.renderer.render(tokens, parser.options, env)}</div>`)
}
