/**
 * A text that administrators write and change, an announcement or a post. One that two of them change at once is saved field by field, and
 * refused where both have changed one field (editConflict.ts).
 */
import type { PageQuery } from "@agon/api/Pages.ts"
import { Effect } from "effect"
import { type Html, html, prose } from "../html/Html.ts"
import { platformAdminAt, withQuery } from "../html/links.ts"
import type { Form, Tried, Typed } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { editOf, isTyped, type Texts, triedAgain, unlessOvertaken, WAS, wasText } from "./editConflict.ts"
import { doneAt, instantOf, LeadsTo } from "./forms.ts"

export const MARKDOWN = "Markdown."
const OVERTAKEN = 409
const GONE = 404

/** Back to the list, and no longer to the text that was changed. */
export const listOf = (part: "announcements" | "posts") => new LeadsTo({ to: doneAt(platformAdminAt(part)) })

export const orNull = (text: string, value: (text: string) => string): string | null => (text.trim() === "" ? null : value(text))

/** An instant, or none. */
export const instantOrNull = (text: string) => orNull(text, instantOf)

type Payload<Of extends Fields> = { readonly [Name in keyof Of]: ReturnType<Of[Name]> }
type Fields = Readonly<Record<string, (text: string) => string | null>>

/** Values of a form's fields. */
export const payloadOf = <Of extends Fields>(of: Of, typed: Typed, names = Object.keys(of)) =>
  Object.fromEntries(names.map((name) => [name, of[name]!(typed.one(name))])) as Payload<Of>

/** Changes only what was typed anew. A change of nothing answers the text as it is now. */
export const change = Effect.fnUntraced(function* <Of extends Fields, Text, E>(
  { of, texts, what }: { readonly of: Of; readonly texts: (text: Text) => Texts; readonly what: string },
  typed: Typed,
  send: (payload: Partial<Payload<Of>>) => Effect.Effect<Text, E>
) {
  const edit = editOf(typed, texts(yield* send({})))
  yield* unlessOvertaken(edit, what)
  const names = Object.keys(of).filter((name) => isTyped(edit, name))
  if (names.length > 0) yield* send(payloadOf(of, typed, names) as Partial<Payload<Of>>)
})

/** The page of the list that shows a text, with the form that changes it. */
export const changeAt = (part: "announcements" | "posts", name: "announcement" | "post", value: string, { cursor }: PageQuery): string =>
  withQuery(platformAdminAt(part), { [name]: value, cursor: cursor === 0 ? undefined : cursor })

/** The fields of the form that changes a text which stands as `now`, or writes a new one where there is none. */
export const fieldsOf = (form: Form, tried: Tried | undefined, now: Texts | undefined) => {
  const again = tried?.form === form.name ? tried : undefined
  return inputs<string>(form, again === undefined || now === undefined ? again : triedAgain(again, now), now)
}

interface Changing {
  /** The hidden field that says which text is changed. */
  readonly field: string
  readonly old: string | undefined
  readonly now: Texts | undefined
  /** Said where that text is not there any more. */
  readonly gone: string
}

/**
 * Which text a form changes, as it was posted where it is shown again, and the texts that it is made of. Where that text is gone the form
 * changes none: sent again it writes a new one, so that nothing typed is lost.
 */
export const changed = ({ name }: Form, tried: Tried | undefined, { field, gone, now, old = "" }: Changing): Html => {
  const again = tried?.form === name ? tried : undefined
  if (again?.status === GONE) return html`<p class="bad">${gone} Sent again, this text is a new one.</p>\n`
  const of = again === undefined ? old : again.typed.one(field)
  return html`<input type="hidden" name="${field}" value="${of}">${now !== undefined && html`<input type="hidden" name="${WAS}" value="${wasText(now)}">`}`
}

/** The text as another has made it meanwhile, whole, below the form of one's own. */
export const standing = (form: Form, tried: Tried | undefined, body: string | undefined): Html | false =>
  tried?.form === form.name && tried.status === OVERTAKEN && body !== undefined && html`<h3>As it stands now</h3>\n${prose(body)}\n`
