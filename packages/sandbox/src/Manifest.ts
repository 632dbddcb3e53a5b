/**
 * The manifest that comes with the weights: the model's game, its operator set version and its recurrent
 * memory. It is read strictly, since an unknown key is more often a misspelt one than a harmless one.
 */
import { Faults, readSlug } from "@agon/engine/untrusted.ts"

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

type Rule = (value: unknown) => string | null

const exactly =
  (expected: string): Rule =>
  (value) =>
    value === expected ? null : `must be "${expected}"`
const integer =
  (min: number, max: number): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max ? null : `must be an integer from ${min} to ${max}`
const text =
  (max: number): Rule =>
  (value) =>
    typeof value === "string" && hasAtMost(value, max) ? null : `must be a string of at most ${max} characters`
/** Counts characters as the API does (api/Wire.ts), by code points; some take two units of a JavaScript string. */
const hasAtMost = (value: string, max: number) => value.length <= max || (value.length <= 2 * max && [...value].length <= max)
const slug: Rule = (value) => (readSlug(new Faults(), "", value) !== undefined ? null : "must be the slug of a game, such as snakes")
const object: Rule = (value) => (typeof value === "object" && value !== null && !Array.isArray(value) ? null : "must be an object")

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
  for (const key of Object.keys(needed)) if (!entries.has(key)) errors.push({ path: prefix + key, message: "is missing" })
  for (const [key, part] of entries) {
    const rule = Object.hasOwn(needed, key) ? needed[key]! : Object.hasOwn(allowed, key) ? allowed[key]! : null
    const message = rule === null ? "is not a key of a manifest" : rule(part)
    if (message !== null) errors.push({ path: prefix + key.slice(0, 64), message })
  }
  return errors
}

const refuse = (path: string, message: string): ManifestCheck => ({ ok: false, errors: [{ path, message }] })

/** Reads an untrusted manifest. The `path` of an error is dotted, and empty for the whole file. Never throws. */
export const readManifest = (bytes: Uint8Array): ManifestCheck => {
  if (bytes.length > MANIFEST_MAX_BYTES) return refuse("", `must be at most ${MANIFEST_MAX_BYTES} bytes, has ${bytes.length}`)
  let file: unknown
  try {
    file = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return refuse("", "must be JSON in UTF-8")
  }
  if (object(file) !== null) return refuse("", "must be an object")
  const errors = check(file as object, "", required, optional)
  const inner = (file as { memory?: unknown }).memory
  if (inner !== undefined && object(inner) === null) errors.push(...check(inner as object, "memory.", memory, {}))
  return errors.length > 0 ? { ok: false, errors: errors.slice(0, ERRORS_MAX) } : { ok: true, manifest: file as Manifest }
}
