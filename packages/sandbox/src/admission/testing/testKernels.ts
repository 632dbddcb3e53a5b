/**
 * For every operator that is played, small nodes at the edges of what it takes: extents of zero and one,
 * each element type, every optional output, each mode. Models that the runtime does not load are left out.
 * Not used by anything but tests.
 */

import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import {
  arg,
  attention,
  BINARY,
  batchNormalized,
  binary,
  channels,
  convolution,
  einsums,
  f,
  GLOBAL_POOLS,
  gathered,
  gridSampled,
  i64,
  images,
  int,
  integers,
  list,
  normalized,
  over,
  POOLS,
  padded,
  pool,
  product,
  quantity,
  quantized,
  REDUCTIONS,
  recurrent,
  reduction,
  resized,
  type Shape,
  scalar,
  scattered,
  TYPES,
  tensor,
  text,
  triples,
  typed,
  UNARY,
  unary
} from "./testKernelShapes.ts"
import { model } from "./testModels.ts"

export interface KernelCase {
  readonly what: string
  readonly opType: string
  readonly weights: Uint8Array<ArrayBuffer>
  readonly outputs: ReadonlyArray<string>
}

const moved: Readonly<Record<string, () => ReadonlyArray<Shape>>> = {
  Cast: () =>
    over((a, b) => TYPES.flatMap((from) => TYPES.map((to) => ({ inputs: [tensor([a, b], from)], attribute: [int("to", to)] })))).slice(
      0,
      1_000
    ),
  Compress: () =>
    over((a, b, c) => [
      { inputs: [f(a, b, c), tensor([b], DataType.BOOL)], attribute: [int("axis", 1)] },
      { inputs: [f(a, b, c), tensor([1], DataType.BOOL, [0])], attribute: [int("axis", 1)] },
      { inputs: [f(a, b, c), tensor([7], DataType.BOOL, [0, 1])] }
    ]),
  Concat: () =>
    over((a, b, c) => [
      { inputs: [f(a, b, c), f(a, 2, c), f(a, 0, c)], attribute: [int("axis", 1)] },
      { inputs: [f(a, b, 0), f(a, b, c)], attribute: [int("axis", 2)] }
    ]),
  Constant: () => triples.map(([a, b]) => ({ inputs: [], attribute: [{ name: "value", type: AttributeType.TENSOR, t: f(a, b) }] })),
  ConstantOfShape: () =>
    over((a, b, c) => [
      { inputs: [i64(a, b, c)] },
      { inputs: [i64()] },
      ...TYPES.map((type) => ({
        inputs: [i64(a, b)],
        attribute: [{ name: "value", type: AttributeType.TENSOR, t: tensor([1], type, [1]) }]
      }))
    ]),
  CumSum: () =>
    over((a, b, c) =>
      [0, 1, 2].flatMap((axis) =>
        [0, 1].flatMap((exclusive) =>
          [0, 1].map((reverse) => ({
            inputs: [f(a, b, c), scalar(axis)],
            attribute: [int("exclusive", exclusive), int("reverse", reverse)]
          }))
        )
      )
    ),
  DepthToSpace: () =>
    images((n, c, h, w) =>
      ["DCR", "CRD"].map((mode) => ({ inputs: [f(n, c, h, w)], attribute: [int("blocksize", 2), text("mode", mode)] }))
    ),
  SpaceToDepth: () => images((n, c, h, w) => [1, 2].map((size) => ({ inputs: [f(n, c, h, w)], attribute: [int("blocksize", size)] }))),
  Det: () => over((a, b) => [{ inputs: [f(a, b, b)] }, { inputs: [f(b, b)] }, { inputs: [f(0, a, b, b)] }]),
  Dropout: () =>
    over((a, b, c) => [
      { inputs: [f(a, b, c)], outputs: 2 },
      { inputs: [f(a, b, c), f()], outputs: 2 }
    ]),
  DynamicQuantizeLinear: () => over((a, b, c) => [{ inputs: [f(a, b, c)], outputs: 3 }]),
  QuantizeLinear: () =>
    over((a, b, c) =>
      [2, 3, 4, 5].flatMap((type) => [
        { inputs: [f(a, b, c), scalar(0.5, 1), scalar(1, type)] },
        { inputs: [f(a, b, c), f(b), tensor([b], type)], attribute: [int("axis", 1)] },
        { inputs: [f(a, b, c), f(a, 1, c), tensor([a, 1, c], type)], attribute: [int("axis", 1), int("block_size", Math.max(1, b))] }
      ])
    ),
  DequantizeLinear: () =>
    over((a, b, c) =>
      [2, 3, 4, 5, 6].flatMap((type) => [
        { inputs: [tensor([a, b, c], type), scalar(0.5, 1)] },
        { inputs: [tensor([a, b, c], type), f(b)], attribute: [int("axis", 1)] },
        { inputs: [tensor([a, b, c], type), f(a, 1, c)], attribute: [int("axis", 1), int("block_size", Math.max(1, b))] }
      ])
    ),
  Expand: () => over((a, b, c) => [{ inputs: [f(1, b, 1), i64(a, b, c)] }, { inputs: [f(1), i64(a, b)] }, { inputs: [f(), i64()] }]),
  Gemm: () =>
    over((m, k, n) =>
      [
        [f(m, k), f(k, n)],
        [f(m, k), f(k, n), f(n)],
        [f(m, k), f(k, n), f(m, n)],
        [f(m, k), f(k, n), f()],
        [tensor([m, k], 11), tensor([k, n], 11), tensor([n], 11)],
        [tensor([m, k], 10), tensor([k, n], 10), tensor([n], 10)],
        [tensor([m, k], 10), tensor([k, n], 10)]
      ].flatMap((inputs) => [
        { inputs },
        { inputs, attribute: [{ name: "beta", type: AttributeType.FLOAT, f: 0 }] },
        { inputs, attribute: [{ name: "alpha", type: AttributeType.FLOAT, f: 0 }] }
      ])
    ),
  LRN: () => images((n, c, h, w) => [1, 3, 9].map((size) => ({ inputs: [f(n, c, h, w)], attribute: [int("size", size)] }))),
  OneHot: () =>
    over((a, b, depth) =>
      [0, 1, -1].map((axis) => ({
        inputs: [tensor([a, b], DataType.INT64, [0, 2, -1, 40]), scalar(depth), f(2)],
        attribute: [int("axis", axis)]
      }))
    ),
  Range: () => [0, 5].flatMap((end) => [1, 6, 7].map((type) => ({ inputs: [scalar(0, type), scalar(end, type), scalar(1, type)] }))),
  Reshape: () =>
    over((a, b, c) => [{ inputs: [f(a, b, c), i64(c, a * b)], attribute: [int("allowzero", 1)] }, { inputs: [f(a, b, c), i64(-1)] }]),
  ReverseSequence: () =>
    over((time, batch, c) => [0, 1, time].map((length) => ({ inputs: [f(time, batch, c), tensor([batch], DataType.INT64, [length])] }))),
  RotaryEmbedding: () =>
    over((batch, length, half) => [
      { inputs: [f(batch, 3, length, 2 * half), f(batch, length, half), f(batch, length, half)] },
      { inputs: [f(batch, 3, length, 2 * half), f(9, half), f(9, half), tensor([batch, length], DataType.INT64, [0])] },
      {
        inputs: [f(batch, 3, length, 8), f(9, 2), f(9, 2), tensor([batch, length], DataType.INT64, [0])],
        attribute: [int("rotary_embedding_dim", 4)]
      },
      { inputs: [f(batch, 3, length, 8), f(batch, length, 4), f(batch, length, 4)], attribute: [int("interleaved", 1)] }
    ]),
  Slice: () =>
    over((a, b, c) =>
      [
        [0, 3, 1],
        [2, 1, 1],
        [-1, -9, -1],
        [0, 0, 1],
        [5, 99, 2]
      ].map(([start, end, step]) => ({ inputs: [f(a, b, c), i64(start!), i64(end!), i64(1), i64(step!)] }))
    ),
  Split: () =>
    over((a, b, c) => [
      { inputs: [f(a, b, c), i64(0, b)], attribute: [int("axis", 1)], outputs: 2 },
      { inputs: [f(a, b, c)], attribute: [int("axis", 1), int("num_outputs", 3)], outputs: 3 }
    ]),
  Tile: () => over((a, b, c) => [{ inputs: [f(a, b, c), i64(2, 0, 3)] }, { inputs: [f(a, b, c), i64(3, 1, 2)] }]),
  TopK: () =>
    over((a, b, c) =>
      [0, 1, 2].flatMap((axis) =>
        [0, 1, 3].flatMap((k) =>
          [0, 1].map((sorted) => ({ inputs: [f(a, b, c), i64(k)], attribute: [int("axis", axis), int("sorted", sorted)], outputs: 2 }))
        )
      )
    ),
  Unsqueeze: () => over((a, b, c) => [{ inputs: [f(a, b, c), i64(1)] }, { inputs: [f(a, b, c)], attribute: [list("axes", 1)] }]),
  Upsample: () =>
    images((n, c, h, w) =>
      ["nearest", "linear"].map((mode) => ({
        inputs: [f(n, c, h, w), tensor([4], DataType.FLOAT, [1, 1, 2, 3])],
        attribute: [text("mode", mode)]
      }))
    ),
  Where: () =>
    over((a, b, c) =>
      [1, 2, 6, 7].map((type) => ({ inputs: [tensor([a, 1, c], DataType.BOOL), tensor([b, 1], type), tensor([a, b, c], type)] }))
    )
}

