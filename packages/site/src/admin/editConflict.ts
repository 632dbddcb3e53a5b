/**
 * A form that edits a record which somebody else may have changed since it was shown. It carries the texts that it was made of, so that
 * each field has three: as it was shown, as it was typed, and as the record has it now.
 *
 *   typed as it was shown                       the record's text stands, whoever changed it
 *   typed anew, and the record as it was shown  the typed text is saved
 *   typed anew, and the record changed          overtaken: nothing is saved, and both texts are shown
 */
import { hash } from "node:crypto"
import { Data, Effect } from "effect"
import type { Tried, Typed } from "../http/form/Form.ts"

/** Texts of fields by their names. */
export type Texts = Readonly<Record<string, string>>

export interface Edit {
  readonly was: Texts
  readonly typed: Texts
  readonly now: Texts
}

/** The hidden field with the texts that the form was made of. */
export const WAS = "was"

/** In characters. A long text is told from others by its digest, so that a form is not sent with each of them twice. */
const WHOLE_MAX = 200
const DIGEST = "sha256:"

const marked = (text: string): string => (text.length > WHOLE_MAX ? `${DIGEST}${hash("sha256", text)}` : text)

export const wasText = (texts: Texts): string =>
  JSON.stringify(Object.fromEntries(Object.entries(plain(texts)).map(([name, text]) => [name, marked(text)])))

/** As a browser sends it back: lines end with `\n`, and spaces around it are no part of it. */
const plainText = (text: string): string => text.replaceAll("\r\n", "\n").trim()
const plain = (texts: Texts): Texts => Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, plainText(text)]))

/** Reads whatever the visitor sent: without such texts each field counts as typed anew, and as changed. */
const wasOf = (text: string): Texts => {
  try {
    const read: unknown = JSON.parse(text)
    const pairs = typeof read === "object" && read !== null ? Object.entries(read) : []
    return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === "string"))
  } catch {
    return {}
  }
}

/** `now` are the fields of the form as the record has them. */
export const editOf = ({ one }: Typed, now: Texts): Edit => ({
  was: wasOf(one(WAS)),
  typed: Object.fromEntries(Object.keys(now).map((name) => [name, plainText(one(name))])),
  now: plain(now)
})

/** Whether the visitor has given a field another text. */
export const isTyped = ({ typed, was }: Edit, name: string): boolean => marked(typed[name] ?? "") !== textAt(was, name)

/** Own keys alone: a field may have any name. */
const textAt = (texts: Texts, name: string): string | undefined => (Object.hasOwn(texts, name) ? texts[name] : undefined)

/** Both edits in one: of each field the typed text, or the record's where the visitor left it alone. */
export const merged = (edit: Edit): Texts =>
  Object.fromEntries(Object.entries(edit.now).map(([name, now]) => [name, isTyped(edit, name) ? (edit.typed[name] ?? "") : now]))

const SHOWN_MAX = 40
const shown = (text: string | undefined) => (text === undefined || text === "" ? "empty" : text.slice(0, SHOWN_MAX).toWellFormed())

/** The sentence beside each field that was typed anew and that somebody has changed to another text meanwhile. */
export const overtaken = (edit: Edit): ReadonlyMap<string, string> => {
  const { now, typed, was } = edit
  const names = Object.keys(now).filter(
    (name) => isTyped(edit, name) && marked(now[name]!) !== textAt(was, name) && now[name] !== typed[name]
  )
  return new Map(
    names.map((name) => [
      name,
      textAt(was, name)?.startsWith(DIGEST) === true
        ? `It is another text now than when the form was shown: ${shown(now[name])}`
        : `It is ${shown(now[name])} now, and was ${shown(textAt(was, name))} when the form was shown; you typed ${shown(typed[name])}.`
    ])
  )
}

/** The texts as a form has them. */
export const typedBy = (texts: Texts): Typed => {
  const one = (name: string) => textAt(texts, name) ?? ""
  return { one, all: (name) => (Object.hasOwn(texts, name) ? [one(name)] : []) }
}

/** Refused by the site itself, in the form of a refusal of the API. */
class Overtaken extends Data.Error<{
  readonly status: 409
  readonly code: "overtaken"
  readonly detail: string
  readonly errors: ReadonlyArray<{ readonly path: string; readonly message: string }>
}> {}

/** Refuses an edit that is overtaken; `what` is what it edits, as people call it. */
export const unlessOvertaken = (edit: Edit, what: string): Effect.Effect<void, Overtaken> => {
  const errors = [...overtaken(edit)].map(([path, message]) => ({ path, message }))
  const detail = `Somebody has changed ${what} since this form was shown. Nothing has been saved. Your values stand in the form; saving them again replaces the others.`
  return errors.length === 0 ? Effect.void : Effect.fail(new Overtaken({ status: 409, code: "overtaken", detail, errors }))
}

/** The form as it is shown again: made of the record as it is now, with what was typed, and what was overtaken told beside it. */
export const triedAgain = (tried: Tried, now: Texts): Tried => {
  const edit = editOf(tried.typed, now)
  return { ...tried, typed: typedBy(merged(edit)), faults: new Map([...tried.faults, ...overtaken(edit)]) }
}
