/**
 * The operators that a model may use: the standard ones that compute a tensor from tensors deterministically.
 * Operators that hold another graph, draw random numbers, handle strings, sequences or optionals, or train
 * are left out, and so are functions defined in the file. It is an allow-list, so operators of later ONNX
 * versions have to be added here.
 */

import { AttributeType, type GraphProto, type ModelProto, type NodeProto } from "@agon/onnx/Model.ts"
import { OPSET } from "../Manifest.ts"
import { quote, type Rejected, reject } from "../Verdict.ts"
import { firstTwice } from "./firstTwice.ts"
import { named } from "./named.ts"

const elementwise = `Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast CastLike Ceil
  Celu Clip Cos Cosh CumSum Div Elu Equal Erf Exp Floor Gelu Greater GreaterOrEqual HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu
  Less LessOrEqual Log Max Mean Min Mish Mod Mul Neg Not Or PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus
  Softsign Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu Where Xor`
const reductions = `ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum
  ReduceSumSquare TopK`
const linear = `Conv ConvInteger ConvTranspose DequantizeLinear DynamicQuantizeLinear Einsum Gemm MatMul MatMulInteger QLinearConv QLinearMatMul
  QuantizeLinear`
const layers = `Attention AveragePool BatchNormalization DepthToSpace Det Dropout GRU GlobalAveragePool GlobalLpPool GlobalMaxPool
  GroupNormalization Hardmax InstanceNormalization LRN LSTM LayerNormalization LogSoftmax LpNormalization LpPool MaxPool
  MeanVarianceNormalization RMSNormalization RNN RotaryEmbedding Softmax SpaceToDepth`
const shapes = `Compress Concat Constant ConstantOfShape Expand EyeLike Flatten Gather GatherElements GatherND GridSample NonZero OneHot Pad
  Range Reshape Resize ReverseSequence ScatterElements ScatterND Shape Size Slice Split Squeeze Tile Transpose Trilu Unsqueeze Upsample`

export const allowedOperators: ReadonlySet<string> = new Set([elementwise, reductions, linear, layers, shapes].join(" ").split(/\s+/))

const isStandard = (domain: string) => domain === "" || domain === "ai.onnx"

/** Exporters list up to ten sets; a file has to load in a bounded time. */
const IMPORTS_MAX = 32

/**
 * Checks the imported operator sets: the standard one in the version of the manifest. Others may be
 * listed, as tf2onnx, skl2onnx, torch.onnx and ONNX Runtime's quantization do for every model; no node may
 * be of them (`checkOperators`).
 */
export const checkDomains = (model: ModelProto, opset: number): Rejected | null => {
  if (model.functions.length > 0) return reject("unsupported_operator", "The model defines functions; export it with functions inlined.")
  if (model.trainingInfo.length > 0)
    return reject("unsupported_operator", "The model carries training information; export it for inference.")
  if (model.opsetImport.length > IMPORTS_MAX)
    return reject(
      "unsupported_operator",
      `The model imports ${model.opsetImport.length} operator sets (opset_import); at most ${IMPORTS_MAX} may be listed.`
    )
  const standard = model.opsetImport.filter((entry) => isStandard(entry.domain))
  if (standard.length !== 1)
    return reject("unsupported_operator", "The model must import the standard operator set exactly once (opset_import).")
  const version = standard[0]!.version
  if (version < BigInt(OPSET.min) || version > BigInt(OPSET.max))
    return reject("unsupported_operator", `The model uses opset ${version}; opsets ${OPSET.min} to ${OPSET.max} are supported.`)
  if (version !== BigInt(opset)) return reject("manifest_invalid", `The manifest says opset ${opset}, the model imports ${version}.`)
  return null
}

/** Advice on how to do without an operator that exporters often write; empty for others. */
const adviceOn = (opType: string): string => {
  if (opType === "If") return "; replace a branch on values by Where, and give squeeze the axes"
  if (opType === "Loop" || opType === "Scan") return "; unroll it, or use an operator that works on the whole tensor"
  if (/^(?:Random|Bernoulli|Multinomial)/.test(opType)) return "; a model draws no random numbers"
  return /^(?:Sequence|SplitToSequence|ConcatFromSequence|Optional)/.test(opType)
    ? "; use Concat and Split on tensors in place of lists"
    : ""
}

const checkNode = (node: NodeProto): string | null => {
  if (!isStandard(node.domain)) return `is of domain ${quote(node.domain)}; only the standard domain is supported`
  if (!allowedOperators.has(node.opType)) return `is not one of the supported operators${adviceOn(node.opType)}`
  if (node.overload !== "") return "calls a function overload"
  // ONNX Runtime may take another one than the checks of attributes do.
  const twice = firstTwice(node.attribute.map(({ name }) => name))
  if (twice !== undefined) return `has the attribute ${quote(twice)} twice`
  for (const attribute of node.attribute) {
    if (attribute.g !== undefined || attribute.graphs.length > 0) return "holds a subgraph"
    if (attribute.refAttrName !== "") return "refers to an attribute of a function"
    if (attribute.sparseTensor !== undefined || attribute.sparseTensors.length > 0) return "holds a sparse tensor"
    if (attribute.tp !== undefined || attribute.typeProtos.length > 0) return "holds a type"
    if (attribute.tensors.length > 0) return "holds a list of tensors"
    if (attribute.type === AttributeType.STRINGS && node.opType === "Constant") return "is a constant of texts"
    if (attribute.name === "training_mode" && attribute.i !== 0n) return "is in training mode; export the model for inference"
    if (node.opType === "Constant" && /^value_string/.test(attribute.name)) return "is a constant of texts"
  }
  // The third input of Dropout switches training on, and with it random numbers.
  if (node.opType === "Dropout" && node.input.length > 2) return "may be in training mode; export the model for inference"
  return null
}

export const checkOperators = (graph: GraphProto): Rejected | null => {
  if (graph.sparseInitializer.length > 0) return reject("unsupported_operator", "The model has sparse initializers; store them dense.")
  for (const node of graph.node) {
    const message = checkNode(node)
    if (message !== null) return reject("unsupported_operator", `${named(node)} ${message}.`)
  }
  return null
}
