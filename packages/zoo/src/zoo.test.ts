import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { Faults, readSlug } from "@agon/engine/untrusted.ts"
import { DataType } from "@agon/onnx/DataType.ts"
import { decodeModel } from "@agon/onnx/Model.ts"
import { assert, describe, it } from "@effect/vitest"
import { best, infer, loadPlayer } from "./testing/Lockstep.ts"
import { demoWeightClasses, zoo } from "./zoo.ts"

const planesOf: Readonly<Record<string, number>> = { snakes: 12, othello: 5 }
const models = zoo.map((entry) => ({ ...entry, ...entry.build() }))

const classOf = ({ manifest, weights }: (typeof models)[number]) =>
  demoWeightClasses.find(({ max_bytes }) => weights.length + manifest.length <= max_bytes)!

/** Observations of no particular meaning, the same on every run: small counts over 64 and the odd one. */
const noise = (length: number, seed: number): Float32Array => {
  let state = seed
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 30 === 0 ? 1 : (state >>> 26) % 4 === 0 ? (state >>> 20) / 4096 : 0
  })
}

describe("zoo", () => {
  it("has ten snakes models, each with a name and a rank of its own", () => {
    const snakes = zoo.filter(({ game }) => game === "snakes")
    assert.isAtLeast(snakes.length, 10)
    assert.strictEqual(new Set(zoo.map(({ name }) => name)).size, zoo.length)
    assert.deepStrictEqual(
      snakes.map(({ strength }) => strength),
      snakes.map((_, index) => index)
    )
    for (const { name } of zoo) assert.strictEqual(readSlug(new Faults(), "name", name), name)
  })

  it("fills every weight class of the demonstration season, and its memories fit their class", () => {
    const used = new Set<string>()
    for (const model of models) {
      const weightClass = classOf(model)
      const { memory } = JSON.parse(new TextDecoder().decode(model.manifest))
      used.add(weightClass.class)
      assert.isAtMost(memory.flat * 4, weightClass.memory_flat_bytes)
      assert.isAtMost(memory.cell * 4, weightClass.memory_cell_bytes)
    }
    assert.deepStrictEqual(
      demoWeightClasses.map((row) => row.class).filter((name) => !used.has(name)),
      []
    )
  })

  it("has in the README's tables the models of each game, weakest first, with class and bytes as they are", () => {
    const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")
    const told = [...readme.matchAll(/^\| ([a-z]+(?:-[a-z]+)*) +\| (nano|micro|mini|small|large|open) +\|(?: ([\d,]+) +\|)?/gm)].map(
      ([, name, ladder, bytes]) => [name, ladder, bytes === undefined ? undefined : Number(bytes.replaceAll(",", ""))]
    )
    const found = models.map((model) => [model.name, classOf(model).class, model.game === "snakes" ? model.weights.length : undefined])
    assert.deepStrictEqual(told, found)
  })

  it("builds the same bytes again", () => {
    const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
    for (const { name, build, weights, manifest } of models) {
      const again = build()
      assert.strictEqual(sha256(again.weights), sha256(weights), name)
      assert.strictEqual(sha256(again.manifest), sha256(manifest), name)
    }
  })

  it("writes manifests as canonical JSON", () => {
    for (const { name, game, manifest } of models) {
      const text = new TextDecoder().decode(manifest)
      const fields = JSON.parse(text)
      assert.strictEqual(JSON.stringify(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))), text)
      assert.include(fields, { format: "agon-manifest/1", game, name, opset: 17, runtime: "onnx" })
    }
  })

  it("uses only plain operators of the standard domain, and float32 at every input and output", () => {
    const plain =
      "Add Cast Clip Concat Conv Equal Flatten Floor Gather Identity Max Min Mul ReduceMax ReduceSum Relu Shape Slice Squeeze Sub Sum Unsqueeze"
    for (const { name, weights } of models) {
      const { graph } = decodeModel(weights)
      const foreign = graph!.node.filter(({ opType, domain }) => domain !== "" || !plain.split(" ").includes(opType))
      assert.deepStrictEqual(foreign, [], name)
      for (const { type } of [...graph!.input, ...graph!.output]) {
        assert.strictEqual(type?.value.case === "tensorType" && type.value.value.elemType, DataType.FLOAT, name)
      }
    }
  })

  it("gives finite logits of the right shape on boards of every size, the same bits twice, and the same choices alone as in a batch", async () => {
    for (const { name, game, weights, manifest } of models) {
      const player = await loadPlayer({ weights, manifest })
      const other = await loadPlayer({ weights, manifest })
      const planes = planesOf[game]!
      const sizes =
        game === "snakes"
          ? ([
              [5, 5],
              [5, 25],
              [11, 7],
              [25, 25]
            ] as const)
          : ([
              [4, 4],
              [8, 8],
              [6, 16]
            ] as const)
      for (const [rows, cols] of sizes) {
        const actions = game === "snakes" ? 4 : rows * cols
        const batch = 3
        const obs = noise(batch * planes * rows * cols, rows * 100 + cols)
        for (let at = 0; at < batch; at++) obs.fill(0, at * planes * rows * cols, (at * planes + 1) * rows * cols)
        for (let at = 0; at < batch; at++) obs[at * planes * rows * cols + 7 + at] = 1
        const memory = () =>
          [new Float32Array(batch * player.memory.flat), new Float32Array(batch * player.memory.cell * rows * cols)] as const
        const first = await infer(player, obs, [batch, planes, rows, cols], ...memory())
        const second = await infer(other, obs, [batch, planes, rows, cols], ...memory())
        assert.strictEqual(first.length, batch * actions, name)
        assert.ok(first.every(Number.isFinite), name)
        assert.deepStrictEqual(new Uint32Array(first.slice().buffer), new Uint32Array(second.slice().buffer), name)
        for (let at = 0; at < batch; at++) {
          const size = planes * rows * cols
          const [flat, cell] = memory()
          const alone = await infer(
            player,
            obs.slice(at * size, (at + 1) * size),
            [1, planes, rows, cols],
            flat.subarray(0, player.memory.flat),
            cell.subarray(0, player.memory.cell * rows * cols)
          )
          const legal = new Uint8Array(actions).fill(1)
          assert.strictEqual(best(alone, legal), best(first.subarray(at * actions, (at + 1) * actions), legal), name)
        }
      }
    }
  }, 300_000)
})
