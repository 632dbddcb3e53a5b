/**
 * Names that people give (docs/contract.md#types): of an account, a model, a season, a key, and titles. White space around one is no
 * part of it, and one that shows nothing is refused. A name is kept as it was trimmed, so that two which look alike are one.
 */
import { Schema, SchemaGetter } from "effect"
import { isOfCharacters } from "./Wire.ts"

/** White space, as Unicode has it, and the characters of no width that stand for a place between words. */
const around = /[\p{White_Space}\u180e\u200b\u2060\ufeff]/u

/** Something to be seen: no white space, no control or format character, nothing that shows nothing; nor the empty cell of Braille. */
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Character by character from either end: an expression would try each run of spaces in the middle as well. */
export const trimmed = (text: string): string => {
  let [start, end] = [0, text.length]
  while (start < end && around.test(text.charAt(start))) start++
  while (end > start && around.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

export const isBlank = (text: string): boolean => !visible.test(text)

const isName = (max: number) => {
  const fits = isOfCharacters(1, max)
  return Schema.makeFilter(
    (text: string) => {
      const name = trimmed(text)
      return fits(name) && !isBlank(name)
    },
    { expected: `1 to ${max} characters, not all of them blank`, toJsonSchema: () => ({ minLength: 1, maxLength: max, pattern: "\\S" }) }
  )
}

/** One of so many characters at most, once it is trimmed. */
export const name = (max: number) =>
  Schema.String.check(isName(max)).pipe(Schema.decode({ decode: SchemaGetter.transform(trimmed), encode: SchemaGetter.passthrough() }))