const shapesOf = (opType: string): ReadonlyArray<Shape> => {
  if (UNARY.includes(opType)) return unary(opType)
  if (BINARY.includes(opType)) return binary(opType)
  if (REDUCTIONS.includes(opType)) return reduction()
  if (POOLS.includes(opType)) return pool()
  if (GLOBAL_POOLS.includes(opType)) return images((n, c, h, w) => [{ inputs: [f(n, c, h, w)] }, { inputs: [f(n, c, h)] }])
  if (opType.startsWith("Gather")) return gathered(opType)
  if (opType.startsWith("Scatter")) return scattered(opType)
  switch (opType) {
    case "ArgMax":
    case "ArgMin":
      return arg()
    case "Attention":
      return attention()
    case "BatchNormalization":
      return batchNormalized()
    case "InstanceNormalization":
    case "GroupNormalization":
      return channels()
    case "LayerNormalization":
    case "RMSNormalization":
      return normalized()
    case "Conv":
      return [
        ...convolution((x, w) => ({ inputs: [f(...x), f(...w)] })),
        ...convolution((x, w) => ({ inputs: [f(...x), f(...w), f(w[0]!)] }))
      ]
    case "ConvTranspose":
      return convolution((x, w) => ({ inputs: [f(...x), f(...w)] }), true)
    case "ConvInteger":
      return [2, 3].flatMap((type) => convolution((x, w) => ({ inputs: [tensor(x, 2), tensor(w, type)] })))
    case "QLinearConv":
      return [2, 3].flatMap((type) =>
        convolution((x, w) => ({ inputs: [tensor(x, type), ...quantity(type), tensor(w, type), ...quantity(type), ...quantity(type)] }))
      )
    case "MatMul":
      return typed((type) => product((a, b) => ({ inputs: [tensor(a, type), tensor(b, type)] })))
    case "MatMulInteger":
      return over((m, k, n) => [...integers([m, k], [k, n]), ...integers([2, m, k], [k, n])])
    case "QLinearMatMul":
      return over((m, k, n) => [...quantized([m, k], [k, n]), ...quantized([2, m, k], [2, k, n])])
    case "RNN":
      return recurrent(1, ["forward", "reverse", "bidirectional"])
    case "GRU":
      return recurrent(3, ["forward", "reverse", "bidirectional"])
    case "LSTM":
      return recurrent(4, ["forward", "reverse", "bidirectional"])
    case "Einsum":
      return einsums()
    case "Pad":
      return padded()
    case "Resize":
      return resized()
    case "GridSample":
      return gridSampled()
    default:
      return moved[opType]!()
  }
}

