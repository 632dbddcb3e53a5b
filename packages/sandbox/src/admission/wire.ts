/**
 * Walks a model file's protobuf records before anything is built from them. A decoder makes an object
 * per message, so ten megabytes of empty messages would cost gigabytes; the walk copies nothing,
 * recurses nowhere and stops at its first limit. It knows which fields of ONNX hold messages and
 * steps over every other as bytes.
 *
 * It also refuses encodings that two readers may understand differently (a second graph or type where one
 * belongs, groups, a field that our decoder reads in another wire type than its own), since our decoder
 * examines the file and ONNX Runtime runs it.
 */
import { type FieldWire, type MessageWire, modelWire } from "@agon/onnx/wireTypes.ts"

export const WIRE_LIMITS = { messages: 20_000, depth: 32, records: 1_000_000, numbers: 16_777_216 } as const

type MessageName =
  | "Model"
  | "Training"
  | "Function"
  | "Graph"
  | "Node"
  | "Attribute"
  | "Tensor"
  | "Sparse"
  | "Value"
  | "Type"
  | "TypeTensor"
  | "TypeElement"
  | "TypeMap"
  | "Shape"
  | "Leaf"

/** Fields that hold messages, by number; `one` marks fields that may occur once per message. */
const FIELDS: Readonly<Record<MessageName, Readonly<Record<number, { readonly kind: MessageName; readonly one?: true }>>>> = {
  Model: {
    7: { kind: "Graph", one: true },
    8: { kind: "Leaf" },
    14: { kind: "Leaf" },
    20: { kind: "Training" },
    25: { kind: "Function" },
    26: { kind: "Leaf" }
  },
  Training: { 1: { kind: "Graph", one: true }, 2: { kind: "Graph", one: true }, 3: { kind: "Leaf" }, 4: { kind: "Leaf" } },
  Function: { 7: { kind: "Node" }, 9: { kind: "Leaf" }, 11: { kind: "Attribute" }, 12: { kind: "Value" }, 14: { kind: "Leaf" } },
  Graph: {
    1: { kind: "Node" },
    5: { kind: "Tensor" },
    11: { kind: "Value" },
    12: { kind: "Value" },
    13: { kind: "Value" },
    14: { kind: "Leaf" },
    15: { kind: "Sparse" },
    16: { kind: "Leaf" }
  },
  Node: { 5: { kind: "Attribute" }, 9: { kind: "Leaf" }, 10: { kind: "Leaf" } },
  Attribute: {
    5: { kind: "Tensor", one: true },
    6: { kind: "Graph", one: true },
    10: { kind: "Tensor" },
    11: { kind: "Graph" },
    14: { kind: "Type", one: true },
    15: { kind: "Type" },
    22: { kind: "Sparse", one: true },
    23: { kind: "Sparse" }
  },
  Tensor: { 3: { kind: "Leaf", one: true }, 13: { kind: "Leaf" }, 16: { kind: "Leaf" } },
  Sparse: { 1: { kind: "Tensor", one: true }, 2: { kind: "Tensor", one: true } },
  Value: { 2: { kind: "Type", one: true }, 4: { kind: "Leaf" } },
  Type: {
    1: { kind: "TypeTensor", one: true },
    4: { kind: "TypeElement", one: true },
    5: { kind: "TypeMap", one: true },
    7: { kind: "Leaf", one: true },
    8: { kind: "TypeTensor", one: true },
    9: { kind: "TypeElement", one: true }
  },
  TypeTensor: { 2: { kind: "Shape", one: true } },
  TypeElement: { 1: { kind: "Type", one: true } },
  TypeMap: { 2: { kind: "Type", one: true } },
  Shape: { 1: { kind: "Leaf" } },
  Leaf: {}
}

/**
 * Packed lists of 64-bit numbers by their fields: dimensions, int64_data, uint64_data, ints, dimensions of a
 * sparse tensor. One byte may become a number of 32 bytes, so each counts as a record.
 */
const WIDE: Partial<Readonly<Record<MessageName, ReadonlyArray<number>>>> = { Tensor: [1, 7, 11], Attribute: [8], Sparse: [3] }

/**
 * Packed lists of other numbers by their fields, with the fewest bytes that one takes: float_data,
 * int32_data, double_data, floats. The decoder makes a list of 8 bytes a number and copies it as it grows: 60
 * million exhausted the process, which is no verdict.
 */
const NARROW: Partial<Readonly<Record<MessageName, Readonly<Record<number, number>>>>> = {
  Tensor: { 4: 4, 5: 1, 10: 8 },
  Attribute: { 7: 4 }
}

export type WireCheck = { readonly ok: true; readonly messages: number } | { readonly ok: false; readonly message: string }

const refuse = (message: string): WireCheck => ({ ok: false, message })

