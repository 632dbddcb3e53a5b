/** Forms that are only a button, and those that ask once more before they take something away. */
import { type Html, html, said } from "../../html/Html.ts"
import { withTimes } from "../../html/instants.ts"
import type { Form, Tried } from "./Form.ts"
import { posting } from "./inputs.ts"

type Values<Name extends string> = { readonly [N in Name]?: string }

const hidden = (values: Values<string>) =>
  Object.entries<string | undefined>(values).map(([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`)

const row = <Name extends string>(form: Form<Name>, values: Values<Name>, button: Html): Html =>
  posting(form, html`${hidden(values)}${button}`, { attributes: html`class="row"` })

/** A form that is only a button, in a row of a table; `about` says which row it belongs to, for those who hear it. */
export const button = <Name extends string>(form: Form<Name>, values: Values<Name>, text: string, about: string): Html =>
  row(form, values, html`<button aria-label="${text}: ${about}">${text}</button>`)

/**
 * A button with a confirmation step, for a form that removes something: the visitor opens it first and reads its consequence, which needs
 * no script. It names the thing that it removes: `Remove` about `the word darn` is `Remove the word darn`. Where `about` is empty, `text`
 * stands alone.
 */
export const confirmedButton = <Name extends string>(
  form: Form<Name>,
  values: Values<Name>,
  text: string,
  about: string,
  consequence: string
): Html =>
  html`<details class="sure"><summary aria-label="${`${text} ${about}`.trim()}">${text}</summary>
<p>${consequence}</p>
${row(form, values, html`<button>${text}${about !== "" && html` ${said(about)}`}</button>`)}</details>`

/** Why the service did not do what a button says, on a page whose forms name no place for it. */
export const notDone = (tried: Tried | undefined, ...forms: ReadonlyArray<Form<string> | Form<never>>): Html | false =>
  tried !== undefined &&
  tried.shown === undefined &&
  forms.some(({ name }) => name === tried.form) &&
  html`<p class="bad alert" role="alert" tabindex="-1" autofocus>${said(withTimes(tried.detail))}</p>\n`
