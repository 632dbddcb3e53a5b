/** The sentence at the top of a page of the visitor's own after a form that has done what it should. */
import { type Html, html } from "../../html/Html.ts"
import type { Tried } from "./Form.ts"

/**
 * The sentence for the last form that was sent: the form has led to the page with its parameter. Nothing where a form of the page is
 * `tried` since: that one is posted to the page's address with the same parameter.
 */
export const done = (tried: Tried | undefined, said: string | undefined, sentences: Readonly<Record<string, string>>): Html | "" => {
  if (tried !== undefined) return ""
  const sentence = said !== undefined && Object.hasOwn(sentences, said) ? sentences[said] : undefined
  return sentence === undefined ? "" : html`<p class="good" role="status">${sentence}</p>\n`
}
