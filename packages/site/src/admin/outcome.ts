/**
 * The top of an administration page tells what became of the form that was sent last. The form was posted to this element's fragment, so that the
 * browser shows it and has the focus there without a script, however far down the form stands. A refusal names each field that is wrong
 * with a link to it.
 */
import { type Html, html, made, said } from "../html/Html.ts"
import type { Tried } from "../http/form/Form.ts"
import { OUTCOME } from "./forms.ts"

/** `content` is the rest of the page. People's text is escaped in it, so a quotation mark is one of the site's own. */
const hasElement = (content: Html, id: string) => String(content).includes(` id="${id}"`)

/** The label of a field, as the page has it; undefined where the page does not have the field. */
const labelIn = (content: Html, id: string): Html | undefined => {
  const label = /^[^<]*/.exec(String(content).split(`<label for="${id}">`, 2)[1] ?? "")?.[0]
  return label === undefined || label === "" ? undefined : made(label)
}

const faultItem = (content: Html, { detail, form }: Tried, [field, message]: readonly [string, string]): Html | "" => {
  const id = `${form}-${field}`
  const label = labelIn(content, id)
  if (label === undefined) return message === detail ? "" : html`<li>${said(message)}</li>\n`
  return html`<li><a href="#${id}">${label}</a>${message !== detail && html`: ${said(message)}`}</li>\n`
}

const refusal = (tried: Tried, content: Html, isButton: boolean): Html => {
  const { detail, faults, form } = tried
  const items = [...faults].map((fault) => faultItem(content, tried, fault)).filter((item) => item !== "")
  return html`<div class="bad alert" id="${OUTCOME}" role="alert" tabindex="-1">
<h2>Not done</h2>
<p>${said(detail)}</p>
${items.length > 0 && html`<ul>\n${items}</ul>\n`}${
  !isButton &&
  (hasElement(content, form)
    ? html`<p><a href="#${form}">To the form</a>, as it was typed.</p>\n`
    : html`<p>The page does not have this form any more.</p>\n`)
}</div>
`
}

/** `done` is the parameter that says that a form was taken; `buttons` are the names of forms that are a button each. */
export const outcome = (done: string | undefined, tried: Tried | undefined, content: Html, buttons: ReadonlyArray<string>): Html | "" => {
  if (tried === undefined) return done === undefined ? "" : html`<p class="good" id="${OUTCOME}" role="status" tabindex="-1">Done.</p>\n`
  if (tried.shown === undefined) return refusal(tried, content, buttons.includes(tried.form))
  // The form says in a status of its own what has come of it.
  return html`<p class="good" id="${OUTCOME}" tabindex="-1">The answer stands <a href="#${tried.form}">at the form</a>.</p>\n`
}
