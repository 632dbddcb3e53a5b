/**
 * Texts that people write and others read (docs/contract.md#types): names in one line, and prose. A name is that of an
 * account, a model, a season, a key, or a title. White space around it is trimmed, it is stored in Unicode's form NFC, so
 * that the same letters are the same name, and it has no character that is invisible or turns the text around it.
 * Prose has lines and tabs, and is kept as it was written.
 */
import { Schema, SchemaGetter } from "effect"
import { isOfCharacters, SearchTerm } from "./Wire.ts"

/** White space by Unicode's definition, and the zero-width characters that separate words. */
const around = /[\p{White_Space}\u180e\u200b\u2060\ufeff]/u

/** A visible character: not white space, a mark without its letter, control, format or default-ignorable, nor the empty Braille cell. */
const visible = /[^\p{White_Space}\p{M}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * Invisible characters in places where they change the letters or the emoji beside them: joiners between emoji and in
 * scripts without capitals, selectors, and the tags of three flags (England, Scotland, Wales).
 */
const needed = [
  String.raw`(?<=[\p{Lo}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=[\p{Lo}\p{M}\p{Extended_Pictographic}])`,
  String.raw`(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f(?=\u20e3)`,
  String.raw`(?<=\p{Ideographic})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]|(?<=\p{Script=Mongolian})[\u180b-\u180f]`,
  String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`
].join("|")

/** Controls, breaks of lines, private and invisible characters. Unassigned ones are let through: they may be letters of a newer Unicode. */
const unfit = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]`

/** Finds such characters of a name, or else passes over needed ones. */
const ofNames = new RegExp(`${needed}|(?<unfit>${unfit})`, "gu")

/** In prose: controls except tabs and ends of lines, and characters that turn the direction of the text between two of them. */
const ofProse = /(?<unfit>(?![\t\n\r])[\p{Cc}\u202a-\u202e\u2066-\u2069])/gu

/** Character by character from either end: a regular expression would also try each run of spaces in the middle. */
export const trimmed = (text: string): string => {
  let [start, end] = [0, text.length]
  while (start < end && around.test(text.charAt(start))) start++
  while (end > start && around.test(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** A name as it is stored. */
export const named = (text: string): string => trimmed(text).normalize("NFC")

export const isBlank = (text: string): boolean => !visible.test(text)

/** A name made of what somebody has not written as one; undefined where that shows nothing. */
export const nameFrom = (text: string): string | undefined => {
  const fit = named(text.normalize("NFC").replace(ofNames, (found, unfit: string | undefined) => (unfit === undefined ? found : "")))
  return isBlank(fit) ? undefined : fit
}

/** The first character that must not be there; places are counted as lengths are. */
const faultIn = (text: string, characters: RegExp): string | undefined => {
  for (const { groups, index } of text.matchAll(characters)) {
    const code = groups?.["unfit"]?.codePointAt(0)
    if (code === undefined) continue
    const place = [...text.slice(0, index)].length + 1
    return `character ${place} is U+${code.toString(16).toUpperCase().padStart(4, "0")}, which is not allowed`
  }
  return undefined
}

/** A character is at most four when it is decomposed, and each of these is at most two UTF-16 units. */
const UNITS_OF_CHARACTER = 8

/** A text has at most `max` characters as it is kept, one of them visible, and none of those that must not be there. */
const shows = (max: number, kept: (text: string) => string, characters?: RegExp) => {
  const fits = isOfCharacters(1, max)
  return Schema.makeFilter(
    (text: string) => {
      // A longer text is too long in any form, and takes time to normalize.
      if (trimmed(text).length > UNITS_OF_CHARACTER * max) return false
      const stored = kept(text)
      if (!fits(stored) || isBlank(stored)) return false
      return characters === undefined ? true : faultIn(stored, characters)
    },
    { expected: `1 to ${max} characters, not all of them blank`, toJsonSchema: () => ({ minLength: 1, maxLength: max, pattern: "\\S" }) }
  )
}

const keptAs = (max: number, kept: (text: string) => string, characters?: RegExp) =>
  Schema.String.check(shows(max, kept, characters)).pipe(
    Schema.decode({ decode: SchemaGetter.transform(kept), encode: SchemaGetter.passthrough() })
  )

/** A name of at most `max` characters, once it is trimmed. */
export const name = (max: number) => keptAs(max, named, ofNames)

/** A login or a word, which is compared with what others have written: trimmed alone. */
export const compared = (max: number) => keptAs(max, trimmed)

/** The reason of a decision: prose, trimmed. */
export const reason = (max: number) => keptAs(max, trimmed, ofProse)

/** A text of a sentence or more that others read, such as a comment. It is kept as it was written. */
export const prose = (max: number) => Schema.String.check(shows(max, (text) => text, ofProse))

/** Refuses in other texts that others read, which may be empty, what prose must not have. */
export const readable = Schema.makeFilter((text: string) => faultIn(text, ofProse))

/** The beginning of a name that a search looks for, in the form that names are stored in. */
export const NameTerm = SearchTerm.pipe(
  Schema.decode({ decode: SchemaGetter.transform((text: string) => text.normalize("NFC")), encode: SchemaGetter.passthrough() })
)
