/**
 * What no body of ours holds and no part of the service should meet: text that the database keeps in no column, or not as it came
 * (Postgres has no NUL in text and no half of a surrogate pair in jsonb), nesting that recursion does not survive, and more values than
 * anybody here has a use for. The text is read once from its beginning to its end before it is parsed; only where an escape in it could
 * be such text is it parsed and walked, with a stack of our own. Paths are written down for what is found and for nothing else.
 */
import type { FieldErrors } from "@agon/api/Problem.ts"

const suspicious = /\\u(0000|[dD][89a-fA-F])/
const loneSurrogate = /\p{Surrogate}/u

/** Nothing that the API takes is nested a tenth as deep. */
const DEPTH_MAX = 100
/** Objects, lists and what is in them. The largest body that is any use, 256 results of eight seats each, holds 14,000. */
const VALUES_MAX = 20_000
/** Faults listed at once; a body may hold thousands. */
const FAULTS_MAX = 10

/** What such a body is refused with. What is no JSON has nothing of it: its decoder refuses it. */
export const unstorable = (body: string): FieldErrors => {
  const excess = excessOf(body)
  if (excess !== undefined) return [{ path: "", message: excess }]
  if (!suspicious.test(body)) return []
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return []
  }
  return faultsIn(value)
}

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92

/** One pass over the text. Every value but the first stands behind a bracket or a comma. */
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
