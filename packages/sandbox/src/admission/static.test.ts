import { createHash } from "node:crypto"
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType, DataLocation, type ModelInit } from "@agon/onnx/Model.ts"
import { assert, describe, it } from "@effect/vitest"
import type { ExamineRequest } from "../Verdict.ts"
import { examineFiles } from "./static.ts"
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
} from "./testing/testModels.ts"

const boards = [
  { rows: 11, cols: 11, players: 2 },
  { rows: 7, cols: 19, players: 4 }
]
const request = (weights: Uint8Array, over: Partial<ExamineRequest> = {}): ExamineRequest => ({
  game: "snakes",
  weights,
  manifest: manifest(),
  weight_classes: weightClasses,
  boards,
  ...over
})

/** The reason for refusing the files, or "admissible". */
const reasonOf = (weights: Uint8Array, over: Partial<ExamineRequest> = {}): string => {
  const check = examineFiles(request(weights, over))
  if (check.ok) return "admissible"
  if (check.verdict.verdict === "failed") return `failed: ${check.verdict.detail}`
  assert.match(check.verdict.reject_detail, /^[A-Z].*[.…]$/, "the detail is a sentence")
  return check.verdict.reject_reason
}

/** Reason and sentence. */
const detailOf = (weights: Uint8Array) => {
  const check = examineFiles(request(weights))
  assert.isFalse(check.ok)
  return check.ok || check.verdict.verdict === "failed" ? "" : `${check.verdict.reject_reason}: ${check.verdict.reject_detail}`
}

/** A good model with one node in front of it. */
const withNode = (node: Node, initializers: ReadonlyArray<Initializer> = []) => linear(1, [node], initializers)
const withTensor = (tensor: Initializer) => linear(1, [], [tensor])
const whole = (rest: ModelInit) =>
  model({ node: [{ opType: "Flatten", input: ["obs"], output: ["logits"] }], input: [snakesInput], output: [snakesOutput] }, 17, rest)
const ports = (input: ReadonlyArray<ReturnType<typeof port>>, output: ReadonlyArray<ReturnType<typeof port>>) =>
  model({ node: [{ opType: "Relu", input: ["obs"], output: ["logits"] }], input: [...input], output: [...output] })

