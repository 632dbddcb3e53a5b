/**
 * One text for one value, so that hashes agree between implementations: keys sorted by code unit, no white space, integers
 * plain, UTF-8 (docs/games.md#replays).
 */
import { sha256Hex } from "./sha256.ts"

/** Throws a TypeError on a value that JSON cannot express; callers pass values made by an engine or a reader. */
export const canonicalJson = (value: unknown): string => {
  // `String` and JSON agree on finite numbers; -0 is 0 in both.
  if (typeof value === "number" && Number.isFinite(value)) return String(value)
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value)
  if (Array.isArray(value)) return arrayText(value)
  if (typeof value === "object") return objectText(value as Readonly<Record<string, unknown>>)
  throw new TypeError(`${String(value)} has no canonical JSON`)
}

const arrayText = (values: ReadonlyArray<unknown>): string => {
  let text = "["
  for (let index = 0; index < values.length; index++)
    text += index === 0 ? canonicalJson(values[index]) : `,${canonicalJson(values[index])}`
  return `${text}]`
}

/** `sort` orders by code units by default. */
const objectText = (members: Readonly<Record<string, unknown>>): string => {
  let text = "{"
  for (const key of Object.keys(members).sort()) {
    if (members[key] === undefined) continue
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(members[key])}`
  }
  return `${text}}`
}

/** sha256 over the canonical text: `board_sha256` and `state_sha256`. */
export const canonicalSha256 = (value: unknown): string => sha256Hex(canonicalJson(value))
