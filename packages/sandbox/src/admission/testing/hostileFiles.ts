/**
 * Every kind of file that an open competition has to expect and that is refused before it runs,
 * with the reason that it gets, for tests. Files that get as far as a run are in
 * `hostileModels.ts` and `testModels.ts`.
 */
import { createHash } from "node:crypto"
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType, type ModelInit } from "@agon/onnx/Model.ts"
import type { ExamineRequest, RejectReason } from "../../Verdict.ts"
import { branching, chain, drawing, external, functionBomb, looping, scanning } from "./hostileModels.ts"
import {
  floats,
  type Initializer,
  ints,
  linear,
  manifest,
  model,
  type Node,
  port,
  snakesInput,
  snakesOutput,
  weightClasses
} from "./testModels.ts"

export interface HostileFile {
  readonly what: string
  readonly weights: Uint8Array
  readonly over?: Partial<ExamineRequest>
  readonly reason: RejectReason
}

export const varint = (value: number): Uint8Array => {
  const bytes: Array<number> = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Uint8Array.from([...bytes, rest])
    bytes.push((rest % 128) + 128)
  }
}

/** A length-delimited record. */
export const record = (field: number, body: Uint8Array): Uint8Array => Buffer.concat([varint(field * 8 + 2), varint(body.length), body])

/** Two bytes a message, each an operator set that says nothing. */
export const emptyMessages = (bytes: number): Uint8Array => {
  const file = new Uint8Array(bytes)
  for (let at = 0; at < bytes; at += 2) file.set([8 * 8 + 2, 0], at)
  return file
}