describe("examineFiles", () => {
  it("finds good models admissible, with fixed and with symbolic dimensions", () => {
    assert.strictEqual(reasonOf(linear()), "admissible")
    const fixed = ports([port("obs", [1, 12, 11, 11])], [port("logits", [1, 4])])
    assert.strictEqual(reasonOf(fixed, { boards: [boards[0]!] }), "admissible")
  })

  it("counts the elements of initializers and constants", () => {
    const check = examineFiles(
      request(
        withNode({ opType: "Constant", output: ["c"], attribute: [{ name: "value", type: AttributeType.TENSOR, t: ints("", [1, 2, 3]) }] })
      )
    )
    assert.isTrue(check.ok)
    if (check.ok) assert.strictEqual(check.plan.param_count, 48 + 3)
  })

  it("checks hashes before anything else", () => {
    const hash = createHash("sha256").update(linear()).digest("hex")
    assert.strictEqual(reasonOf(linear(), { weights_hash: hash }), "admissible")
    assert.strictEqual(reasonOf(new Uint8Array(3), { weights_hash: hash }), "hash_mismatch")
    assert.strictEqual(reasonOf(linear(), { manifest_hash: hash }), "hash_mismatch")
  })

  it("refuses files larger than every class without reading them", () => {
    assert.strictEqual(reasonOf(linear(), { weight_classes: [{ ...weightClasses[0]!, max_bytes: 100 }] }), "too_large")
  })

  it("refuses manifests that are wrong, for another game, or of another opset than the model", () => {
    for (const over of [{ format: "x" }, { game: "othello" }, { opset: 18 }])
      assert.strictEqual(reasonOf(linear(), { manifest: manifest(over) }), "manifest_invalid")
  })

  it("refuses garbage, truncated files, files without a graph, and ONNX Runtime's own format", () => {
    const good = linear()
    const garbage = Uint8Array.from({ length: 5_000 }, (_, i) => (i * 2_654_435_761) >>> 24)
    for (const bytes of [
      new Uint8Array(0),
      garbage,
      good.subarray(0, good.length - 9),
      new TextEncoder().encode("PK\u0003\u0004 a zip file")
    ])
      assert.strictEqual(reasonOf(bytes), "weights_unreadable")
    assert.strictEqual(reasonOf(new Uint8Array([8, 8])), "weights_unreadable")
    // A readable ONNX file whose producer's name puts the mark where ONNX Runtime looks for it.
    assert.strictEqual(reasonOf(whole({ producerName: "ORTM" })), "weights_unreadable")
  })

  it("refuses tensors whose dimensions are negative, overflow, or claim terabytes of missing data", () => {
    for (const dims of [[-1n], [-1n, -48n], [1n << 62n, 4n], [1n << 40n], [3n, 5n], Array(17).fill(1n)])
      assert.strictEqual(reasonOf(withTensor({ ...floats("t", [], [1]), dims })), "weights_unreadable", String(dims))
    assert.strictEqual(reasonOf(withTensor({ name: "t", dims: [4n], dataType: DataType.FLOAT })), "weights_unreadable")
    assert.strictEqual(
      reasonOf(withTensor({ ...floats("t", [1], [1]), segment: { begin: 0n, end: 1n } } as Initializer)),
      "weights_unreadable"
    )
  })

  it("refuses external data, absolute and relative, in initializers and attributes, at any depth", () => {
    for (const location of ["/etc/passwd", "weights.bin", "../../secret", "*/_ORT_MEM_ADDR_/*"]) {
      const tensor: Initializer = {
        name: "t",
        dims: [1n],
        dataType: DataType.FLOAT,
        dataLocation: DataLocation.EXTERNAL,
        externalData: [{ key: "location", value: location }]
      }
      assert.strictEqual(reasonOf(withTensor(tensor)), "external_data")
      const attribute = { name: "value", type: AttributeType.TENSOR, t: tensor }
      assert.strictEqual(reasonOf(withNode({ opType: "Constant", output: ["c"], attribute: [attribute] })), "external_data")
      const inner = { node: [{ opType: "Constant", output: ["c"], attribute: [attribute] }] }
      const branch = { name: "body", type: AttributeType.GRAPH, g: inner }
      assert.strictEqual(reasonOf(withNode({ opType: "Loop", output: ["c"], attribute: [branch] })), "external_data")
    }
  })

  it("refuses foreign domains, functions, training and unsupported opsets", () => {
    const standard = { domain: "", version: 17n }
    assert.strictEqual(
      reasonOf(withNode({ opType: "Relu", domain: "com.microsoft", input: ["obs"], output: ["x"] })),
      "unsupported_operator"
    )
    assert.strictEqual(reasonOf(whole({ opsetImport: [standard, standard] })), "unsupported_operator")
    assert.strictEqual(reasonOf(whole({ opsetImport: [standard, { domain: "ai.onnx", version: 17n }] })), "unsupported_operator")
    assert.strictEqual(reasonOf(whole({ opsetImport: [] })), "unsupported_operator")
    assert.strictEqual(reasonOf(whole({ opsetImport: [{ domain: "", version: 99n }] })), "unsupported_operator")
    assert.strictEqual(reasonOf(whole({ functions: [{ name: "f", domain: "d" }] })), "unsupported_operator")
    assert.strictEqual(reasonOf(whole({ trainingInfo: [{}] })), "unsupported_operator")
  })

  it("refuses two values of one name, of which readers take different ones", () => {
    const constant = (output: string): Node => ({
      opType: "Constant",
      output: [output],
      attribute: [{ name: "value_float", type: AttributeType.FLOAT, f: 1 }]
    })
    for (const [name, weights] of [
      ["weights", linear(1, [], [floats("weights", [1], [1])])],
      ["weights", withNode(constant("weights"))],
      ["k", linear(1, [constant("k"), constant("k")])],
      ["obs", withNode(constant("obs"))]
    ] as const)
      assert.strictEqual(detailOf(weights), `weights_unreadable: Two values have the name "${name}"; give each its own.`)
  })

  it("takes operator sets that exporters list and no node uses, in a bounded number", () => {
    const standard = { domain: "", version: 17n }
    const listed = (count: number) => Array.from({ length: count }, (_, i) => ({ domain: `set ${i}`, version: 1n }))
    assert.strictEqual(reasonOf(whole({ opsetImport: [...listed(15), standard, ...listed(16)] })), "admissible")
    assert.strictEqual(reasonOf(whole({ opsetImport: [standard, ...listed(32)] })), "unsupported_operator")
    assert.strictEqual(reasonOf(whole({ opsetImport: listed(1) })), "unsupported_operator")
  })

  it("says how to do without the operators that exporters write most often", () => {
    const advice = {
      If: "replace a branch on values by Where, and give squeeze the axes",
      Loop: "unroll it, or use an operator that works on the whole tensor",
      RandomNormalLike: "a model draws no random numbers",
      SequenceAt: "use Concat and Split on tensors in place of lists"
    }
    for (const [opType, mend] of Object.entries(advice)) {
      const said = detailOf(withNode({ opType, name: "/x", input: ["obs"], output: ["x"] }))
      assert.strictEqual(said, `unsupported_operator: Operator ${opType} "/x" is not one of the supported operators; ${mend}.`)
    }
  })

  it("refuses operators that hold graphs, draw numbers, or handle texts, sequences and optionals", () => {
    const kinds = [
      "If",
      "Loop",
      "Scan",
      "SequenceMap",
      "RandomNormal",
      "RandomUniformLike",
      "Multinomial",
      "Bernoulli",
      "SequenceConstruct"
    ]
    for (const opType of [...kinds, "StringNormalizer", "TfIdfVectorizer", "Optional", "ImageDecoder", "NoSuchOperator", ""])
      assert.strictEqual(reasonOf(withNode({ opType, input: ["obs"], output: ["x"] })), "unsupported_operator", opType)
  })

  it("refuses a node without an operator, and one with an attribute twice, by a sentence that says so", () => {
    const mode = { name: "mode", type: AttributeType.STRING, s: Buffer.from("wrap") }
    assert.strictEqual(
      detailOf(withNode({ opType: "Pad", input: ["obs"], output: ["x"], attribute: [mode, { ...mode, s: Buffer.from("constant") }] })),
      'unsupported_operator: Operator Pad has the attribute "mode" twice.'
    )
    assert.strictEqual(
      detailOf(withNode({ input: ["obs"], output: ["x"] })),
      "unsupported_operator: Operator without a name is not one of the supported operators."
    )
  })

  it("refuses graphs inside allowed operators, training modes, sparse initializers and texts", () => {
    const holding = (attribute: NonNullable<Node["attribute"]>[number], opType = "Relu"): Node => ({
      opType,
      input: ["obs"],
      output: ["x"],
      attribute: [attribute]
    })
    const training = { name: "training_mode", type: AttributeType.INT, i: 1n }
    for (const node of [
      holding({ name: "body", type: AttributeType.GRAPH, g: {} }),
      holding({ name: "bodies", type: AttributeType.GRAPHS, graphs: [{}] }),
      holding({ name: "alpha", refAttrName: "alpha" }),
      holding(training, "BatchNormalization"),
      holding({ name: "value_string", type: AttributeType.STRING, s: new Uint8Array(1) }, "Constant"),
      { opType: "Dropout", input: ["obs", "ratio", "training"], output: ["x"] }
    ])
      assert.strictEqual(reasonOf(withNode(node)), "unsupported_operator")
    assert.strictEqual(
      reasonOf(withTensor({ name: "t", dims: [1n], dataType: DataType.STRING, stringData: [new Uint8Array(1)] })),
      "unsupported_operator"
    )
  })

  it("refuses huge tensors made of small constants, and names the operator", () => {
    const make = (opType: string, input: ReadonlyArray<string>): Node => ({ opType, name: "huge", input: [...input], output: ["x"] })
    const terabyte = ints("sizes", [1_000_000, 1_000_000])
    const cases: ReadonlyArray<readonly [Node, ReadonlyArray<Initializer>]> = [
      [make("ConstantOfShape", ["sizes"]), [terabyte]],
      [make("Tile", ["obs", "sizes"]), [ints("sizes", [1, 1, 100_000, 100_000])]],
      [make("Tile", ["obs", "sizes"]), [floats("sizes", [1], [Number.NaN])]],
      [make("Expand", ["obs", "sizes"]), [terabyte]],
      [make("Range", ["a", "b", "c"]), [ints("a", [0], []), ints("b", [1e12], []), ints("c", [1], [])]],
      [make("Range", ["a", "b", "c"]), [ints("a", [0], []), ints("b", [5], []), ints("c", [0], [])]],
      [make("Range", ["obs", "b", "c"]), [ints("b", [5], []), ints("c", [0], [])]],
      [make("OneHot", ["obs", "sizes", "values"]), [ints("sizes", [1e9], [])]],
      [make("Pad", ["obs", "sizes"]), [ints("sizes", [0, 0, 0, 0, 0, 0, 1e6, 1e6])]],
      [make("Resize", ["obs", "", "", "sizes"]), [ints("sizes", [1, 12, 1e6, 1e6])]],
      [make("Resize", ["obs", "", "scales"]), [floats("scales", [4], [1, 1, 1e6, Number.POSITIVE_INFINITY])]],
      [make("Resize", ["obs", "scales"]), [floats("scales", [4], [1, 1, 1, 1e12])]],
      [{ ...make("MaxPool", ["obs"]), attribute: [{ name: "pads", type: AttributeType.INTS, ints: [0n, 0n, 1n << 40n, 0n] }] } as Node, []]
    ]
    for (const [node, initializers] of cases) {
      const check = examineFiles(request(withNode(node, initializers)))
      assert.isFalse(check.ok, node.opType ?? "")
      if (!check.ok && check.verdict.verdict === "rejected") {
        assert.strictEqual(check.verdict.reject_reason, "unsupported_operator")
        assert.include(check.verdict.reject_detail, '"huge"')
      }
    }
  })

  it("refuses the same where the size comes from a Constant node", () => {
    const constant: Node = {
      opType: "Constant",
      output: ["sizes"],
      attribute: [{ name: "value_ints", type: AttributeType.INTS, ints: [1n << 40n] }]
    }
    const made: Node = { opType: "ConstantOfShape", input: ["sizes"], output: ["x"] }
    assert.strictEqual(reasonOf(linear(1, [constant, made])), "unsupported_operator")
  })

  it("refuses inputs and outputs that are missing, extra, doubled, of another type or shape", () => {
    const memory = port("memory_flat", ["N", 8])
    const other = (dims: ReadonlyArray<number | string>, type?: number) => port("obs", dims, type)
    for (const [input, output] of [
      [[], [snakesOutput]],
      [[snakesInput], []],
      [[snakesInput, memory], [snakesOutput]],
      [[snakesInput], [snakesOutput, port("value", ["N", 1])]],
      [[snakesInput, snakesInput], [snakesOutput]],
      [[port("input", ["N", 12, "H", "W"])], [snakesOutput]],
      [[other(["N", 12, "H", "W"], DataType.DOUBLE)], [snakesOutput]],
      [[other(["N", 11, "H", "W"])], [snakesOutput]],
      [[other(["N", 12, "H"])], [snakesOutput]],
      [[other([2, 12, "H", "W"])], [snakesOutput]],
      [[other([-1, 12, "H", "W"])], [snakesOutput]],
      [[snakesInput], [port("logits", ["N", 5])]],
      [[snakesInput], [port("logits", ["N", 4], DataType.INT64)]]
    ] as const)
      assert.strictEqual(reasonOf(ports(input, output)), "wrong_signature")
  })

  it("says of a port what was found and what is expected", () => {
    for (const [input, output, sentence] of [
      [[port("obs", ["N", 12, "H", "W"], DataType.DOUBLE)], [snakesOutput], 'Input "obs" must be float32, is float64.'],
      [[snakesInput], [port("logits", ["N", 4], DataType.FLOAT16)], 'Output "logits" must be float32, is float16.'],
      [[snakesInput], [port("logits", [4])], 'Output "logits" has 1 dimension; it must be [N, 4].'],
      [[snakesInput], [], 'Output "logits" is missing; with this manifest the game has logits.']
    ] as const)
      assert.strictEqual(detailOf(ports(input, output)), `wrong_signature: ${sentence}`)
  })

  it("refuses fixed sizes that fit only some of the season's boards", () => {
    assert.strictEqual(reasonOf(ports([port("obs", [1, 12, 11, 11])], [snakesOutput])), "wrong_signature")
  })

  it("requires exactly the memories that the manifest declares", () => {
    const declared = { manifest: manifest({ memory: { flat: 8, cell: 2 } }) }
    const input = [snakesInput, port("memory_flat", ["N", 8]), port("memory_cell", ["N", 2, "H", "W"])]
    const output = [snakesOutput, port("memory_flat_out", ["N", 8]), port("memory_cell_out", ["N", 2, "H", "W"])]
    assert.strictEqual(reasonOf(ports(input, output), declared), "admissible")
    assert.strictEqual(reasonOf(ports(input, output.slice(0, 2)), declared), "wrong_signature")
    assert.strictEqual(reasonOf(ports(input, output)), "wrong_signature")
  })

  it("refuses memory above what the class allows on some board", () => {
    const over = { manifest: manifest({ memory: { flat: 0, cell: 8 } }) }
    const weights = ports(
      [snakesInput, port("memory_cell", ["N", 8, "H", "W"])],
      [snakesOutput, port("memory_cell_out", ["N", 8, "H", "W"])]
    )
    assert.strictEqual(reasonOf(weights, over), "memory_over_class")
    const { manifest: four } = { manifest: manifest({ memory: { flat: 256, cell: 4 } }) }
    const fitting = ports(
      [snakesInput, port("memory_flat", ["N", 256]), port("memory_cell", ["N", 4, "H", "W"])],
      [snakesOutput, port("memory_flat_out", ["N", 256]), port("memory_cell_out", ["N", 4, "H", "W"])]
    )
    assert.strictEqual(reasonOf(fitting, { manifest: four }), "admissible")
  })
})

