/** Families of small nodes at the edges of what their operators take, for `testKernels.ts`. */

import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import type { Initializer, Node } from "./testModels.ts"

type Attribute = NonNullable<Node["attribute"]>[number]
type Dims = ReadonlyArray<number>

export interface Shape {
  readonly inputs: ReadonlyArray<Initializer | null>
  readonly attribute?: ReadonlyArray<Attribute>
  readonly outputs?: number
}

const BYTES: Readonly<Record<number, number>> = { 1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8 }
const countOf = (dims: Dims) => dims.reduce((product, dim) => product * dim, 1)

/** Small numbers of an element type, the same for the same dimensions. Booleans are 0 and 1. */
export const tensor = (dims: Dims, dataType: number = DataType.FLOAT, values?: ReadonlyArray<number>): Initializer => {
  const count = countOf(dims)
  const raw = new DataView(new ArrayBuffer(count * BYTES[dataType]!))
  const draw = new Mulberry32(count + 31 * dataType)
  for (let at = 0; at < count; at++) {
    const value = values === undefined ? draw.below(4) : values[at % values.length]!
    const offset = at * BYTES[dataType]!
    if (dataType === DataType.FLOAT) raw.setFloat32(offset, values === undefined ? value / 4 + 0.125 : value, true)
    else if (dataType === DataType.DOUBLE) raw.setFloat64(offset, value / 4 + 0.125, true)
    else if (dataType === DataType.FLOAT16) raw.setUint16(offset, 0x3800 + value, true)
    else if (dataType === DataType.BOOL) raw.setUint8(offset, value % 2)
    else if (BYTES[dataType] === 8) raw.setBigInt64(offset, BigInt(value), true)
    else if (BYTES[dataType] === 4) raw.setInt32(offset, value, true)
    else if (BYTES[dataType] === 2) raw.setInt16(offset, value, true)
    else raw.setInt8(offset, value)
  }
  return { name: "", dims: dims.map(BigInt), dataType, rawData: new Uint8Array(raw.buffer) }
}
export const f = (...dims: ReadonlyArray<number>) => tensor(dims)
export const i64 = (...values: ReadonlyArray<number>) => tensor([values.length], DataType.INT64, values)
export const scalar = (value: number, dataType: number = DataType.INT64) => tensor([], dataType, [value])
export const int = (name: string, i: number): Attribute => ({ name, type: AttributeType.INT, i: BigInt(i) })
export const list = (name: string, ...ints: ReadonlyArray<number>): Attribute => ({
  name,
  type: AttributeType.INTS,
  ints: ints.map(BigInt)
})
export const text = (name: string, s: string): Attribute => ({ name, type: AttributeType.STRING, s: new TextEncoder().encode(s) })

export const TYPES = [1, 11, 10, 6, 7, 3, 2, 5, 4, 12, 13, 9]
const EXTENTS = [0, 1, 5, 17]

const words = (names: string) => names.trim().split(/\s+/)
export const UNARY =
  words(`Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Hardmax
  Identity IsInf IsNaN LeakyRelu Log LogSoftmax LpNormalization MeanVarianceNormalization Mish Neg NonZero Not Reciprocal Relu Round
  Selu Shape Shrink Sigmoid Sign Sin Sinh Size Softmax Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu Flatten Squeeze Transpose
  EyeLike Trilu Clip`)
export const BINARY =
  words(`Add And BitShift BitwiseAnd BitwiseOr BitwiseXor CastLike Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min
  Mod Mul Or PRelu Pow Sub Sum Xor`)
export const REDUCTIONS = words(
  `ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare`
)
export const POOLS = words("AveragePool LpPool MaxPool")
export const GLOBAL_POOLS = words("GlobalAveragePool GlobalLpPool GlobalMaxPool")

/** One extent after another: a, b, c over small values. `[a, b, c]` covers zero at every place, alone and together. */
export const triples = EXTENTS.flatMap((a) => EXTENTS.flatMap((b) => EXTENTS.map((c) => [a, b, c] as const)))
export const typed = (make: (type: number) => ReadonlyArray<Shape>) => TYPES.flatMap(make)
export const over = (make: (a: number, b: number, c: number) => ReadonlyArray<Shape>) => triples.flatMap(([a, b, c]) => make(a, b, c))

const LOGICAL = ["And", "Not", "Or", "Xor"]
/** Every type at one extent, two of them at the others. */
const typesOf = (opType: string, extent: number): ReadonlyArray<number> =>
  LOGICAL.includes(opType) ? [DataType.BOOL] : extent === 17 ? TYPES : [DataType.FLOAT, DataType.INT32]

