/**
 * Names that people give (docs/contract.md#types): of an account, a model, a season, a key, and titles. White
 * space around a name is trimmed, and a name without visible characters is refused. The trimmed name is
 * stored, so that two that look alike are equal.
 */
import { Schema, SchemaGetter } from "effect"
import { isOfCharacters } from "./Wire.ts"

/** White space by Unicode's definition, and the zero-width characters that separate words. */
const around = /[\p{White_Space}\u180e\u200b\u2060\ufeff]/u

/** A visible character: not white space, control, format or default-ignorable, nor the empty Braille cell. */
const visible = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Character by character from either end: a regular expression would also try each run of spaces in the middle. */
export const trimmed = (text: string): string => {
  let [start, end] = [0, text.length]
  while (start < end && around.test(text.charAt(start))) start++
  while (end > start && around.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

export const isBlank = (text: string): boolean => !visible.test(text)

/** A text has at most `max` characters as it is kept, one of them visible. */
const shows = (max: number, kept: (text: string) => string) => {
  const fits = isOfCharacters(1, max)
  return Schema.makeFilter(
    (text: string) => {
      const stored = kept(text)
      return fits(stored) && !isBlank(stored)
    },
    { expected: `1 to ${max} characters, not all of them blank`, toJsonSchema: () => ({ minLength: 1, maxLength: max, pattern: "\\S" }) }
  )
}

/** A name of at most `max` characters, once it is trimmed. */
export const name = (max: number) =>
  Schema.String.check(shows(max, trimmed)).pipe(
    Schema.decode({ decode: SchemaGetter.transform(trimmed), encode: SchemaGetter.passthrough() })
  )

/** A text of a sentence or more that others read, such as a comment. It is kept as it was written. */
export const prose = (max: number) => Schema.String.check(shows(max, (text) => text))
