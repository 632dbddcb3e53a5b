/**
 * The reader on corrupted files. `AGON_SLOW=1` tries 50,000 files instead of 2,000, with a new seed each
 * time. A failure names its seed, and `AGON_SEED=7` repeats it.
 */
import { DataType } from "@agon/onnx/DataType.ts"
import { AttributeType } from "@agon/onnx/Model.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { slow } from "../../../../test/support/slow.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { examineFiles } from "./static.ts"
import { branching, external, foldBomb, functionBomb, looping } from "./testing/hostileModels.ts"
import { Mutator } from "./testing/Mutator.ts"
import { board, convolving, counting, floats, ints, linear, manifest, weightClasses } from "./testing/testModels.ts"

boundedByEvents(vi)

const FILES = slow ? 50_000 : 2_000
const seed = Number(process.env.AGON_SEED ?? (slow ? Date.now() % 2 ** 32 : 20_261_121))
/** A file of the corpus is read within a few milliseconds; the rest is margin for a busy machine. */
const LONGEST_MS = 2_000

const sparse = linear(
  1,
  [
    {
      opType: "Constant",
      output: ["c"],
      attribute: [{ name: "value", type: AttributeType.TENSOR, t: ints("", [1, 2, 3]) }]
    },
    {
      opType: "Resize",
      input: ["obs", "", "", "sizes"],
      output: ["r"],
      attribute: [{ name: "mode", type: AttributeType.STRING, s: new TextEncoder().encode("nearest") }]
    }
  ],
  [
    ints("sizes", [1, 12, 11, 11]),
    { name: "d", dims: [2n], dataType: DataType.DOUBLE, doubleData: [1, 2] },
    floats("f", [2, 2], [1, 2, 3, 4])
  ]
)
const corpus = [
  linear(),
  counting(),
  convolving(1),
  sparse,
  looping(true),
  branching(),
  external("/etc/passwd"),
  functionBomb(4),
  foldBomb("Range")
]
const MANIFESTS = [manifest(), manifest({ memory: { flat: 1, cell: 0 } })]

describe("the reader", () => {
  it(`gives a verdict on ${FILES} corrupted files, each in time (seed ${seed})`, () => {
    console.info(`fuzz: seed ${seed}, ${FILES} files`)
    const mutator = new Mutator(seed, corpus)
    const manifests = new Mutator(seed, MANIFESTS)
    const counts = new Map<string, number>()
    for (let file = 0; file < FILES; file++) {
      const weights = mutator.next()
      const request = {
        game: "snakes",
        weights,
        manifest: file % 8 === 7 ? manifests.next() : MANIFESTS[file % 2]!,
        weight_classes: weightClasses,
        boards: [board]
      }
      const start_ms = performance.now()
      let reason: string
      try {
        const check = examineFiles(request)
        if (!check.ok) assert.strictEqual(check.verdict.verdict, "rejected", `file ${file} of seed ${seed}`)
        reason = check.ok ? "admissible" : check.verdict.verdict === "rejected" ? check.verdict.reject_reason : ""
      } catch (error) {
        throw new Error(`file ${file} of seed ${seed} throws`, { cause: error })
      }
      assert.isBelow(performance.now() - start_ms, LONGEST_MS, `file ${file} of seed ${seed}`)
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
    console.info([...counts].map(([reason, count]) => `${reason} ${count}`).join(", "))
    // If all files failed at the first step, the later ones would not be tested.
    for (const reason of [
      "weights_unreadable",
      "external_data",
      "unsupported_operator",
      "manifest_invalid",
      "wrong_signature",
      "admissible"
    ])
      assert.isAbove(counts.get(reason) ?? 0, FILES / 200, reason)
  })
})