export const unary = (opType: string) =>
  over((a, b, c) =>
    typesOf(opType, a).flatMap((type) => {
      const bits = opType === "BitShift" ? [text("direction", "LEFT")] : []
      return [{ inputs: [tensor(opType === "EyeLike" ? [a, b] : [a, b, c], type)], attribute: bits }]
    })
  )
export const binary = (opType: string) =>
  over((a, b, c) =>
    typesOf(opType, a).flatMap((type) => {
      const attribute = [
        ...(opType === "BitShift" ? [text("direction", "LEFT")] : []),
        ...(opType === "Mod" && type === 1 ? [int("fmod", 1)] : [])
      ]
      const ones = (dims: Dims) => tensor(dims, type, [1])
      return [
        { inputs: [tensor([a, b, c], type), ones([a, b, c])], attribute },
        { inputs: [tensor([a, b, c], type), ones([c])], attribute },
        { inputs: [tensor([a, 1, c], type), ones([b, 1])], attribute }
      ]
    })
  )

export const reduction = () =>
  over((a, b, c) =>
    [1, 6, 11].flatMap((type) => {
      const x = tensor([a, b, c], type)
      const keep = [int("keepdims", 0)]
      return [
        { inputs: [x], attribute: keep },
        { inputs: [x], attribute: [...keep, list("axes", 1)] },
        { inputs: [x], attribute: [...keep, list("axes", 2)] },
        { inputs: [x], attribute: [...keep, list("axes", 0, 2)] },
        { inputs: [x, i64(1)], attribute: keep },
        { inputs: [x, i64(0)], attribute: keep },
        { inputs: [x, i64()], attribute: [int("noop_with_empty_axes", 1)] }
      ]
    })
  )
export const arg = () =>
  over((a, b, c) => [0, 1, 2].map((axis) => ({ inputs: [f(a, b, c)], attribute: [int("axis", axis), int("keepdims", 0)] })))

const sides = [0, 1, 3, 6]
export const images = (make: (n: number, c: number, h: number, w: number) => ReadonlyArray<Shape>) =>
  [0, 1, 2].flatMap((n) => [0, 1, 4].flatMap((c) => sides.flatMap((h) => [h, 5].flatMap((w) => make(n, c, h, w)))))

export const pool = () =>
  images((n, c, h, w) =>
    [
      [list("kernel_shape", 3, 3)],
      [list("kernel_shape", 3, 3), list("pads", 2, 2, 2, 2), list("strides", 2, 2)],
      [list("kernel_shape", 2, 2), list("pads", 1, 1, 1, 1), list("dilations", 3, 3)],
      [list("kernel_shape", 2, 2), list("strides", 3, 3), int("ceil_mode", 1)]
    ].flatMap((attribute) => [
      { inputs: [f(n, c, h, w)], attribute },
      { inputs: [f(n, c, h, w)], attribute, outputs: 2 },
      { inputs: [tensor([n, c, h, w], DataType.UINT8)], attribute, outputs: 2 }
    ])
  )

export const convolution = (make: (x: Dims, w: Dims) => Pick<Shape, "inputs">, transposed = false) =>
  images((n, c, h, w) =>
    [0, 1, 3, 8].flatMap((m) =>
      [1, 3].flatMap((k) =>
        [
          [list("pads", 1, 1, 1, 1)],
          [list("pads", 3, 3, 3, 3), list("strides", 2, 2)],
          [list("dilations", 2, 2), list("pads", 2, 2, 2, 2)],
          ...(transposed
            ? [
                [list("output_padding", 1, 1), list("strides", 3, 3)],
                [list("output_shape", 9, 9), list("strides", 2, 2)]
              ]
            : [])
        ].map((attribute) => ({ ...make([n, c, h, w], transposed ? [c, m, k, k] : [m, c, k, k]), attribute }))
      )
    )
  )

export const product = (make: (a: Dims, b: Dims) => Pick<Shape, "inputs">) =>
  over((m, k, n) => [make([m, k], [k, n]), make([2, m, k], [2, k, n]), make([k], [k, n]), make([m, k], [k]), make([0, m, k], [k, n])])

