/**
 * Readers of untrusted JSON: boards and replays. Each names every fault by path and sentence, bounds its work by known
 * limits, and never throws. The other readers ignore an `undefined` member, since `readObject` has already reported it
 * missing.
 */
import type { BoardError } from "./Engine.ts"

/** Enough to correct a file by hand; a file with a million faults must not give a million lines. */
const FAULTS_MAX = 100

export class Faults {
  readonly list: Array<BoardError> = []

  add(path: string, message: string): undefined {
    if (this.list.length < FAULTS_MAX) this.list.push({ path, message })
  }
}

export type Members = Readonly<Record<string, unknown>>

/** An object with exactly these keys; reports the missing and the unknown ones. */
export const readObject = (faults: Faults, path: string, value: unknown, keys: ReadonlyArray<string>): Members | undefined => {
  if (value === undefined) return undefined
  if (typeof value !== "object" || value === null || Array.isArray(value)) return faults.add(path, "must be an object")
  for (const key of keys) {
    if (!Object.hasOwn(value, key)) faults.add(under(path, key), "is required")
  }
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) faults.add(under(path, key.slice(0, 64)), "is not a known key")
  }
  return value as Members
}

export const readInteger = (faults: Faults, path: string, value: unknown, min: number, max: number): number | undefined => {
  if (value === undefined) return undefined
  if (!Number.isInteger(value)) return faults.add(path, "must be a whole number")
  const integer = value as number
  if (integer < min || integer > max) return faults.add(path, `must be from ${min} to ${max}, not ${integer}`)
  // Adding 0 turns a -0 into the 0 that canonical JSON prints.
  return integer + 0
}

export const readBoolean = (faults: Faults, path: string, value: unknown): boolean | undefined => {
  if (value === undefined || typeof value === "boolean") return value
  return faults.add(path, "must be true or false")
}

/** A string that `allowed` matches from end to end; `what` completes the sentence "must be ...". */
export const readString = (faults: Faults, path: string, value: unknown, allowed: RegExp, what: string): string | undefined => {
  if (value === undefined) return undefined
  if (typeof value === "string" && allowed.test(value)) return value
  return faults.add(path, `must be ${what}`)
}

export const readArray = (faults: Faults, path: string, value: unknown, length_max: number): ReadonlyArray<unknown> | undefined => {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) return faults.add(path, "must be an array")
  if (value.length > length_max) return faults.add(path, `must have at most ${length_max} entries, not ${value.length}`)
  return value
}

/** A slug of at most 64 characters, as map ids and game names are. */
export const readSlug = (faults: Faults, path: string, value: unknown): string | undefined =>
  readString(
    faults,
    path,
    value,
    /^(?=.{1,64}$)[a-z0-9](?:-?[a-z0-9])*$/,
    "a slug of at most 64 characters (a-z, 0-9, single hyphens between)"
  )

/**
 * Cells `[row, col]` as cell numbers, in the file's order; -1 stands for a faulty one, so that indexes match the file.
 * Undefined if the value is not a list.
 */
export const readCells = (faults: Faults, path: string, value: unknown, rows: number, cols: number): ReadonlyArray<number> | undefined => {
  const entries = readArray(faults, path, value, rows * cols)
  if (entries === undefined) return undefined
  const seen = new Map<number, number>()
  return entries.map((entry, index) => {
    const at = `${path}[${index}]`
    const cell = readCell(faults, at, entry, rows, cols)
    if (cell < 0) return -1
    const first = seen.get(cell)
    if (first === undefined) {
      seen.set(cell, index)
      return cell
    }
    faults.add(at, `is the same cell as ${path}[${first}]`)
    return -1
  })
}

const readCell = (faults: Faults, path: string, value: unknown, rows: number, cols: number): number => {
  if (!Array.isArray(value) || value.length !== 2 || !Number.isInteger(value[0]) || !Number.isInteger(value[1])) {
    faults.add(path, "must be a cell [row, col] of two whole numbers")
    return -1
  }
  const [row, col] = value as [number, number]
  if (row < 0 || row >= rows || col < 0 || col >= cols) {
    faults.add(path, `lies off the board of ${rows} rows and ${cols} columns`)
    return -1
  }
  return row * cols + col
}

export const under = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`)
