/**
 * The constants of a model: where their data are, whether the data match the declared size,
 * and how many numbers they hold.
 */

import { type AttributeProto, DataLocation, type GraphProto, type ModelProto, type TensorProto } from "@agon/onnx/Model.ts"
import { quote, type Rejected, reject } from "../Verdict.ts"
import { ELEMENT_BYTES, spellType } from "./elementTypes.ts"
import { firstTwice } from "./firstTwice.ts"

const RANK_MAX = 16

interface Part {
  readonly tensor: TensorProto
  readonly where: string
}

/** Every tensor of the file: initializers, sparse ones, attributes, and those in subgraphs. */
function* tensorsOf(graph: GraphProto | undefined, depth = 0): Generator<Part> {
  if (graph === undefined || depth > 32) return
  for (const tensor of graph.initializer) yield { tensor, where: `initializer ${quote(tensor.name)}` }
  for (const sparse of graph.sparseInitializer)
    for (const tensor of [sparse.values, sparse.indices]) if (tensor !== undefined) yield { tensor, where: "a sparse initializer" }
  for (const node of graph.node)
    for (const attribute of node.attribute) {
      yield* attributeTensors(attribute, `attribute ${quote(attribute.name)} of ${quote(node.opType)}`)
      for (const inner of attribute.g === undefined ? attribute.graphs : [attribute.g, ...attribute.graphs])
        yield* tensorsOf(inner, depth + 1)
    }
}

function* attributeTensors(attribute: AttributeProto, where: string): Generator<Part> {
  if (attribute.t !== undefined) yield { tensor: attribute.t, where }
  for (const tensor of attribute.tensors) yield { tensor, where }
  const sparse = attribute.sparseTensor === undefined ? attribute.sparseTensors : [attribute.sparseTensor, ...attribute.sparseTensors]
  for (const { values, indices } of sparse) for (const tensor of [values, indices]) if (tensor !== undefined) yield { tensor, where }
}

const graphsOf = (model: ModelProto): ReadonlyArray<GraphProto | undefined> => [
  model.graph,
  ...model.trainingInfo.flatMap((training) => [training.initialization, training.algorithm])
]

export const checkExternalData = (model: ModelProto): Rejected | null => {
  const inFunctions = model.functions.flatMap((one) => one.node.flatMap((node) => node.attribute))
  const parts = [
    ...graphsOf(model).flatMap((graph) => [...tensorsOf(graph)]),
    ...inFunctions.flatMap((one) => [...attributeTensors(one, "a function")])
  ]
  for (const { tensor, where } of parts) {
    if (tensor.dataLocation !== DataLocation.DEFAULT || tensor.externalData.length > 0)
      return reject("external_data", `The data of ${where} is outside the weights file; save the model as one file.`)
  }
  return null
}

/** Number of elements by the dimensions, or null if it is negative, absurd or too large for any file. */
const elementsOf = (dims: ReadonlyArray<bigint>): number | null => {
  if (dims.length > RANK_MAX) return null
  let product = 1n
  for (const dim of dims) {
    if (dim < 0n) return null
    product *= dim
    if (product > 0xffff_ffffn) return null
  }
  return Number(product)
}

/** Number of elements in the tensor's data. int32_data also carries the types narrower than int32. */
const held = (tensor: TensorProto, bytes: number): number => {
  if (tensor.rawData.length > 0) return tensor.rawData.length / bytes
  const lists = [tensor.floatData, tensor.int32Data, tensor.int64Data, tensor.doubleData, tensor.uint64Data]
  return lists.reduce((sum, list) => sum + list.length, 0)
}

const faultOf = (tensor: TensorProto): string | null => {
  const bytes = ELEMENT_BYTES[tensor.dataType]
  const elements = elementsOf(tensor.dims)
  if (elements === null) return "has negative or impossible dimensions"
  if (tensor.segment !== undefined) return "is stored in segments"
  if (bytes === undefined) return null
  return held(tensor, bytes) === elements ? null : `claims ${elements} elements and holds ${held(tensor, bytes)}`
}

/**
 * A name that two values have. Of two initializers the runtime takes the last, where other readers take the first; of a Constant
 * and an initializer it takes the Constant. So a check might read another number than the model runs with.
 */
const nameTwice = ({ initializer, input, node }: GraphProto): string | undefined => {
  const stored = initializer.map(({ name }) => name)
  const made = node.flatMap(({ output }) => output.filter((name) => name !== ""))
  const outputs = new Set(made) // an input may be an initializer too, which is its default
  return firstTwice([...stored, ...made]) ?? input.find(({ name }) => outputs.has(name))?.name
}

export const checkTensors = (graph: GraphProto): Rejected | null => {
  const twice = nameTwice(graph)
  if (twice !== undefined) return reject("weights_unreadable", `Two values have the name ${quote(twice)}; give each its own.`)
  for (const { tensor, where } of tensorsOf(graph)) {
    const fault = faultOf(tensor)
    if (fault !== null) return reject("weights_unreadable", `The tensor in ${where} ${fault}; export the model again.`)
    if (ELEMENT_BYTES[tensor.dataType] === undefined)
      return reject("unsupported_operator", `The tensor in ${where} has the ${spellType(tensor.dataType)}.`)
  }
  return null
}

/** `param_count`: elements of initializers and of constants in the graph. */
export const countParameters = (graph: GraphProto): number => {
  let count = 0
  for (const { tensor } of tensorsOf(graph)) count += elementsOf(tensor.dims) ?? 0
  for (const node of graph.node)
    if (node.opType === "Constant")
      for (const { name, floats, ints } of node.attribute)
        count +=
          name === "value_float" || name === "value_int"
            ? 1
            : name === "value_floats" || name === "value_ints"
              ? floats.length + ints.length
              : 0
  return count
}
