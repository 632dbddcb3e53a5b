/**
 * The manifest that comes with the weights: the model's game, its operator set version and its recurrent
 * memory. It is read strictly, since an unknown key is more often a misspelt one than a harmless one.
 */
import { isUtf8 } from "node:buffer"
import { Faults, readSlug } from "@agon/engine/untrusted.ts"
import { QUOTED_MAX_CHARACTERS, quote } from "./Verdict.ts"

export interface Manifest {
  readonly format: "agon-manifest/1"
  readonly game: string
  readonly runtime: "onnx"
  readonly opset: number
  /** float32 counts: `flat` numbers, `cell` planes of the board's size. Zero means none. */
  readonly memory: { readonly flat: number; readonly cell: number }
  readonly name?: string
  readonly description?: string
}

export interface ManifestError {
  readonly path: string
  readonly message: string
}
export type ManifestCheck =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly errors: ReadonlyArray<ManifestError> }

export const MANIFEST_MAX_BYTES = 65_536
/** The supported versions of the standard operators; the pinned runtime loads all of them. */
export const OPSET = { min: 7, max: 24 } as const
const FLAT_MAX = 1_048_576
const CELL_MAX = 1_024
/**
 * The most faults that are named, as in every refusal (docs/contract.md#errors); a file
 * of 64 KiB may have thousands.
 */
const ERRORS_MAX = 10
const NAME_MAX_CHARACTERS = 64
const DESCRIPTION_MAX_CHARACTERS = 2_000

/** A rule for a value: in words, and as a check. */
interface Rule {
  readonly must: string
  readonly holds: (value: unknown) => boolean
}

const exactly = (expected: string): Rule => ({ must: `must be "${expected}"`, holds: (value) => value === expected })
const integer = (min: number, max: number): Rule => ({
  must: `must be an integer from ${min} to ${max}`,
  holds: (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
})
const text = (max: number): Rule => ({
  must: `must be a string of at most ${max} characters`,
  holds: (value) => typeof value === "string" && hasAtMost(value, max)
})
/** Counts characters as the API does (api/Wire.ts), by code points; some take two units of a JavaScript string. */
const hasAtMost = (value: string, max: number) => value.length <= max || (value.length <= 2 * max && [...value].length <= max)
const slug: Rule = {
  must: "must be the slug of a game, such as snakes",
  holds: (value) => readSlug(new Faults(), "", value) !== undefined
}
const object: Rule = { must: "must be an object", holds: (value) => typeof value === "object" && value !== null && !Array.isArray(value) }

/** A value as the competitor wrote it. Of a longer string only its length, and of a list or an object only the kind: it may be as long and as deep as the file. */
const spell = (value: unknown): string => {
  if (typeof value === "string") return value.length > QUOTED_MAX_CHARACTERS ? `a string of ${[...value].length} characters` : quote(value)
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object"
  return String(value)
}

const required: Readonly<Record<string, Rule>> = {
  format: exactly("agon-manifest/1"),
  game: slug,
  runtime: exactly("onnx"),
  opset: integer(OPSET.min, OPSET.max),
  memory: object
}
const optional: Readonly<Record<string, Rule>> = { name: text(NAME_MAX_CHARACTERS), description: text(DESCRIPTION_MAX_CHARACTERS) }
const memory: Readonly<Record<string, Rule>> = { flat: integer(0, FLAT_MAX), cell: integer(0, CELL_MAX) }

const check = (
  value: object,
  prefix: string,
  needed: Readonly<Record<string, Rule>>,
  allowed: Readonly<Record<string, Rule>>
): Array<ManifestError> => {
  const errors: Array<ManifestError> = []
  const entries = new Map(Object.entries(value))
  for (const [key, { must }] of Object.entries(needed))
    if (!entries.has(key)) errors.push({ path: prefix + key, message: `is missing, ${must}` })
  for (const [key, part] of entries) {
    const rule = Object.hasOwn(needed, key) ? needed[key]! : Object.hasOwn(allowed, key) ? allowed[key]! : null
    if (rule?.holds(part)) continue
    const message = rule === null ? "is not a key of a manifest" : `${rule.must}, is ${spell(part)}`
    errors.push({ path: prefix + key.slice(0, QUOTED_MAX_CHARACTERS), message })
  }
  return errors
}

const refuse = (path: string, message: string): ManifestCheck => ({ ok: false, errors: [{ path, message }] })

/** Why a file of these bytes cannot be parsed, as far as a sentence can say it; `error` is the parser's. */
const whyNotJson = (bytes: Uint8Array, error: unknown): string => {
  if (bytes.length === 0) return "is empty, must be JSON in UTF-8"
  if (!isUtf8(bytes)) return "must be JSON in UTF-8, holds bytes that are not UTF-8"
  const said = error instanceof SyntaxError ? error.message : ""
  if (/^Unexpected end/.test(said)) return "must be JSON in UTF-8, ends before its JSON does"
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(said) ?? []
  return line === undefined ? "must be JSON in UTF-8, is not JSON" : `must be JSON in UTF-8, is none from line ${line}, column ${column}`
}

/** Reads an untrusted manifest. The `path` of an error is dotted, and empty for the whole file. Never throws. */
export const readManifest = (bytes: Uint8Array): ManifestCheck => {
  if (bytes.length > MANIFEST_MAX_BYTES) return refuse("", `must be at most ${MANIFEST_MAX_BYTES} bytes, has ${bytes.length}`)
  let file: unknown
  try {
    file = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch (error) {
    return refuse("", whyNotJson(bytes, error))
  }
  if (!object.holds(file)) return refuse("", `${object.must}, is ${spell(file)}`)
  const errors = check(file as object, "", required, optional)
  const inner = (file as { memory?: unknown }).memory
  if (object.holds(inner)) errors.push(...check(inner as object, "memory.", memory, {}))
  return errors.length > 0 ? { ok: false, errors: errors.slice(0, ERRORS_MAX) } : { ok: true, manifest: file as Manifest }
}