describe("unsupported element types", () => {
  const unplayed = [DataType.STRING, DataType.COMPLEX64, DataType.COMPLEX128, DataType.BFLOAT16, 17, 18, 19, 20, 21, 22, 23, 24, 99]
  const attribute = (name: string, i: number) => ({ name, type: AttributeType.INT, i: BigInt(i) })

  it("are refused wherever an attribute names one", () => {
    for (const [opType, name] of [
      ["Cast", "to"],
      ["EyeLike", "dtype"],
      ["QuantizeLinear", "output_dtype"],
      ["LayerNormalization", "stash_type"],
      ["Attention", "softmax_precision"]
    ] as const)
      for (const type of unplayed) {
        const weights = withNode({ opType, name: "made", input: ["obs"], output: ["x"], attribute: [attribute(name, type)] })
        assert.match(
          detailOf(weights),
          /^unsupported_operator: Operator \w+ "made" makes the element type .*; float16, .* are supported/,
          `${opType} ${type}`
        )
      }
  })

  it("are refused in initializers, in the value of a ConstantOfShape, and in declared values", () => {
    const tensor = (type: number): Initializer => ({ name: "t", dims: [1n], dataType: type, rawData: new Uint8Array(4) })
    const value = (type: number) => ({ name: "value", type: AttributeType.TENSOR, t: tensor(type) })
    for (const type of unplayed) {
      assert.match(detailOf(withTensor(tensor(type))), /^unsupported_operator: The tensor in initializer "t" has the element type/)
      const made: Node = { opType: "ConstantOfShape", input: ["s"], output: ["x"], attribute: [value(type)] }
      assert.match(detailOf(withNode(made, [ints("s", [1])])), /^unsupported_operator: The tensor in attribute "value" of/)
      const declaring = model({
        node: [{ opType: "Flatten", input: ["obs"], output: ["logits"] }],
        input: [snakesInput],
        output: [snakesOutput],
        valueInfo: [port("inner", [1], type)]
      })
      assert.match(detailOf(declaring), /^unsupported_operator: The value "inner" has the element type/)
    }
  })

  it("do not include the twelve supported ones", () => {
    for (const type of [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13])
      assert.strictEqual(
        reasonOf(withNode({ opType: "Cast", input: ["obs"], output: ["x"], attribute: [attribute("to", type)] })),
        "admissible",
        String(type)
      )
  })
})

