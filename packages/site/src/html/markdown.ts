/**
 * Markdown that a person wrote, as HTML. The parser knows no raw HTML, and here neither pictures, which would be requests to others, nor
 * tables, nor references, by which a short text could repeat a long address thousands of times. A link leads to a web or a mail address.
 * Headings begin below that of the section that the text stands in and leave no level out.
 */
import MarkdownIt from "markdown-it"
import { type Html, html, made, prose } from "./Html.ts"

/** Longer texts are shown as they were written. Any text of this length takes the parser less than half a second. */
export const MARKDOWN_LENGTH_MAX = 65_536
/**
 * A text of more parts is shown as it was written too. Parts cost the site's one thread some 2 us and 20 bytes each: thousands of
 * quotes in quotes would take a hundred times as long as prose of their length. A list of 20,000 characters has fewer where its items
 * have 20 each.
 */
export const PARTS_MAX = 6_000
/** Deeper lists and quotes stay text. */
const NESTING_MAX = 20
const LINK_LENGTH_MAX = 2_048
const LOWEST_LEVEL = 6

const isFollowed = (to: string): boolean => to.length <= LINK_LENGTH_MAX && /^(https?:\/\/|mailto:)/i.test(to) && URL.canParse(to)

const parser = new MarkdownIt("default", { html: false, linkify: false, typographer: false, maxNesting: NESTING_MAX })
parser.disable(["image", "table", "reference"])
parser.validateLink = isFollowed

/** More than `PARTS_MAX` parts, counted while they are made, so that nobody pays for the others. */
class TooMany extends Error {}

type Env = Parameters<typeof parser.parse>[1]

const count = (env: Env): void => {
  const parts = Number(env["parts"] ?? 0) + 1
  env["parts"] = parts
  if (parts > PARTS_MAX) throw new TooMany()
}

parser.block.State = class extends parser.block.State {
  override push(...token: Parameters<InstanceType<typeof parser.block.State>["push"]>) {
    count(this.env)
    return super.push(...token)
  }
}
parser.inline.State = class extends parser.inline.State {
  override push(...token: Parameters<InstanceType<typeof parser.inline.State>["push"]>) {
    count(this.env)
    return super.push(...token)
  }
}

type Tokens = ReturnType<typeof parser.parse>

const BLOCKS = new Set(["paragraph_open", "heading_open", "list_item_open", "blockquote_open"])

/** The levels of headings, from the one below `level` on. */
const level = (tokens: Tokens, level: number): void => {
  let last = level
  for (const token of tokens) {
    if (token.type === "heading_open") last = Math.min(level + Number(token.tag.slice(1)), last + 1, LOWEST_LEVEL)
    if (token.type === "heading_open" || token.type === "heading_close") token.tag = `h${last}`
  }
}

/** The direction of each block is its own, and links say that somebody else wrote them. */
const attribute = (tokens: Tokens): void => {
  for (const token of tokens) {
    if (BLOCKS.has(token.type)) token.attrSet("dir", "auto")
    if (token.type === "link_open") token.attrSet("rel", "nofollow ugc noopener noreferrer")
    attribute(token.children ?? [])
  }
}

const parsed = (text: string, env: Env): Tokens | undefined => {
  try {
    return parser.parse(text, env)
  } catch (error) {
    if (error instanceof TooMany) return undefined
    throw error
  }
}

/** `below` is the level of the heading that the text stands under. */
export const markdown = (text: string, below: number): Html => {
  if (text.length > MARKDOWN_LENGTH_MAX) return prose(text)
  const env: Env = {}
  const tokens = parsed(text, env)
  if (tokens === undefined) return prose(text)
  level(tokens, below)
  attribute(tokens)
  return html`<div class="markdown">${made(parser.renderer.render(tokens, parser.options, env))}</div>`
}
