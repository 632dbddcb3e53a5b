/**
 * Makes text from outside storable: the text of runners, replays, providers, headers and errors. Postgres
 * allows no NUL in text, and in jsonb neither NUL nor a lone surrogate; a statement that contains one fails
 * as a whole. So characters that cannot be stored are replaced (U+FFFD), and long texts are cut. Request
 * bodies with such characters are refused earlier (http/body/unstorable.ts); this is for text whose sender
 * cannot be asked to correct it.
 */

/** Characters of one text; more than any column for outside text is meant to hold. */
const STORED_TEXT_MAX = 20_000
const REPLACEMENT = "\ufffd"
/**
 * Matches the JSON escapes of NUL and of lone surrogates, and an escaped backslash before the same letters,
 * which the slow path leaves alone.
 */
const SUSPICIOUS = /\\u(0000|d[89a-f])/

export const storableText = (text: string, characters_max = STORED_TEXT_MAX): string =>
  text.slice(0, characters_max).toWellFormed().replaceAll("\0", REPLACEMENT)

/**
 * JSON for a jsonb column; every string and name in it is made storable. Where nothing
 * is wrong it costs one search.
 */
export const storableJson = (value: unknown): string => {
  const json = JSON.stringify(value)
  return SUSPICIOUS.test(json) ? JSON.stringify(storable(value)) : json
}

const storable = (value: unknown): unknown => {
  if (typeof value === "string") return storableText(value, value.length)
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== "object" || value === null || "toJSON" in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [storableText(name, name.length), storable(inner)]))
}