/** Graphs in attributes of nodes of graphs, three levels of messages each. */
export const nested = (graphs: number): Uint8Array => {
  let bytes: Uint8Array = new Uint8Array(0)
  for (let depth = 1; depth < graphs; depth++) bytes = record(1, record(5, record(6, bytes)))
  return record(7, bytes)
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const node = (opType: string, input: ReadonlyArray<string>): Node => ({ opType, name: "huge", input: [...input], output: ["made"] })
const withTensor = (dims: ReadonlyArray<bigint>) => linear(1, [], [{ ...floats("t", [], [1]), dims: [...dims] }])
const withNode = (made: Node, initializers: ReadonlyArray<Initializer> = []) => linear(1, [made], initializers)
const ports = (input: ReadonlyArray<ReturnType<typeof port>>, output: ReadonlyArray<ReturnType<typeof port>>) =>
  model({ node: [{ opType: "Relu", input: ["obs"], output: ["logits"] }], input: [...input], output: [...output] })
const all = (reason: RejectReason, files: Readonly<Record<string, Uint8Array>>): ReadonlyArray<HostileFile> =>
  Object.entries(files).map(([what, weights]) => ({ what, weights, reason }))

const unreadable = () =>
  all("weights_unreadable", {
    garbage: new Uint8Array(100_000).fill(0xa5),
    nothing: new Uint8Array(0),
    "a file cut off": linear().subarray(0, linear().length - 9),
    "a length past the end": Uint8Array.from([7 * 8 + 2, 0xff, 0xff, 0xff, 0xff, 0x0f]),
    "a negative length": Uint8Array.from([7 * 8 + 2, ...Array(9).fill(0xff), 0x01]),
    "graphs in graphs": nested(2_000),
    "10 MB of empty messages": emptyMessages(10_000_000),
    "200,000 nodes": chain(200_000),
    "a negative dimension": withTensor([-1n, -48n]),
    "dimensions that overflow": withTensor([1n << 62n, 4n]),
    "a terabyte that is not there": withTensor([1n << 38n])
  })

const unsupported = () => {
  const square = ints("sizes", [1_000_000, 1_000_000])
  const scalar = (name: string, value: number) => ints(name, [value], [])
  return all("unsupported_operator", {
    "a custom operator": withNode({ ...node("Relu", ["obs"]), domain: "com.evil" }),
    "a custom domain": model(
      { node: [{ opType: "Relu", domain: "com.evil", input: ["obs"], output: ["x"] }], input: [snakesInput], output: [snakesOutput] },
      17,
      {
        opsetImport: [
          { domain: "", version: 17n },
          { domain: "com.evil", version: 1n }
        ]
      } as ModelInit
    ),
    "functions of its own": functionBomb(2),
    "functions that double": functionBomb(30),
    If: branching(),
    Scan: scanning(),
    "a loop without end": looping(false),
    "a loop that grows": looping(true),
    "random numbers": drawing("RandomUniform"),
    "random numbers like another tensor": drawing("RandomNormalLike"),
    "random numbers with a seed": drawing("RandomNormal", 7),
    "a huge ConstantOfShape": withNode(node("ConstantOfShape", ["sizes"]), [square]),
    "a huge Expand": withNode(node("Expand", ["obs", "sizes"]), [square]),
    "a huge Tile": withNode(node("Tile", ["obs", "sizes"]), [ints("sizes", [1, 1, 100_000, 100_000])]),
    "a huge Range": withNode(node("Range", ["a", "b", "c"]), [scalar("a", 0), scalar("b", 1e12), scalar("c", 1)]),
    "a huge Resize": withNode(node("Resize", ["obs", "", "", "sizes"]), [ints("sizes", [1, 12, 1e6, 1e6])]),
    "a huge Pad": withNode(node("Pad", ["obs", "sizes"]), [ints("sizes", [0, 0, 0, 0, 0, 0, 1e6, 1e6])]),
    texts: withNode({
      ...node("Constant", []),
      attribute: [{ name: "value_string", type: AttributeType.STRING, s: new Uint8Array(1) }]
    } as Node)
  })
}

const missigned = () =>
  all("wrong_signature", {
    "no input": ports([], [snakesOutput]),
    "no output": ports([snakesInput], []),
    "an input too many": ports([snakesInput, port("memory_flat", ["N", 8])], [snakesOutput]),
    "an output too many": ports([snakesInput], [snakesOutput, port("value", ["N", 1])]),
    "an input of another type": ports([port("obs", ["N", 12, "H", "W"], DataType.DOUBLE)], [snakesOutput]),
    "an output of another type": ports([snakesInput], [port("logits", ["N", 4], DataType.INT64)]),
    "another number of planes": ports([port("obs", ["N", 11, "H", "W"])], [snakesOutput]),
    "another number of logits": ports([snakesInput], [port("logits", ["N", 5])])
  })

const remembering = (cell: number) =>
  ports([snakesInput, port("memory_cell", ["N", cell, "H", "W"])], [snakesOutput, port("memory_cell_out", ["N", cell, "H", "W"])])

const beside = (): ReadonlyArray<HostileFile> => [
  { what: "another hash", weights: linear(), over: { weights_hash: sha256(manifest()) }, reason: "hash_mismatch" },
  {
    what: "files swapped, with their hashes",
    weights: manifest(),
    over: { manifest: linear(), weights_hash: sha256(linear()), manifest_hash: sha256(manifest()) },
    reason: "hash_mismatch"
  },
  { what: "files swapped", weights: manifest(), over: { manifest: linear() }, reason: "manifest_invalid" },
  { what: "a manifest for another game", weights: linear(), over: { manifest: manifest({ game: "othello" }) }, reason: "manifest_invalid" },
  { what: "a manifest of another opset", weights: linear(), over: { manifest: manifest({ opset: 18 }) }, reason: "manifest_invalid" },
  {
    what: "a size above every class",
    weights: linear(),
    over: { weight_classes: [{ ...weightClasses[0]!, max_bytes: 100 }] },
    reason: "too_large"
  },
  {
    what: "memory above its class",
    weights: remembering(8),
    over: { manifest: manifest({ memory: { flat: 0, cell: 8 } }) },
    reason: "memory_over_class"
  }
]

export const hostileFiles = (): ReadonlyArray<HostileFile> => [
  ...unreadable(),
  ...unsupported(),
  ...missigned(),
  ...beside(),
  ...all("external_data", {
    "external data, absolute": external("/etc/passwd"),
    "external data, relative": external("../../secret"),
    "the runtime's own memory": external("*/_ORT_MEM_ADDR_/*")
  })
]
