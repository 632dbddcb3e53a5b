/**
 * Makes bad files out of good ones, to fuzz the reader. Half of the changes ignore the format. The
 * other half keep records and lengths valid, so that the fault is found only after the wire scan. The
 * same seed makes the same files.
 */
import { Mulberry32 } from "@agon/engine/Mulberry32.ts"

/** Numbers that often break readers, as varints. */
const EXTREMES: ReadonlyArray<bigint> = [
  0n,
  1n,
  127n,
  128n,
  0x7fff_ffffn,
  0xffff_ffffn,
  1n << 40n,
  (1n << 63n) - 1n,
  1n << 63n,
  (1n << 64n) - 1n
]

const varint = (value: bigint): ReadonlyArray<number> => {
  const bytes: Array<number> = []
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)]
    bytes.push(Number(rest & 127n) | 128)
  }
}

interface Field {
  readonly number: number
  readonly wire: number
  /** The content of a bytes field, otherwise the record's value as encoded in the file. */
  readonly body: Uint8Array
}

const readVarint = (bytes: Uint8Array, at: number): readonly [value: number, next: number] | null => {
  let value = 0
  for (let i = 0; i < 8 && at + i < bytes.length; i++) {
    value += (bytes[at + i]! & 127) * 2 ** (7 * i)
    if (bytes[at + i]! < 128) return [value, at + i + 1]
  }
  return null
}

/** The records of a message, or null if the bytes are not a message. */
const fieldsOf = (bytes: Uint8Array): Array<Field> | null => {
  const fields: Array<Field> = []
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at)
    if (tag === null || tag[0] < 8) return null
    const [number, wire] = [Math.floor(tag[0] / 8), tag[0] % 8]
    const length = wire === 2 ? readVarint(bytes, tag[1]) : null
    const from = length?.[1] ?? tag[1]
    const to =
      wire === 2
        ? from + (length?.[0] ?? Number.NaN)
        : wire === 0
          ? (readVarint(bytes, from)?.[1] ?? Number.NaN)
          : from + (wire === 1 ? 8 : 4)
    if (!(to <= bytes.length) || wire === 3 || wire === 4 || wire > 5) return null
    fields.push({ number, wire, body: bytes.subarray(from, to) })
    at = to
  }
  return fields
}

const write = (fields: ReadonlyArray<Field>): Uint8Array =>
  Buffer.concat(
    fields.flatMap(({ number, wire, body }) => [
      Uint8Array.from([...varint(BigInt(number * 8 + wire)), ...(wire === 2 ? varint(BigInt(body.length)) : [])]),
      body
    ])
  )

export class Mutator {
  readonly #random: Mulberry32
  readonly #corpus: ReadonlyArray<Uint8Array>

  constructor(seed: number, corpus: ReadonlyArray<Uint8Array>) {
    this.#random = new Mulberry32(seed)
    this.#corpus = corpus
  }

  /** The next bad file: one of the corpus with one to four changes. */
  next(): Uint8Array {
    let bytes = this.#pick(this.#corpus).slice()
    const changes = 1 + this.#below(4)
    for (let i = 0; i < changes; i++) bytes = (this.#below(2) === 0 ? this.#spoil(bytes) : this.#rewrite(bytes, 0)).slice()
    return bytes
  }

  #below(limit: number): number {
    return this.#random.below(Math.max(1, limit))
  }
  #pick<A>(all: ReadonlyArray<A>): A {
    return all[this.#below(all.length)]!
  }

  #spoil(bytes: Uint8Array): Uint8Array {
    const at = this.#below(bytes.length)
    const to = Math.min(bytes.length, at + 1 + this.#below(64))
    switch (this.#below(7)) {
      case 0:
        if (bytes.length > 0) bytes[at]! ^= 1 << this.#below(8)
        return bytes
      case 1:
        return bytes.fill(this.#pick([0, 1, 0x7f, 0x80, 0xff]), at, to)
      case 2:
        return bytes.subarray(0, at)
      case 3:
        return Buffer.concat([bytes.subarray(0, at), bytes.subarray(to)])
      case 4:
        return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)])
      case 5:
        return Buffer.concat([bytes.subarray(0, at), Uint8Array.from(varint(this.#pick(EXTREMES))), bytes.subarray(at + 1)])
      default: {
        const other = this.#pick(this.#corpus)
        return Buffer.concat([bytes.subarray(0, at), other.subarray(this.#below(other.length))])
      }
    }
  }

  /** Changes one record, at this level or deeper, and corrects all lengths around it. */
  #rewrite(bytes: Uint8Array, depth: number): Uint8Array {
    const fields = fieldsOf(bytes)
    if (fields === null || fields.length === 0) return this.#spoil(bytes)
    const at = this.#below(fields.length)
    const field = fields[at]!
    if (field.wire === 2 && depth < 12 && this.#below(4) > 0) fields[at] = { ...field, body: this.#rewrite(field.body.slice(), depth + 1) }
    else fields.splice(at, 1, ...this.#replaced(field, fields))
    return write(fields)
  }

  #replaced(field: Field, beside: ReadonlyArray<Field>): ReadonlyArray<Field> {
    switch (this.#below(6)) {
      case 0:
        return []
      case 1:
        return [field, field]
      case 2:
        return [field, this.#pick(beside)]
      case 3:
        return [{ ...field, number: 1 + this.#below(30) }]
      case 4:
        return [{ number: field.number, wire: 0, body: Uint8Array.from(varint(this.#pick(EXTREMES))) }]
      default:
        return [{ ...field, body: field.wire === 2 ? this.#spoil(field.body.slice()) : Uint8Array.from(varint(this.#pick(EXTREMES))) }]
    }
  }
}