describe("examineFiles on corrupted bytes", () => {
  it("answers for every flipped byte, every cut and every doubled stretch with a reason that such a file can have", () => {
    const good = withNode({
      opType: "Relu",
      input: ["obs"],
      output: ["x"],
      attribute: [{ name: "v", type: AttributeType.TENSOR, t: ints("t", [1, 2]) }]
    })
    const reasons = new Map<string, number>()
    const count = (reason: string) => reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    const cuts = new Set<string>()
    for (let at = 0; at < good.length; at++) {
      for (const mask of [0xff, 0x01, 0x80]) {
        const flipped = good.slice()
        flipped[at] = flipped[at]! ^ mask
        count(reasonOf(flipped))
      }
      cuts.add(reasonOf(good.subarray(0, at)))
      count(reasonOf(Buffer.concat([good.subarray(0, at), good.subarray(Math.max(0, at - 40))])))
    }
    // The graph comes after the IR version and before the operator set, so a cut leaves no graph, half
    // a graph, or no operator set.
    assert.sameMembers([...cuts], ["weights_unreadable", "unsupported_operator"])
    assert.isEmpty(
      [...reasons.keys()].filter(
        (reason) => !/^(admissible|weights_unreadable|unsupported_operator|external_data|wrong_signature|manifest_invalid)$/.test(reason)
      )
    )
    assert.isAbove(reasons.get("admissible")!, 100) // the numbers of the weights may be any
    assert.isAbove(reasons.get("weights_unreadable")!, good.length)
    assert.isAbove(reasons.get("wrong_signature")!, 10)
  })
})
