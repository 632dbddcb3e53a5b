/**
 * Finds contents of a body that are never valid: text that the database cannot store, or not unchanged (Postgres allows no NUL in text
 * and no lone surrogate in jsonb), nesting that would overflow a recursive parser, and more values than any operation uses. The text is
 * scanned once before it is parsed. Only where an escape could stand for such text is it parsed and walked, with an explicit stack.
 * Paths are built for faults only.
 */
import type { FieldErrors } from "@agon/api/Problem.ts"
import { parsedJson } from "../../parsedJson.ts"

const suspicious = /\\u(0000|[dD][89a-fA-F])/
const loneSurrogate = /\p{Surrogate}/u

/** Ten times deeper than anything that the API accepts. */
const DEPTH_MAX = 100
/** Objects, lists and their contents. The largest useful body, 256 results of eight seats each, has 14,000. */
const VALUES_MAX = 20_000
/** Faults listed at once; a body may have thousands. */
const FAULTS_MAX = 10

/** The faults of such a body. Invalid JSON has none here, since the decoder refuses it. */
export const unstorable = (body: string): FieldErrors => {
  const excess = excessOf(body)
  if (excess !== undefined) return [{ path: "", message: excess }]
  if (!suspicious.test(body)) return []
  const value = parsedJson(body)
  return value === undefined ? [] : faultsIn(value)
}

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92

/** One pass over the text. Every value but the first follows a bracket or a comma. */
const excessOf = (body: string): string | undefined => {
  let depth = 0
  let values = 1
  let quoted = false
  for (let i = 0; i < body.length; i++) {
    const char = body.charCodeAt(i)
    if (quoted) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) quoted = false
    } else if (char === QUOTE) quoted = true
    else if (char === COMMA) values++
    else if (char === 91 || char === 123) {
      values++
      if (++depth > DEPTH_MAX) return `is nested deeper than ${DEPTH_MAX} levels`
    } else if (char === 93 || char === 125) depth--
    if (values > VALUES_MAX) return `holds more than ${VALUES_MAX} values`
  }
  return undefined
}

interface Place {
  readonly value: unknown
  readonly key: string
  readonly above: Place | undefined
}

/** In the order of the text. */
const faultsIn = (body: unknown): FieldErrors => {
  const found: Array<FieldErrors[number]> = []
  const ahead: Array<Place> = [{ value: body, key: "", above: undefined }]
  while (found.length < FAULTS_MAX) {
    const place = ahead.pop()
    if (place === undefined) break
    const { value } = place
    const message = typeof value === "string" ? faultOf(value) : undefined
    if (message !== undefined) found.push({ path: pathOf(place), message })
    if (typeof value !== "object" || value === null) continue
    const keys = Object.keys(value)
    for (const key of keys) {
      const message = faultOf(key)
      if (message !== undefined && found.length < FAULTS_MAX) found.push({ path: pathOf(place), message: `has a key that ${message}` })
    }
    for (const key of keys.toReversed()) ahead.push({ value: (value as Record<string, unknown>)[key], key, above: place })
  }
  return found
}

const faultOf = (text: string): string | undefined => {
  if (text.includes("\0")) return "holds a NUL character"
  return loneSurrogate.test(text) ? "holds half of a surrogate pair" : undefined
}

const pathOf = (place: Place): string => {
  const keys: Array<string> = []
  for (let at = place; at.above !== undefined; at = at.above) keys.push(at.key)
  return keys.toReversed().join(".").toWellFormed().replaceAll("\0", "\ufffd")
}
