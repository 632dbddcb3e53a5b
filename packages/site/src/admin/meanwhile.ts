/**
 * A form that edits a record which somebody else may have changed since it was shown. It carries the texts that it was made of, so that
 * each field has three: as it was shown, as it was typed, and as the record has it now.
 *
 *   typed as it was shown                       the record's text stands, whoever changed it
 *   typed anew, and the record as it was shown  the typed text is saved
 *   typed anew, and the record changed          overtaken: nothing is saved, and both texts are shown
 */

import type { Typed } from "../http/Form.ts"

/** Texts of fields by their names. */
export type Texts = Readonly<Record<string, string>>

export interface Edit {
  readonly was: Texts
  readonly typed: Texts
  readonly now: Texts
}

/** The hidden field with the texts that the form was made of. */
export const WAS = "was"

export const wasText = (texts: Texts): string => JSON.stringify(texts)

/** Of whatever the visitor sent: without such texts each field counts as typed anew, and as changed. */
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
  typed: Object.fromEntries(Object.keys(now).map((name) => [name, one(name).trim()])),
  now
})

/** Whether the visitor has given a field another text. */
export const isTyped = ({ typed, was }: Edit, name: string): boolean => typed[name] !== textAt(was, name)

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
  const names = Object.keys(now).filter((name) => isTyped(edit, name) && now[name] !== textAt(was, name) && now[name] !== typed[name])
  return new Map(
    names.map((name) => [
      name,
      `It is ${shown(now[name])} now, and was ${shown(textAt(was, name))} when the form was shown; you typed ${shown(typed[name])}.`
    ])
  )
}

/** The texts as a form has them. */
export const typedBy = (texts: Texts): Typed => {
  const one = (name: string) => textAt(texts, name) ?? ""
  return { one, all: (name) => (Object.hasOwn(texts, name) ? [one(name)] : []) }
}