const OPSETS = [9, 13, 17, 20, 24]
/** Operators that came late, with their first opset. */
const SINCE: Readonly<Record<string, number>> = {
  Attention: 23,
  RMSNormalization: 23,
  RotaryEmbedding: 23,
  Swish: 24,
  Gelu: 20,
  GroupNormalization: 21,
  Mish: 18
}
const opsetsOf = (opType: string) => {
  const since = SINCE[opType] ?? 0
  return since === 0 ? OPSETS : [since, 24]
}

/** `limit` cases of the operator, drawn by the seed from all that there are, zero extents among them. */
export const casesOf = (opType: string, seed: number, limit: number): ReadonlyArray<KernelCase> => {
  const draw = new Mulberry32(seed)
  const all = shapesOf(opType).flatMap((shape) => opsetsOf(opType).map((opset) => ({ shape, opset })))
  const chosen = all.length <= limit ? all : Array.from({ length: limit }, () => all[draw.below(all.length)]!)
  return chosen.map(({ shape: { inputs, attribute = [], outputs: count = 1 }, opset }) => {
    const outputs = Array.from({ length: count }, (_, index) => `out${index}`)
    const initializer = inputs.flatMap((one, index) => (one === null ? [] : [{ ...one, name: `in${index}` }]))
    const node = {
      opType,
      input: inputs.map((one, index) => (one === null ? "" : `in${index}`)),
      output: outputs,
      attribute: [...attribute]
    }
    const spelt = inputs.map((one) => (one === null ? "-" : `${one.dataType}[${one.dims}]`)).join(" ")
    const said = attribute.map(({ name, i, ints, s }) => `${name}=${s ? new TextDecoder().decode(s) : ints ? `[${ints}]` : i}`).join(" ")
    return {
      what: `${opType}-${opset} ${spelt} ${said} ${count}`,
      opType,
      weights: model({ name: "kernel", node: [node], initializer, output: outputs.map((name) => ({ name })) }, opset),
      outputs
    }
  })
}
