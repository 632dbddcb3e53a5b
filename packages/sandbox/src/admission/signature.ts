/** Checks that a model's inputs and outputs are the game's, on every board of the season. */
import { DataType } from "@agon/onnx/DataType.ts"
import type { GraphProto, ValueInfoProto } from "@agon/onnx/Model.ts"
import { quote, type Rejected, reject } from "../Verdict.ts"
import type { Sizes } from "../worker/channel.ts"
import { typeName } from "./elementTypes.ts"

/** The dimensions of one port on one board; `null` is the batch, which is 1 or symbolic. */
type Dims = ReadonlyArray<number | null>
interface Expected {
  readonly name: string
  readonly dims: ReadonlyArray<Dims>
}

const onBoards = (name: string, boards: ReadonlyArray<Sizes>, dims: (sizes: Sizes) => Dims): Expected => ({ name, dims: boards.map(dims) })

const expectedOf = (boards: ReadonlyArray<Sizes>): { inputs: Array<Expected>; outputs: Array<Expected> } => {
  const inputs = [onBoards("obs", boards, ({ planes, rows, cols }) => [null, planes, rows, cols])]
  const outputs = [onBoards("logits", boards, ({ actions }) => [null, actions])]
  if (boards[0]!.flat > 0) {
    inputs.push(onBoards("memory_flat", boards, ({ flat }) => [null, flat]))
    outputs.push(onBoards("memory_flat_out", boards, ({ flat }) => [null, flat]))
  }
  if (boards[0]!.cell > 0) {
    inputs.push(onBoards("memory_cell", boards, ({ cell, rows, cols }) => [null, cell, rows, cols]))
    outputs.push(onBoards("memory_cell_out", boards, ({ cell, rows, cols }) => [null, cell, rows, cols]))
  }
  return { inputs, outputs }
}

const spell = (dims: Dims) => `[${dims.map((dim) => dim ?? "N").join(", ")}]`

const checkPort = (side: string, port: ValueInfoProto, expected: Expected): string | null => {
  const at = `${side} ${quote(port.name)}`
  if (port.type?.value.case !== "tensorType") return `${at} is not a tensor`
  const { elemType, shape } = port.type.value.value
  if (elemType !== DataType.FLOAT) return `${at} must be float32, is ${typeName(elemType)}`
  if (shape === undefined) return `${at} has no declared shape; it must be ${spell(expected.dims[0]!)}`
  for (const dims of expected.dims) {
    if (shape.dim.length !== dims.length)
      return `${at} has ${shape.dim.length} dimension${shape.dim.length === 1 ? "" : "s"}; it must be ${spell(dims)}`
    for (const [axis, { value }] of shape.dim.entries()) {
      const fits = value.case !== "dimValue" || value.value === BigInt(dims[axis] ?? 1)
      if (!fits) return `${at} has ${value.value} in dimension ${axis}; on a board of this season it must be ${spell(dims)} or symbolic`
    }
  }
  return null
}

const checkSide = (side: "Input" | "Output", ports: ReadonlyArray<ValueInfoProto>, expected: ReadonlyArray<Expected>): string | null => {
  const names = expected.map(({ name }) => name)
  const has = `with this manifest the game has ${names.join(", ")}`
  for (const port of ports) {
    if (!names.includes(port.name)) return `${side} ${quote(port.name)} is unknown; ${has}`
    if (ports.filter(({ name }) => name === port.name).length > 1) return `${side} ${quote(port.name)} occurs twice`
  }
  for (const one of expected) {
    const port = ports.find(({ name }) => name === one.name)
    const message = port === undefined ? `${side} "${one.name}" is missing; ${has}` : checkPort(side, port, one)
    if (message !== null) return message
  }
  return null
}

/** `boards` are the sizes of every board, at least one. */
export const checkSignature = (graph: GraphProto, boards: ReadonlyArray<Sizes>): Rejected | null => {
  const initialized = new Set(graph.initializer.map(({ name }) => name))
  const expected = expectedOf(boards)
  // Older exporters also list initializers among the inputs; those are not fed.
  const inputs = graph.input.filter(({ name }) => !initialized.has(name))
  const shadowed = expected.inputs.find(({ name }) => initialized.has(name))
  if (shadowed !== undefined) return reject("wrong_signature", `Input "${shadowed.name}" is an initializer of the model.`)
  const message = checkSide("Input", inputs, expected.inputs) ?? checkSide("Output", graph.output, expected.outputs)
  return message === null ? null : reject("wrong_signature", `${message}.`)
}
