/**
 * Templates of HTML. Every value is escaped unless it is itself the result of a template. Only plain values are allowed:
 * an object of the API could claim to be escaped already, or have no text.
 */
import { raw, html as template } from "hono/html"
import type { HtmlEscapedString } from "hono/utils/html"

export type Html = HtmlEscapedString
export type Value = string | number | boolean | null | undefined | Html | ReadonlyArray<Value>

/** A promise only where a value is one, and no `Value` is. */
export const html = (strings: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html => template(strings, ...values) as Html

/** Markup that another part of the site has made, and escaped, itself. */
export const made = (markup: string): Html => raw(markup)

/** Text that a person wrote, within a line: its direction does not reach the text around it. */
export const said = (text: string): Html => html`<bdi>${text}</bdi>`

/** Paragraphs that a person wrote, as they were written. */
export const prose = (text: string): Html =>
  html`<div class="prose">${text
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => html`<p dir="auto">${paragraph}</p>`)}</div>`
