/**
 * What no body of ours holds and no part of the service should meet: text that the database keeps in no column, or not as it came
 * (Postgres has no NUL in text and no half of a surrogate pair in jsonb), and nesting that recursion does not survive. JSON can
 * bring such text only as an escape, so most bodies are settled by one look at their text.
 */
import type { FieldErrors } from "@agon/api/Problem.ts"

const suspicious = /\\u(0000|[dD][89a-fA-F])/
const loneSurrogate = /\p{Surrogate}/u

/** Nothing that the API takes is nested a tenth as deep. */
const maxDepth = 100
/** Faults listed at once; a body may hold a million. */
const maxFaults = 10

/** Where a JSON body holds any of it. What is no JSON holds none: its decoder refuses it. */
export const unstorable = (body: string): FieldErrors => {
  if (!suspicious.test(body) && !mayBeDeep(body)) return []
  const found: Array<FieldErrors[number]> = []
  try {
    collect(JSON.parse(body), [], found)
  } catch {
    return []
  }
  return found
}

/** Brackets inside strings count too, so this may be wrong, but only about bodies that are not deep. */
const mayBeDeep = (body: string): boolean => {
  if (body.length < 2 * maxDepth) return false
  let opened = 0
  for (let i = 0; i < body.length; i++) {
    const char = body.charCodeAt(i)
    if (char === 91 || char === 123) opened++
    if (opened > maxDepth) return true
  }
  return false
}

const faultOf = (text: string): string | undefined => {
  if (text.includes("\0")) return "holds a NUL character"
  return loneSurrogate.test(text) ? "holds half of a surrogate pair" : undefined
}

const collect = (value: unknown, path: ReadonlyArray<string>, found: Array<FieldErrors[number]>): void => {
  if (found.length >= maxFaults) return
  if (typeof value === "string") return note(faultOf(value), path, found)
  if (typeof value !== "object" || value === null) return
  if (path.length >= maxDepth) return note(`is nested deeper than ${maxDepth} levels`, path.slice(0, 3), found)
  for (const [key, inner] of Object.entries(value)) {
    note(faultOf(key), path, found)
    collect(inner, [...path, key], found)
  }
}

const note = (message: string | undefined, path: ReadonlyArray<string>, found: Array<FieldErrors[number]>): void => {
  if (message !== undefined) found.push({ path: path.join(".").toWellFormed().replaceAll("\0", "\ufffd"), message })
}
