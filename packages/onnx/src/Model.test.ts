import { assert, describe, it } from "@effect/vitest"
import * as ort from "onnxruntime-web/wasm"
import { DataType } from "./DataType.ts"
import { AttributeType, DataLocation, decodeModel, encodeModel, type ModelInit } from "./Model.ts"

const bytesOf = (values: ReadonlyArray<number>) => new Uint8Array(new Float32Array(values).buffer)
const row = (name: string, size: number) => ({
  name,
  type: {
    value: {
      case: "tensorType" as const,
      value: {
        elemType: DataType.FLOAT,
        shape: {
          dim: [{ value: { case: "dimParam" as const, value: "N" } }, { value: { case: "dimValue" as const, value: BigInt(size) } }]
        }
      }
    }
  }
})

/** logits = obs x [[1, 10], [2, 20]] + 0.5 */
const affine: ModelInit = {
  irVersion: 8n,
  producerName: "agon",
  opsetImport: [{ domain: "", version: 17n }],
  graph: {
    name: "affine",
    node: [
      {
        opType: "Gemm",
        input: ["obs", "weights", "bias"],
        output: ["logits"],
        attribute: [{ name: "alpha", type: AttributeType.FLOAT, f: 1 }]
      }
    ],
    initializer: [
      { name: "weights", dims: [2n, 2n], dataType: DataType.FLOAT, rawData: bytesOf([1, 10, 2, 20]) },
      { name: "bias", dims: [2n], dataType: DataType.FLOAT, floatData: [0.5, 0.5] }
    ],
    input: [row("obs", 2)],
    output: [row("logits", 2)]
  }
}

describe("Model", () => {
  it("decodes what it encoded, with equal bytes on a second encoding", () => {
    const bytes = encodeModel(affine)
    const model = decodeModel(bytes)
    assert.strictEqual(model.irVersion, 8n)
    assert.deepStrictEqual(model.graph?.node[0]?.input, ["obs", "weights", "bias"])
    assert.deepStrictEqual(model.graph?.initializer[0]?.rawData, bytesOf([1, 10, 2, 20]))
    assert.deepStrictEqual(model.graph?.initializer[1]?.floatData, [0.5, 0.5])
    assert.deepStrictEqual(encodeModel(model), bytes)
  })

  it("shows the forbidden parts of a model: functions, training, subgraphs, external data, non-tensor types", () => {
    const model = decodeModel(
      encodeModel({
        functions: [{ name: "f", domain: "custom", node: [{ opType: "Relu" }], overload: "a" }],
        trainingInfo: [{ algorithm: { name: "descent" } }],
        graph: {
          node: [{ opType: "If", attribute: [{ name: "then_branch", type: AttributeType.GRAPH, g: { name: "inner" } }] }],
          initializer: [{ name: "w", dataLocation: DataLocation.EXTERNAL, externalData: [{ key: "location", value: "/etc/passwd" }] }],
          sparseInitializer: [{ values: { name: "s" }, dims: [4n] }],
          input: [{ name: "obs", type: { value: { case: "sequenceType", value: {} } } }]
        }
      })
    )
    assert.strictEqual(model.functions[0]?.overload, "a")
    assert.strictEqual(model.trainingInfo[0]?.algorithm?.name, "descent")
    assert.strictEqual(model.graph?.node[0]?.attribute[0]?.g?.name, "inner")
    assert.strictEqual(model.graph?.initializer[0]?.dataLocation, DataLocation.EXTERNAL)
    assert.strictEqual(model.graph?.initializer[0]?.externalData[0]?.value, "/etc/passwd")
    assert.strictEqual(model.graph?.sparseInitializer[0]?.values?.name, "s")
    assert.strictEqual(model.graph?.input[0]?.type?.value.case, "sequenceType")
  })

  it("copies no weights: raw data is a view into the bytes given", () => {
    const bytes = encodeModel(affine)
    const raw = decodeModel(bytes).graph?.initializer[0]?.rawData
    assert.strictEqual(raw?.buffer, bytes.buffer)
  })

  it("keeps fields it does not know, and writes them back", () => {
    const documented = new Uint8Array([...encodeModel(affine), 0x32, 2, 0x68, 0x69]) // field 6, doc_string: "hi"
    const model = decodeModel(documented)
    assert.deepStrictEqual(
      model.$unknown?.map((field) => field.no),
      [6]
    )
    assert.deepStrictEqual(decodeModel(encodeModel(model)).$unknown, model.$unknown)
  })

  it("throws on bytes that end in the middle of a field", () => {
    const bytes = encodeModel(affine)
    assert.throws(() => decodeModel(bytes.subarray(0, bytes.length - 3)))
  })

  it("writes models that onnxruntime loads and runs", async () => {
    ort.env.wasm.numThreads = 1
    const session = await ort.InferenceSession.create(encodeModel(affine))
    const answer = await session.run({ obs: new ort.Tensor("float32", [1, 1, 0, 3], [2, 2]) })
    assert.deepStrictEqual(Array.from(answer["logits"]!.data as Float32Array), [3.5, 30.5, 6.5, 60.5])
    await session.release()
  })
})