/** -1 for a varint without an end. Values above 2^53 lose their low bits; no valid length or tag is that large. */
class Cursor {
  readonly bytes: Uint8Array
  at = 0
  /** Bytes of packed lists of 64-bit numbers stepped over. */
  packed = 0
  /** Numbers of the other packed lists, at most. */
  numbers = 0
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
  varint(end: number): number {
    let value = 0
    let scale = 1
    for (let i = 0; i < 10; i++) {
      if (this.at >= end) return -1
      const byte = this.bytes[this.at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
    return -1
  }
}

interface Frame {
  readonly kind: MessageName
  /** The fields that our decoder reads of it; undefined where it reads none. */
  readonly read: MessageWire | undefined
  readonly end: number
  seen: number
}

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

const isOwn = (wire: number, read: FieldWire | undefined): boolean =>
  read === undefined || wire === read.wire || (read.packs && wire === WIRE.bytes)

/** Steps over one record; answers the embedded message's frame, null for a plain record, or its fault. */
const record = (cursor: Cursor, frame: Frame): Frame | null | string => {
  const start = cursor.at
  const tag = cursor.varint(frame.end)
  const field = Math.floor(tag / 8)
  if (tag < 0 || tag > 0xffff_ffff || field === 0) return `has a malformed field tag at byte ${start}`
  const wire = tag % 8
  const known = FIELDS[frame.kind][field]
  const read = frame.read?.get(field)
  if ((known !== undefined && wire !== WIRE.bytes) || !isOwn(wire, read))
    return `has field ${field} of the wrong wire type at byte ${start}`
  if (wire === WIRE.varint) {
    const value = cursor.varint(frame.end)
    if (value < 0) return `ends inside a number at byte ${start}`
    return read?.values?.has(value) === false ? `has a value that field ${field} does not take at byte ${start}` : null
  }
  if (wire === WIRE.bytes) {
    const length = cursor.varint(frame.end)
    if (length < 0 || length > frame.end - cursor.at) return `has a length that runs past its end at byte ${start}`
    if (known === undefined) {
      if (WIDE[frame.kind]?.includes(field)) cursor.packed += length
      cursor.numbers += Math.floor(length / (NARROW[frame.kind]?.[field] ?? Number.POSITIVE_INFINITY))
      cursor.at += length
      return null
    }
    if (known.one && frame.seen & (1 << field)) return `has two values of a single field at byte ${start}`
    if (known.one) frame.seen |= 1 << field
    return { kind: known.kind, read: read?.message, end: cursor.at + length, seen: 0 }
  }
  if (wire !== WIRE.fixed64 && wire !== WIRE.fixed32) return `has an unknown wire type at byte ${start}`
  cursor.at += wire === WIRE.fixed64 ? 8 : 4
  return cursor.at > frame.end ? `ends inside a number at byte ${start}` : null
}

const startsWith = (bytes: Uint8Array, text: string, at = 0): boolean =>
  bytes.length >= at + text.length && Array.from(text, (_, i) => bytes[at + i] === text.charCodeAt(i)).every(Boolean)

/** The kind of a file that is sent in place of a model, by how it begins. Asked of files alone that are no readable model. */
const mistaken = (bytes: Uint8Array): string | null => {
  if (startsWith(bytes, "PK\u0003\u0004")) return "is a zip archive, as torch.save writes; export the network to ONNX"
  if (startsWith(bytes, "version https://git-lfs")) return "is a pointer of Git LFS; fetch the file itself by git lfs pull"
  if (startsWith(bytes, "\u0089HDF")) return "is an HDF5 file, as Keras saves; export the network to ONNX"
  if (startsWith(bytes, '{"', 8)) return "is a safetensors file; export the network to ONNX"
  return startsWith(bytes, "{") ? "is JSON; name the model first and the manifest behind it" : null
}

export const scanWire = (bytes: Uint8Array): WireCheck => {
  if (bytes.length === 0) return refuse("The weights file is empty.")
  const cursor = new Cursor(bytes)
  const stack: Array<Frame> = [{ kind: "Model", read: modelWire, end: bytes.length, seen: 0 }]
  let messages = 1
  let records = 0
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]!
    if (cursor.at === frame.end) {
      stack.pop()
      continue
    }
    const next = record(cursor, frame)
    if (++records + cursor.packed > WIRE_LIMITS.records)
      return refuse(`The weights file has more than ${WIRE_LIMITS.records} records; store weights as raw_data.`)
    if (cursor.numbers > WIRE_LIMITS.numbers)
      return refuse(`The weights file has more than ${WIRE_LIMITS.numbers} numbers outside raw_data; store weights as raw_data.`)
    if (typeof next === "string") return refuse(`The weights file ${mistaken(bytes) ?? `is not a readable ONNX model: it ${next}`}.`)
    if (next === null) continue
    if (++messages > WIRE_LIMITS.messages)
      return refuse(`The weights file has more than ${WIRE_LIMITS.messages} messages; simplify the graph or merge its nodes.`)
    if (stack.length >= WIRE_LIMITS.depth) return refuse(`The weights file nests messages deeper than ${WIRE_LIMITS.depth} levels.`)
    stack.push(next)
  }
  return { ok: true, messages }
}
