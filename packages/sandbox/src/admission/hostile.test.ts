/** Files refused before they run, and the order of the checks. Files that need a run are in `Arena.hostile.test.ts`. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import type { ExamineRequest, Rejected, WeightClass } from "../Verdict.ts"
import { classOf, examineFiles } from "./static.ts"
import { branching, chain, drawing, external, foldBomb, functionBomb, looping, MAKERS, scanning } from "./testing/hostileModels.ts"
import { ints, linear, manifest, model, port, snakesInput, snakesOutput, weightClasses } from "./testing/testModels.ts"

const boards = [
  { rows: 11, cols: 11, players: 2 },
  { rows: 7, cols: 19, players: 4 }
]
const reasonOf = (weights: Uint8Array, over: Partial<ExamineRequest> = {}): string => {
  const check = examineFiles({ game: "snakes", weights, manifest: manifest(), weight_classes: weightClasses, boards, ...over })
  return check.ok ? "admissible" : check.verdict.verdict === "failed" ? check.verdict.detail : check.verdict.reject_reason
}
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/**
 * A model of exactly `bytes`, padded with a producer's name that nothing reads. The name's length
 * takes two bytes from 128 on.
 */
const sized = (graph: Parameters<typeof model>[0], bytes: number) => {
  const rest = bytes - model(graph).length - 3
  assert.isAtLeast(rest, 128)
  const weights = model(graph, 17, { producerName: "x".repeat(rest) })
  assert.strictEqual(weights.length, bytes)
  return weights
}
const flattening = { node: [{ opType: "Flatten", input: ["obs"], output: ["logits"] }], input: [snakesInput], output: [snakesOutput] }

describe("hostile files", () => {
  it("refuses external data at any location, the runtime's own memory included", () => {
    for (const location of ["/etc/passwd", "/proc/self/environ", "weights.bin", "../../secret", "*/_ORT_MEM_ADDR_/*", ""])
      assert.strictEqual(reasonOf(external(location)), "external_data", location)
  })

  it("refuses Loop, If and Scan with bodies that the runtime would run", () => {
    for (const weights of [looping(false), looping(true), branching(), scanning()])
      assert.strictEqual(reasonOf(weights), "unsupported_operator")
  })

  it("refuses functions that would be inlined to a billion nodes, without inlining one", () => {
    const start_ms = performance.now()
    assert.strictEqual(reasonOf(functionBomb(30)), "unsupported_operator")
    assert.isBelow(performance.now() - start_ms, 1_000)
  })

  it("refuses 200,000 nodes while it counts them, within a second", () => {
    const weights = chain(200_000)
    const start_ms = performance.now()
    assert.strictEqual(reasonOf(weights), "weights_unreadable")
    assert.isBelow(performance.now() - start_ms, 1_000)
  })

  it("are examined in time that grows with their size, however many inputs and outputs a node has", () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `s${i}`)
    const split = { opType: "Split", input: ["obs"], output: many }
    const lists = Array.from({ length: 4_000 }, (_, i) => ints(`e${i}`, []))
    const reshapes = lists.map(({ name }) => ({ opType: "Reshape", input: ["obs", name!], output: [`of ${name}`] }))
    const graphs = {
      "a sum of everything": linear(1, [{ opType: "Sum", input: Array(900_000).fill("obs"), output: ["t"] }]),
      "pieces put together": linear(1, [split, { opType: "Concat", input: many, output: ["t"] }]),
      "thousands of empty lists": linear(1, [...reshapes, { opType: "Sum", input: Array(500_000).fill("obs"), output: ["t"] }], lists)
    }
    for (const [what, weights] of Object.entries(graphs)) {
      const start = process.threadCpuUsage()
      assert.strictEqual(reasonOf(weights), "admissible", what)
      assert.isBelow(process.threadCpuUsage(start).user, 5_000_000, what)
    }
  })

  it("are refused in one line of text that any column keeps, whatever their names are", () => {
    const names = ["\0", "\ud83d", `${"x".repeat(63)}😀`, "\u001b[31m", "a\nb", "\u2028", "\u202e", "\u009b"]
    for (const name of names) {
      const bad = new TextEncoder().encode(JSON.stringify({ [name]: 1, memory: { [name]: 1 } }))
      const operator = model({ node: [{ opType: name, name, domain: name, input: ["obs"], output: [name] }] })
      for (const [weights, over] of [
        [linear(), { manifest: bad }],
        [operator, {}]
      ] as const) {
        const check = examineFiles({ game: "snakes", weights, manifest: manifest(), weight_classes: weightClasses, boards, ...over })
        const { reject_detail } = (check as { readonly verdict: Rejected }).verdict
        assert.notMatch(reject_detail, /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202e]/u, JSON.stringify(name))
      }
    }
  })

  it("refuses random numbers, seeded or not", () => {
    for (const opType of ["RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike"])
      for (const seed of [undefined, 7]) assert.strictEqual(reasonOf(drawing(opType, seed)), "unsupported_operator")
  })

  it("leaves sizes that the graph computes to the memory cap", () => {
    for (const opType of MAKERS) assert.strictEqual(reasonOf(foldBomb(opType)), "admissible", opType)
  })

  it("detects swapped weights and manifest: by their hashes, and without hashes as an invalid manifest", () => {
    const hashes = { weights_hash: sha256(linear()), manifest_hash: sha256(manifest()) }
    assert.strictEqual(reasonOf(linear(), hashes), "admissible")
    assert.strictEqual(reasonOf(manifest(), { manifest: linear(), ...hashes }), "hash_mismatch")
    assert.strictEqual(reasonOf(manifest(), { manifest: linear() }), "manifest_invalid")
  })
})

