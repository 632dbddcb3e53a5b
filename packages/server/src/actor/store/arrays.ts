/**
 * Columns as one-dimensional arrays in Postgres's binary format, written in one pass over the rows. The
 * driver takes an array of values, looks through it for nulls and frames each element by itself, which took a
 * sixth of the service's time of a match.
 *
 *   dimensions i32 | flags i32 | element's oid i32 | length i32, lower bound i32 (unless empty) | of each element: bytes i32 (-1: null), value
 *
 * A value that is the one of the row before is copied: a commit's matches share boards, ladders, engines and runners.
 */
import { type CodecError, decode, encode, makeRegistry, OID, type Parameter, ParameterTypeId, register } from "@effect/sql-pg/PgTypes"
import { Result } from "effect"

export type Element = "int4" | "float8" | "bool" | "uuid" | "text" | "bytea"

/** An encoded array. Its bytes never change. */
class Packed {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

const ARRAYS = {
  int4: OID.int4Array,
  float8: OID.float8Array,
  bool: OID.boolArray,
  uuid: OID.uuidArray,
  text: OID.textArray,
  bytea: OID.byteaArray
}
const HEADER_BYTES = 20
const UUID_BYTES = 16
const UUID_CHARACTERS = 36

/** Arrays lie one after the other in pieces of memory of this size, which no array outgrows without one of its own. */
const PIECE_BYTES = 262_144
let piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
let view = new DataView(piece.buffer)
let start = 0
let at = 0

/** Space for so many more bytes; the bytes of this array so far move along. */
const reserve = (bytes: number): void => {
  if (at + bytes <= piece.length) return
  const next = Buffer.allocUnsafeSlow(Math.max(PIECE_BYTES, 2 * (at - start + bytes)))
  piece.copy(next, 0, start, at)
  piece = next
  view = new DataView(next.buffer)
  at -= start
  start = 0
}

/** By the code of a hexadecimal digit; -1 for any other. */
const DIGITS = new Int8Array(128).fill(-1)
for (let i = 0; i < 16; i++) {
  DIGITS[i.toString(16).charCodeAt(0)] = i
  DIGITS[i.toString(16).toUpperCase().charCodeAt(0)] = i
}
/** Where in its text each byte of a UUID is. */
const PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
const HYPHENS = [8, 13, 18, 23]
const HYPHEN = 45

/** Writes the bytes of a UUID in its usual text; throws on any other text. */
export const writeUuid = (bytes: Uint8Array, to: number, text: string): void => {
  let valid = text.length === UUID_CHARACTERS ? 0 : -1
  for (let i = 0; i < HYPHENS.length; i++) if (text.charCodeAt(HYPHENS[i]!) !== HYPHEN) valid = -1
  for (let i = 0; i < UUID_BYTES; i++) {
    const place = PLACES[i]!
    const a = text.charCodeAt(place)
    const b = text.charCodeAt(place + 1)
    const high = DIGITS[a & 127]!
    const low = DIGITS[b & 127]!
    valid |= high | low | -((a | b) >> 7) // no digit is above 127
    bytes[to + i] = (high << 4) | low
  }
  if (valid < 0) throw new Error(`no UUID: ${text}`)
}

const int4 = (value: number): void => {
  if ((value | 0) !== value) throw new Error(`no int4: ${value}`)
  view.setInt32(at, 4)
  view.setInt32(at + 4, value)
  at += 8
}
const float8 = (value: number): void => {
  if (typeof value !== "number") throw new Error(`no float8: ${value}`)
  view.setInt32(at, 8)
  view.setFloat64(at + 4, value)
  at += 12
}
const bool = (value: boolean): void => {
  if (typeof value !== "boolean") throw new Error(`no bool: ${value}`)
  view.setInt32(at, 1)
  piece[at + 4] = value ? 1 : 0
  at += 5
}
const uuid = (value: string): void => {
  view.setInt32(at, UUID_BYTES)
  writeUuid(piece, at + 4, value)
  at += 4 + UUID_BYTES
}
const text = (value: string): void => {
  if (typeof value !== "string") throw new Error(`no text: ${value}`)
  reserve(4 + 3 * value.length)
  const written = piece.write(value, at + 4, "utf8")
  view.setInt32(at, written)
  at += 4 + written
}
const bytea = (value: Uint8Array): void => {
  reserve(4 + value.length)
  view.setInt32(at, value.length)
  piece.set(value, at + 4)
  at += 4 + value.length
}

const WRITERS: Readonly<Record<Element, { readonly write: (value: never) => void; readonly bytes: number; readonly oid: number }>> = {
  int4: { write: int4, bytes: 8, oid: OID.int4 },
  float8: { write: float8, bytes: 12, oid: OID.float8 },
  bool: { write: bool, bytes: 5, oid: OID.bool },
  uuid: { write: uuid, bytes: 4 + UUID_BYTES, oid: OID.uuid },
  text: { write: text, bytes: 4, oid: OID.text },
  bytea: { write: bytea, bytes: 4, oid: OID.bytea }
}

/** The column of these rows, as a parameter of its array type. */
export const packed = <A>(type: Element, rows: ReadonlyArray<A>, of: (row: A) => unknown): Parameter => {
  const { bytes, oid, write } = WRITERS[type]
  const count = rows.length
  start = at
  reserve(HEADER_BYTES + bytes * count)
  view.setInt32(at, count === 0 ? 0 : 1)
  view.setInt32(at + 4, 1) // there may be nulls
  view.setInt32(at + 8, oid)
  at += 12
  if (count > 0) {
    view.setInt32(at, count)
    view.setInt32(at + 4, 1)
    at += 8
  }
  let last: unknown
  let from = 0 // of the last text, counted from the array's start
  let length = 0
  for (let i = 0; i < count; i++) {
    const value = of(rows[i]!)
    if (value === null) {
      reserve(4)
      view.setInt32(at, -1)
      at += 4
    } else if (typeof value !== "string") write(value as never)
    else if (value === last) {
      reserve(length)
      piece.copyWithin(at, start + from, start + from + length)
      at += length
    } else {
      from = at - start
      write(value as never)
      length = at - start - from
      last = value
    }
  }
  return { [ParameterTypeId]: ParameterTypeId, oid: ARRAYS[type], value: new Packed(piece.subarray(start, at)) }
}

/** Arrays that are not packed are the driver's. */
const PLAIN = makeRegistry()
for (const oid of Object.values(ARRAYS)) {
  register<unknown>(oid, {
    encode: (value) => (value instanceof Packed ? Result.succeed(value.bytes) : encode(value, oid, PLAIN)),
    decode: (bytes): Result.Result<unknown, CodecError> => decode(bytes, oid, 1, PLAIN)
  })
}