export const recurrent = (gates: number, names: ReadonlyArray<string>) =>
  over((steps, batch, hidden) =>
    [0, 1, 3].flatMap((size) =>
      names.flatMap((direction) => {
        const d = direction === "bidirectional" ? 2 : 1
        const inputs = [f(steps, batch, size), f(d, gates * hidden, size), f(d, gates * hidden, hidden), f(d, 2 * gates * hidden)]
        const attribute = [int("hidden_size", hidden), text("direction", direction)]
        const lengths = (value: number) => tensor([batch], DataType.INT32, [value])
        const outputs = gates === 4 ? 3 : 2
        return [
          { inputs, attribute, outputs },
          { inputs: [...inputs, lengths(0)], attribute, outputs },
          { inputs: [...inputs, lengths(1)], attribute, outputs },
          { inputs: [...inputs, lengths(steps)], attribute: [...attribute, int("layout", 1)], outputs }
        ]
      })
    )
  )

export const normalized = () =>
  over((a, b, c) => [
    { inputs: [f(a, b, c), f(c), f(c)], outputs: 3 },
    { inputs: [f(a, b, c), f(b, c)], attribute: [int("axis", 1)], outputs: 3 },
    { inputs: [f(a, b, c), f(c)], outputs: 1 },
    { inputs: [tensor([a, b, c], 10), tensor([c], 10)], outputs: 1 }
  ])

export const channels = () =>
  images((n, c, h, w) => [
    { inputs: [f(n, c, h, w), f(c), f(c)] },
    { inputs: [f(n, c, h, w), f(c), f(c)], attribute: [int("num_groups", 2)] },
    { inputs: [f(n, c, h, w), f(2), f(2)], attribute: [int("num_groups", 2)] }
  ])

export const batchNormalized = () =>
  images((n, c, h, w) => [
    { inputs: [f(n, c, h, w), f(c), f(c), f(c), f(c)] },
    { inputs: [f(n, c, h, w), f(c), f(c), f(c), f(c)], outputs: 5 },
    { inputs: [f(n, c, h, w), f(c), f(c), f(c), f(c)], outputs: 3 }
  ])

export const quantity = (type: number) => [scalar(0.5, DataType.FLOAT), scalar(1, type)]
export const integers = (a: Dims, b: Dims): ReadonlyArray<Shape> =>
  [2, 3].flatMap((left) =>
    [2, 3].flatMap((right) => [
      { inputs: [tensor(a, left), tensor(b, right)] },
      { inputs: [tensor(a, left), tensor(b, right), scalar(1, left), scalar(1, right)] }
    ])
  )
export const quantized = (a: Dims, b: Dims): ReadonlyArray<Shape> =>
  [2, 3].map((type) => ({ inputs: [tensor(a, type), ...quantity(type), tensor(b, type), ...quantity(type), ...quantity(type)] }))

export const attention = () =>
  over((batch, queries, keys) =>
    [0, 4].flatMap((size) => {
      const heads = (length: number) => f(batch, 2, length, size)
      const wide = (length: number) => f(batch, length, 2 * size)
      const named = [int("q_num_heads", 2), int("kv_num_heads", 2)]
      return [
        { inputs: [heads(queries), heads(keys), heads(keys)] },
        { inputs: [heads(queries), heads(keys), heads(keys)], attribute: [int("is_causal", 1)] },
        { inputs: [heads(queries), heads(keys), heads(keys)], attribute: [int("qk_matmul_output_mode", 3)], outputs: 4 },
        { inputs: [heads(queries), heads(keys), heads(keys), null, heads(2), heads(2)], outputs: 3 },
        { inputs: [heads(queries), heads(keys), heads(keys), null, heads(0), heads(0)], outputs: 4 },
        { inputs: [heads(queries), heads(keys), heads(keys), tensor([queries, keys], DataType.BOOL, [0])] },
        { inputs: [heads(queries), heads(keys), heads(keys), f(queries, Math.max(0, keys - 1))] },
        { inputs: [wide(queries), wide(keys), wide(keys)], attribute: named },
        { inputs: [heads(queries), heads(keys), heads(keys), null, null, null, tensor([batch], DataType.INT64, [1])] },
        { inputs: [heads(queries), heads(keys), heads(keys), null, null, null, tensor([batch], DataType.INT64, [0])] }
      ]
    })
  )

export const resized = () =>
  images((n, c, h, w) =>
    ["nearest", "linear", "cubic"].flatMap((mode) => {
      const x = f(n, c, h, w)
      const m = text("mode", mode)
      const crop = text("coordinate_transformation_mode", "tf_crop_and_resize")
      const roi = tensor([8], DataType.FLOAT, [0, 0, -1, -1, 1, 1, 2, 2])
      const scales = (value: number) => tensor([4], DataType.FLOAT, [1, 1, value, value])
      return [
        { inputs: [x, null, scales(2)], attribute: [m] },
        { inputs: [x, null, scales(0.4)], attribute: [m] },
        { inputs: [x, scales(2)], attribute: [m] },
        { inputs: [x, null, null, i64(n, c, 9, 9)], attribute: [m] },
        { inputs: [x, null, null, i64(n, c, 0, 9)], attribute: [m] },
        { inputs: [x, null, null, i64(n, c, 3, 2)], attribute: [m, int("antialias", 1)] },
        { inputs: [x, roi, null, i64(n, c, 7, 7)], attribute: [m, crop] },
        { inputs: [x, null, null, i64(7, 7)], attribute: [m, list("axes", 2, 3), text("keep_aspect_ratio_policy", "not_smaller")] }
      ]
    })
  )

