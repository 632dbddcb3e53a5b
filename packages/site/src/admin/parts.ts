/** Parts that administration pages share. */
import type { PageQuery } from "@agon/api/Pages.ts"
import { SearchTerm } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { invalid } from "../http/refuse.ts"

/** Pages of one administration, of which `current` is shown. */
export const sectionNav = (
  label: string,
  pages: ReadonlyArray<readonly [part: string, name: string]>,
  at: (part: string) => string,
  current: string
): Html =>
  html`<nav class="sections" aria-label="${label}"><ul>
${pages.map(([part, name]) => html`<li><a href="${at(part)}"${part === current && html` aria-current="page"`}>${name}</a></li>\n`)}</ul></nav>`

const JSON_MAX = 600

/** A value as it was written, its beginning where it is long. */
export const json = (value: unknown): Html => {
  const text = JSON.stringify(value) ?? ""
  return html`<code>${said(text.length > JSON_MAX ? `${text.slice(0, JSON_MAX).toWellFormed()}…` : text)}</code>`
}

const isSearchTerm = Schema.is(SearchTerm)

/** The term that a search of the page looks for: a value that is longer than the API takes is none of this page's. */
export const searchTerm = (term: string | undefined) => (term === undefined || isSearchTerm(term) ? Effect.succeed(term) : invalid)

/** Rows on a page of a list. */
const ROWS = 50

/** A page of a list, and the links to those before and after it. */
export interface Paged {
  readonly page: PageQuery
  /** `next` is the cursor that the list's answer has. */
  readonly links: (next: string | null) => Html | ""
}

/** The page of the list at `path` that an address names. */
export const pagedBy = (path: string, query: Readonly<Record<string, string>>) => {
  const { cursor, ...others } = query
  const offset = offsetOf(cursor)
  if (offset === undefined) return invalid
  const links: Paged["links"] = (next) => pager({ path, query: others, offset, rows: ROWS, next })
  return Effect.succeed<Paged>({ page: { limit: ROWS, cursor: offset }, links })
}
