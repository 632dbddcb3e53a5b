/**
 * How a model file's fields come in its bytes, by the schema that `decodeModel` reads with. The decoder takes a field by its
 * number and reads on whatever its wire type, where ONNX Runtime steps over a field of another wire type as unknown. So a file
 * whose fields do not come as here may be two models: one that is examined and one that is run.
 */

import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf"
import { WireType } from "@bufbuild/protobuf/wire"
import { ModelProtoSchema } from "./generated/model_pb.ts"

export interface FieldWire {
  readonly wire: WireType
  /** A list of numbers, which may also come as bytes that hold them all. */
  readonly packs: boolean
  /** Numbers that an enum has; others are unknown to ONNX Runtime, which keeps the value before, and known to the decoder. */
  readonly values: ReadonlySet<number> | undefined
  /** Of a field that holds messages. */
  readonly message: MessageWire | undefined
}

/** By field number. */
export type MessageWire = ReadonlyMap<number, FieldWire>

const wireOf = (scalar: ScalarType): WireType => {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32
    default:
      return WireType.Varint
  }
}

const made = new Map<DescMessage, Map<number, FieldWire>>()

const fieldOf = (field: DescField): FieldWire => {
  const wire = field.scalar !== undefined ? wireOf(field.scalar) : field.enum !== undefined ? WireType.Varint : WireType.LengthDelimited
  return {
    wire,
    packs: field.fieldKind === "list" && wire !== WireType.LengthDelimited,
    values: field.enum === undefined ? undefined : new Set(field.enum.values.map(({ number }) => number)),
    message: field.message === undefined ? undefined : messageOf(field.message)
  }
}

/** Messages of ONNX hold each other: a table is kept before it is filled. */
const messageOf = (message: DescMessage): MessageWire => {
  const kept = made.get(message)
  if (kept !== undefined) return kept
  const fields = new Map<number, FieldWire>()
  made.set(message, fields)
  for (const field of message.fields) fields.set(field.number, fieldOf(field))
  return fields
}

export const modelWire: MessageWire = messageOf(ModelProtoSchema)