export const gridSampled = () =>
  images((n, c, h, w) =>
    ["bilinear", "nearest", "bicubic", "linear", "cubic"].flatMap((mode) =>
      ["zeros", "border", "reflection"].map((padding) => ({
        inputs: [f(n, c, h, w), tensor([n, 4, 5, 2], DataType.FLOAT, [-3, -1, 0, 0.5, 1, 3])],
        attribute: [text("mode", mode), text("padding_mode", padding)]
      }))
    )
  )

export const scattered = (opType: string) =>
  over((a, b, c) =>
    ["none", "add", "mul", "max"].flatMap((mode) => {
      const attribute = mode === "none" ? [] : [text("reduction", mode)]
      return opType === "ScatterND"
        ? [
            { inputs: [f(a, b, c), tensor([2, 1], DataType.INT64, [0]), f(2, b, c)], attribute },
            { inputs: [f(a, b, c), tensor([0, 1], DataType.INT64), f(0, b, c)], attribute },
            { inputs: [f(a, b, c), tensor([2, 0], DataType.INT64), f(2, a, b, c)], attribute }
          ]
        : [0, 1, 2].map((axis) => ({
            inputs: [f(a, b, c), tensor([a, b, c], DataType.INT64, [0]), f(a, b, c)],
            attribute: [...attribute, int("axis", axis)]
          }))
    })
  )

export const padded = () =>
  images((n, c, h, w) =>
    ["constant", "reflect", "edge", "wrap"].flatMap((mode) =>
      [
        [0, 0, 1, 2, 0, 0, 3, 4],
        [1, 1, 0, 0, 1, 1, 0, 0],
        [0, 0, -1, -2, 0, 0, 3, 4],
        [0, 0, -9, 8, 0, 0, 9, 8]
      ].flatMap((pads) => [
        { inputs: [f(n, c, h, w), i64(...pads), f()], attribute: [text("mode", mode)] },
        { inputs: [f(n, c, h, w)], attribute: [text("mode", mode), list("pads", ...pads)] },
        { inputs: [tensor([n, c, h, w], 3), i64(...pads)], attribute: [text("mode", mode)] }
      ])
    )
  )

const EQUATIONS: ReadonlyArray<readonly [string, number]> = [
  ["ij,jk->ik", 2],
  ["bij,bjk->bik", 3],
  ["ij->i", 2],
  ["ij->", 2],
  ["ij->ji", 2],
  ["ij,ij->ij", 2],
  ["ij,ij->", 2],
  ["ii->i", 2],
  ["bij,bij->bi", 3]
]
export const einsums = () =>
  over((a, b, c) =>
    EQUATIONS.flatMap(([equation, rank]) => {
      const attribute = [text("equation", equation)]
      const first = rank === 3 ? [2, a, b] : [a, b]
      const second = equation.includes("jk") ? (rank === 3 ? [2, b, c] : [b, c]) : first
      return equation.includes(",")
        ? [1, 6, 11].map((type) => ({ inputs: [tensor(first, type), tensor(second, type)], attribute }))
        : [{ inputs: [f(...(equation.startsWith("ii") ? [a, a] : first))], attribute }]
    })
  )

export const gathered = (opType: string) =>
  over((a, b, c) =>
    opType === "GatherND"
      ? [
          { inputs: [f(a, b, c), tensor([3, 1], DataType.INT64, [0])] },
          { inputs: [f(a, b, c), tensor([0, 1], DataType.INT64)] },
          { inputs: [f(a, b, c), tensor([a, 1], DataType.INT64, [0])], attribute: [int("batch_dims", 1)] }
        ]
      : [0, 1, 2].flatMap((axis) => [
          { inputs: [f(a, b, c), tensor(opType === "Gather" ? [3] : [a, b, c], DataType.INT64, [0])], attribute: [int("axis", axis)] },
          { inputs: [f(a, b, c), tensor([0, 2, 0], DataType.INT64, [0])], attribute: [int("axis", axis)] }
        ])
  )
