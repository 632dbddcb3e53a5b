/**
 * The one way of text from outside into the database: what runners, replays, providers, headers and errors say. Postgres has
 * no NUL in text, and jsonb neither NUL nor half of a surrogate pair; a statement that brings one fails, whatever else it
 * was to write. So what cannot be stored is replaced (U+FFFD), and what is long is cut. Bodies of requests are refused before
 * that where they hold any of it (http/unstorable.ts); this is for text that nobody can be asked to send again.
 */

/** Characters of one text; more than any column of outside text is meant to hold. */
export const STORED_TEXT_MAX = 20_000
const REPLACEMENT = "\ufffd"
/** What JSON.stringify makes of either, or a backslash before the same letters, which the slow path leaves as it is. */
const SUSPICIOUS = /\\u(0000|d[89a-f])/

export const storableText = (text: string, characters_max = STORED_TEXT_MAX): string =>
  text.slice(0, characters_max).toWellFormed().replaceAll("\0", REPLACEMENT)

/** JSON for a jsonb column; each text in it, and each name, is made storable. Where nothing is wrong it costs one search. */
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
