/** Links to the pages before and after one of a list. */
import { type Html, html } from "./Html.ts"
import { withQuery } from "./links.ts"

interface Place {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly offset: number
  readonly rows: number
  readonly next: string | null
  /** The parameter that has the offset; a page of two lists has two. */
  readonly parameter?: string
  readonly label?: string
  /** The part of the page that has the list, where it does not begin with it. */
  readonly fragment?: string
}

const OFFSET_MAX = 2 ** 31 - 1

/** The offset that an address names; undefined where it is none. */
export const offsetOf = (cursor: string | undefined): number | undefined => {
  if (cursor === undefined) return 0
  const offset = /^(0|[1-9]\d{0,9})$/.test(cursor) ? Number(cursor) : Number.NaN
  return offset <= OFFSET_MAX ? offset : undefined
}

export const pager = ({
  fragment,
  label = "Pages of the list",
  next,
  offset,
  parameter = "cursor",
  path,
  query,
  rows
}: Place): Html | "" => {
  const at = (cursor: string | number | undefined) =>
    `${withQuery(path, { ...query, [parameter]: cursor })}${fragment === undefined ? "" : `#${fragment}`}`
  const before = offset > 0 && at(offset > rows ? offset - rows : undefined)
  const after = next !== null && at(next)
  if (before === false && after === false) return ""
  return html`<nav aria-label="${label}"><ul>
${before !== false && html`<li><a href="${before}" rel="prev">Previous page</a></li>`}${after !== false && html`<li><a href="${after}" rel="next">Next page</a></li>`}
</ul></nav>`
}
