/**
 * The bytes of a JSON text while it is written. One buffer serves the whole process: a text is written from its start without a pause
 * and then copied out, so no two are ever in it. Each function takes the place to write at and gives the place behind what it wrote; the
 * buffer grows as needed, and is small again after a text of over a MiB. The text is the one that `JSON.stringify` writes.
 */

const START_BYTES = 65_536
const KEPT_BYTES = 1_048_576
/** A number takes at most 25: `-1.2345678901234567e-308`. */
const NUMBER_BYTES = 32
/** In a longer string, the loop over its characters costs more than a call of V8's own functions. */
const LOOPED_CHARACTERS = 256
/** V8 computes faster with integers of 31 bits. */
const SMALL_INTEGER = 1e9
const HUNDREDTHS = 100

let buffer = Buffer.allocUnsafeSlow(START_BYTES)
let view = new DataView(buffer.buffer)
let size = START_BYTES
/** Whether all characters so far are one byte each. */
let ascii = true

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const DOT = 0x2e
const MINUS = 0x2d
const ZERO = 0x30

const grow = (end: number) => {
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * size, end))
  buffer.copy(larger)
  use(larger)
}

const use = (next: typeof buffer) => {
  buffer = next
  view = new DataView(next.buffer)
  size = next.length
}

/** The text of what `write` writes, or undefined where that is negative. */
export const textOf = (write: (at: number) => number): string | undefined => {
  ascii = true
  const end = write(0)
  const text = end < 0 ? undefined : buffer.toString(ascii ? "latin1" : "utf8", 0, end)
  if (size > KEPT_BYTES) use(Buffer.allocUnsafeSlow(START_BYTES))
  return text
}

/** Text that is the same in every answer, as words of four bytes; the last may be longer than the text. */
export interface Piece {
  readonly words: Uint32Array
  readonly length: number
}

export const pieceOf = (text: string): Piece => {
  const bytes = Buffer.from(text)
  const padded = Buffer.concat([bytes, Buffer.alloc(4)])
  return { length: bytes.length, words: Uint32Array.from({ length: Math.ceil(bytes.length / 4) }, (_, i) => padded.readUInt32LE(4 * i)) }
}

export const putPiece = ({ length, words }: Piece, at: number): number => {
  const count = words.length
  if (at + 4 * count > size) grow(at + 4 * count)
  for (let i = 0; i < count; i++) view.setUint32(at + 4 * i, words[i]!, true)
  return at + length
}

export const putComma = (at: number): number => {
  if (at >= size) grow(at + 1)
  buffer[at] = COMMA
  return at + 1
}

/**
 * Ends an object or a list that began at `from`, each of whose members has a comma before it: the first comma becomes the opening bracket.
 */
export const putBrackets = (open: number, close: number, from: number, at: number): number => {
  const end = at === from ? at + 1 : at
  if (end >= size) grow(end + 1)
  buffer[from] = open
  buffer[end] = close
  return end + 1
}

export const putString = (text: string, at: number): number => {
  const { length } = text
  if (length > LOOPED_CHARACTERS) return putQuoted(text, at)
  if (at + length + 2 > size) grow(at + length + 2)
  const into = buffer
  let p = at
  into[p++] = QUOTE
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code > 0x7e || code === QUOTE || code === BACKSLASH) return putQuoted(text, at)
    into[p++] = code
  }
  into[p] = QUOTE
  return p + 1
}

const putQuoted = (text: string, at: number) => putText(JSON.stringify(text), at)

/** Text that is JSON already. */
export const putText = (text: string, at: number): number => {
  const most = at + 3 * text.length // a UTF-16 unit takes up to three bytes of UTF-8
  if (most > size) grow(most)
  const written = buffer.write(text, at)
  if (written !== text.length) ascii = false
  return at + written
}

/** A finite number. Those of up to two decimals, as ratings are, are written by their digits, which are the shortest form there is. */
export const putNumber = (value: number, at: number): number => {
  if (at + NUMBER_BYTES > size) grow(at + NUMBER_BYTES)
  const magnitude = Math.abs(value)
  if (magnitude >= SMALL_INTEGER / HUNDREDTHS && !(magnitude < SMALL_INTEGER && Number.isInteger(value))) return putText(String(value), at)
  let p = at
  if (value < 0) buffer[p++] = MINUS
  const whole = Math.floor(magnitude)
  if (whole === magnitude) return putDigits(whole, p)
  const hundredths = Math.round(magnitude * HUNDREDTHS)
  // Fewer than 16 digits: the number nearest to these hundredths is this one, and no shorter digits have it as their nearest.
  if (hundredths / HUNDREDTHS !== magnitude) return putText(String(value), at)
  p = putDigits(whole, p)
  const rest = hundredths - whole * HUNDREDTHS
  const digits = FOUR_DIGITS[rest]! >>> 16
  buffer[p] = DOT
  view.setUint16(p + 1, digits, true)
  return digits >>> 8 === ZERO ? p + 2 : p + 3
}

/** The four digits of each number below 10,000, as a word whose first byte is the first digit. */
const FOUR_DIGITS = Uint32Array.from({ length: 10_000 }, (_, value) => Buffer.from(String(value).padStart(4, "0")).readUInt32LE())

/** Writes a whole number below `SMALL_INTEGER`; the bytes behind the place that is given back may have changed. */
const putDigits = (value: number, at: number): number => {
  if (value >= 10_000) {
    const upper = (value / 10_000) | 0
    const middle = putDigits(upper, at)
    view.setUint32(middle, FOUR_DIGITS[value - upper * 10_000]!, true)
    return middle + 4
  }
  const length = value < 10 ? 1 : value < 100 ? 2 : value < 1_000 ? 3 : 4
  view.setUint32(at, FOUR_DIGITS[value]! >>> (8 * (4 - length)), true)
  return at + length
}