describe("the size of a model", () => {
  const classes: ReadonlyArray<WeightClass> = [
    { class: "open", max_bytes: 8_192, memory_flat_bytes: 64, memory_cell_bytes: 0 },
    { class: "nano", max_bytes: 1_024, memory_flat_bytes: 8, memory_cell_bytes: 0 },
    { class: "micro", max_bytes: 4_096, memory_flat_bytes: 16, memory_cell_bytes: 4 }
  ]

  it("puts it into the smallest class that holds it, limit included", () => {
    for (const [bytes, name] of [
      [0, "nano"],
      [1_023, "nano"],
      [1_024, "nano"],
      [1_025, "micro"],
      [4_096, "micro"],
      [4_097, "open"],
      [8_192, "open"]
    ] as const)
      assert.strictEqual(classOf(bytes, classes).class, name, String(bytes))
  })

  it("counts weights and manifest together, and is refused from one byte above the largest class", () => {
    const weights_bytes = 8_192 - manifest().length
    assert.strictEqual(reasonOf(sized(flattening, weights_bytes), { weight_classes: classes }), "admissible")
    assert.strictEqual(reasonOf(sized(flattening, weights_bytes + 1), { weight_classes: classes }), "too_large")
  })

  it("decides its memory limit: memory of the next class is refused one byte below that class", () => {
    const remembering = (bytes: number, flat: number) => {
      const file = manifest({ memory: { flat, cell: 0 } })
      const ports = (suffix: string) => port(`memory_flat${suffix}`, ["N", flat])
      const graph = {
        node: [
          { opType: "Flatten", input: ["obs"], output: ["logits"] },
          { opType: "Neg", input: ["memory_flat"], output: ["memory_flat_out"] }
        ],
        input: [snakesInput, ports("")],
        output: [snakesOutput, ports("_out")]
      }
      const weights = sized(graph, bytes - file.length)
      return reasonOf(weights, { manifest: file, weight_classes: classes })
    }
    for (const [bytes, flat, reason] of [
      [1_024, 2, "admissible"],
      [1_024, 3, "memory_over_class"],
      [4_096, 125, "admissible"],
      [4_096, 126, "memory_over_class"],
      [8_192, 16, "admissible"],
      [8_192, 17, "memory_over_class"]
    ] as const)
      assert.strictEqual(remembering(bytes, flat), reason, `${bytes} bytes, ${flat} floats`)
  })
})

describe("the order of the checks", () => {
  /** Each file has the fault of its own step and every fault of later steps that one file can combine. */
  it("is the order of the steps: the first fault gives the reason", () => {
    const small = [{ ...weightClasses[0]!, max_bytes: 100 }]
    const bad = manifest({ game: "othello" })
    const nested = looping(true)
    const wrong = model({ node: [{ opType: "Loop", input: ["obs"], output: ["x"] }], input: [], output: [] })
    const garbage = new Uint8Array(500).fill(7)
    const greedy = manifest({ memory: { flat: 1_000_000, cell: 0 } })
    for (const [reason, weights, over] of [
      ["hash_mismatch", garbage, { weights_hash: sha256(nested), weight_classes: small, manifest: bad }],
      ["too_large", garbage, { weight_classes: small, manifest: bad }],
      ["manifest_invalid", garbage, { manifest: bad }],
      ["weights_unreadable", garbage, { manifest: greedy }],
      ["external_data", external("/etc/passwd"), { manifest: manifest({ opset: 9 }) }],
      ["manifest_invalid", wrong, { manifest: manifest({ opset: 9, memory: { flat: 1_000_000, cell: 0 } }) }],
      ["unsupported_operator", wrong, { manifest: greedy }],
      ["wrong_signature", linear(), { manifest: greedy }]
    ] as const)
      assert.strictEqual(reasonOf(weights, over), reason)
  })
})
