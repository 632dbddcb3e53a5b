/**
 * ONNX model files as values. The code in `generated/` is made from `proto/model.proto`, which holds the
 * field numbers that ONNX publishes and only the messages that Agon reads or writes;
 * `npm run generate -w packages/onnx` regenerates it.
 *
 * Decoding copies no weights: every `bytes` field (`rawData` above all) is a view into the given buffer,
 * which therefore has to stay as it is while the model is in use. Fields unknown to us are kept in
 * `$unknown` and written back.
 */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import { type ModelProto, ModelProtoSchema } from "./generated/model_pb.ts"

export {
  type AttributeProto,
  AttributeProto_AttributeType as AttributeType,
  type GraphProto,
  type ModelProto,
  type NodeProto,
  type TensorProto,
  TensorProto_DataLocation as DataLocation,
  type ValueInfoProto
} from "./generated/model_pb.ts"

/** The input of `encodeModel`: every field optional, messages as plain objects. */
export type ModelInit = MessageInitShape<typeof ModelProtoSchema>

/**
 * Throws on malformed bytes. Never reads outside `bytes`. Bound depth and count of messages before
 * calling this on untrusted files.
 */
export const decodeModel = (bytes: Uint8Array): ModelProto => fromBinary(ModelProtoSchema, bytes)

/** Fields are written in the order of their numbers, so equal models give equal bytes. */
export const encodeModel = (model: ModelInit): Uint8Array<ArrayBuffer> => toBinary(ModelProtoSchema, create(ModelProtoSchema, model))
