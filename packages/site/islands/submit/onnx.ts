/**
 * Whether a file is an ONNX model at all, by its outermost layer alone: a protocol buffer is a row of fields, each a number and a wire
 * type, and here those of `ModelProto`. Only the beginning of each field is read, so that a large file takes no longer than a small one.
 * The service looks at all of it.
 */

const [VARINT, FIXED_64, BYTES, FIXED_32] = [0, 1, 2, 5] as const
/** Wire types of the fields that `ModelProto` has; a field of another number is one of a later format. */
const KNOWN: ReadonlyMap<number, number> = new Map([
  ...[1, 5].map((number) => [number, VARINT] as const),
  ...[2, 3, 4, 6, 7, 8, 14, 20, 25, 26].map((number) => [number, BYTES] as const)
])
const GRAPH = 7
/** A model has a dozen, besides a field for each of its functions and notes. */
const FIELDS_MAX = 2_000
/** The field's number and wire type, then its length, in at most ten bytes each. */
const HEAD_BYTES = 20

/**
 * The number at `at` and where it ends; undefined where it does not end. Numbers beyond 53 bits are no lengths, and lose their last digits.
 */
const varintAt = (bytes: Uint8Array, at: number): readonly [value: number, end: number] | undefined => {
  let value = 0
  for (let i = 0; i < 10 && at + i < bytes.length; i++) {
    value += (bytes[at + i]! & 0x7f) * 2 ** (7 * i)
    if (bytes[at + i]! < 0x80) return [value, at + i + 1]
  }
  return undefined
}

interface Field {
  readonly number: number
  /** Bytes from its beginning to the next. */
  readonly size: number
}

/** The field at the beginning of `head`; undefined where no field of a model begins so. */
const fieldOf = (head: Uint8Array): Field | undefined => {
  const tag = varintAt(head, 0)
  if (tag === undefined) return undefined
  const [number, wire] = [Math.floor(tag[0] / 8), tag[0] % 8]
  if (number === 0 || (KNOWN.get(number) ?? wire) !== wire) return undefined
  if (wire === FIXED_64 || wire === FIXED_32) return { number, size: tag[1] + (wire === FIXED_64 ? 8 : 4) }
  const value = wire === VARINT || wire === BYTES ? varintAt(head, tag[1]) : undefined
  return value === undefined ? undefined : { number, size: value[1] + (wire === BYTES ? value[0] : 0) }
}

/** A sentence that says what to do, or undefined. */
export const onnxFault = async (file: File): Promise<string | undefined> => {
  const none = `${file.name} is no ONNX model. Choose the weights as an ONNX file: a framework's own file (.pt, .keras, .safetensors) is exported first.`
  let hasGraph = false
  let fields = 0
  for (let at = 0; at < file.size && fields < FIELDS_MAX; fields++) {
    const field = fieldOf(new Uint8Array(await file.slice(at, at + HEAD_BYTES).arrayBuffer()))
    if (field === undefined) return none
    hasGraph ||= field.number === GRAPH
    at += field.size
    if (at > file.size) return hasGraph ? `${file.name} is cut off: its end is missing. Export or copy it once more.` : none
  }
  return hasGraph || fields === FIELDS_MAX ? undefined : none
}
