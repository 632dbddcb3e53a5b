/**
 * Forms and their fields. Each field has its label, and where the API refused it the reason beside it, which screen readers read with it;
 * the whole refusal stands above the form, or at the top of the page where the form names a place for it: the browser goes there when the
 * form is sent, since an address with a fragment needs no script. Of any other form the browser goes to the first field that was refused,
 * or to the refusal. A refused form has the fields as they were typed, any other those of `values`.
 */
import { randomUUID } from "node:crypto"
import { type Html, html, said } from "../../html/Html.ts"
import { withTimes } from "../../html/instants.ts"
import { sentence } from "../../html/words.ts"
import type { Form, Tried } from "./Form.ts"

/** The hidden field that tells a page's forms from each other. */
export const FORM_FIELD = "form"
/** The hidden field by whose random text a form that is sent twice is known (sentOnce.ts). */
export const ONCE_FIELD = "once"

interface Options {
  /** A sentence below the label. */
  readonly hint?: string | Html
  /** Attributes of the element, of the template's author. */
  readonly more?: Html
}

export interface Choice {
  readonly value: string
  readonly label?: string
}

/** Makes the fields of a form, and the form around them. `values` are the texts that it begins with. */
export interface Inputs<Name extends string> {
  readonly text: (name: Name, label: string, options?: Options) => Html
  readonly area: (name: Name, label: string, options?: Options) => Html
  readonly choice: (name: Name, label: string, choices: ReadonlyArray<Choice>, options?: Options) => Html
  /** One of the boxes of that name; checked boxes are sent. */
  readonly box: (name: Name, value: string, label: string | Html) => Html
  readonly hidden: (name: Name, value: string) => Html
  /** The form with its button; without `button` the body has its own. */
  readonly whole: (body: Html, button?: string, label?: string) => Html
}

interface Posting {
  /** Attributes of the element besides, of the template's author. */
  readonly attributes?: Html
  /** The text of a form that is shown again; a new one else. */
  readonly once?: string
}

/**
 * The element of every form of the site that is posted: it says which form of its page it is, and has a random text of its own, so that it
 * is taken once however often it is sent.
 */
export const posting = (
  { name, outcome }: Pick<Form, "name" | "outcome">,
  body: Html,
  { attributes, once = randomUUID() }: Posting = {}
): Html =>
  html`<form method="post"${toOutcome(outcome)}${attributes !== undefined && html` ${attributes}`}>
<input type="hidden" name="${FORM_FIELD}" value="${name}"><input type="hidden" name="${ONCE_FIELD}" value="${once}">
${body}</form>`

/** Where a form is posted to: the page's own address, and there the place that tells what became of it. */
const toOutcome = (outcome: string | undefined): Html | false => outcome !== undefined && html` action="#${outcome}"`

type Values<Name extends string> = { readonly [N in Name]?: string | ReadonlyArray<string> }

export const inputs = <Name extends string>(form: Form<Name>, tried: Tried | undefined, values: Values<Name> = {}): Inputs<Name> => {
  const { name: formName, outcome } = form
  const again = tried?.form === formName ? tried : undefined
  const all = (name: Name): ReadonlyArray<string> => again?.typed.all(name) ?? [values[name] ?? []].flat()
  const one = (name: Name): string => all(name).at(-1) ?? ""
  const idOf = (name: Name) => `${formName}-${name}`
  const first = again?.faults.keys().next().value

  /** Id, name, and what describes the field. */
  const attributes = (name: Name, { hint, more }: Options) => {
    const fault = again?.faults.has(name) === true
    const described = [...(fault ? [`${idOf(name)}-fault`] : []), ...(hint === undefined ? [] : [`${idOf(name)}-hint`])]
    return html` id="${idOf(name)}" name="${name}"${described.length > 0 && html` aria-describedby="${described.join(" ")}"`}${fault && html` aria-invalid="true"`}${outcome === undefined && name === first && html` autofocus`}${more !== undefined && html` ${more}`}`
  }

  const field = (name: Name, label: string, { hint }: Options, input: Html): Html => {
    const fault = again?.faults.get(name)
    return html`<div class="field">
<label for="${idOf(name)}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${idOf(name)}-hint">${hint}</p>\n`}${fault !== undefined && html`<p class="bad" id="${idOf(name)}-fault">${said(withTimes(sentence(fault)))}</p>\n`}${input}
</div>
`
  }

  const option = (chosen: string) => (choice: Choice) =>
    html`<option value="${choice.value}"${choice.value === chosen && html` selected`}>${choice.label ?? choice.value}</option>`

  return {
    text: (name, label, options = {}) =>
      field(name, label, options, html`<input value="${one(name)}" dir="auto"${attributes(name, options)}>`),
    area: (name, label, options = {}) =>
      // The parser drops the first line break of a text area.
      field(name, label, options, html`<textarea rows="6" dir="auto"${attributes(name, options)}>\n${one(name)}</textarea>`),
    choice: (name, label, choices, options = {}) =>
      field(name, label, options, html`<select${attributes(name, options)}>${choices.map(option(one(name)))}</select>`),
    box: (name, value, label) =>
      html`<label class="box"><input type="checkbox" name="${name}" value="${value}"${all(name).includes(value) && html` checked`}> ${label}</label>\n`,
    hidden: (name, value) => html`<input type="hidden" name="${name}" value="${value}">`,
    whole: (body, button, label) => {
      const refusal =
        outcome === undefined &&
        (again?.detail ?? "") !== "" &&
        html`<p class="bad alert" role="alert"${first === undefined && html` tabindex="-1" autofocus`}>${said(withTimes(again!.detail))}</p>\n`
      const attributes = html`class="typed" id="${formName}"${label !== undefined && html` aria-label="${label}"`}`
      return html`${posting(form, html`${refusal}${body}${button !== undefined && html`<button>${button}</button>\n`}`, { attributes })}
`
    }
  }
}
