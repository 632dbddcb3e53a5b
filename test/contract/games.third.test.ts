/**
 * A game is its folder and its entries in the engine's registry. A checkout whose registry lists the third
 * game of the engine's tests examines models of it, plays and shows a match and verifies it, and no other
 * file of that checkout was changed.
 */
import { execFile } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { engines } from "@agon/engine/registry.ts"
import { floats, manifest, model, port } from "@agon/sandbox/admission/testing/testModels.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const packages = readdirSync(join(root, "packages"))

/** The sources as they are, and the packages of others by links. */
const checkout = (): string => {
  const copy = mkdtempSync(join(tmpdir(), "agon-third-"))
  const modules = join(copy, "node_modules")
  mkdirSync(join(modules, "@agon"), { recursive: true })
  for (const name of readdirSync(join(root, "node_modules")))
    if (!name.startsWith(".") && name !== "@agon") symlinkSync(join(root, "node_modules", name), join(modules, name))
  for (const name of packages) {
    for (const part of ["package.json", "src"])
      cpSync(join(root, "packages", name, part), join(copy, "packages", name, part), { recursive: true })
    symlinkSync(join("../../packages", name), join(modules, "@agon", name))
  }
  return copy
}

/** The steps that CONTRIBUTING.md gives an author once the folder is there. */
const register = (copy: string) => {
  const registry = join(copy, "packages/engine/src/registry.ts")
  const before = readFileSync(registry, "utf8")
  const after = before
    .replace(/^(import type \{ Game \}.*\n)/m, `$1import { game as nimGame } from "./testing/nim/game.ts"\n`)
    .replace(/^(import type \{ Game \}.*\n)/m, `$1import { nim } from "./testing/nim/nim.ts"\n`)
    .replace(/^(export const engines\b.*)\]$/m, "$1, nim]")
    .replace(/^(export const games\b.*)\]$/m, "$1, nimGame]")
  assert.match(
    after,
    /import \{ nim \}[\s\S]*import \{ game as nimGame \}[\s\S]*, nim\]\n[\s\S]*, nimGame\]\n/,
    "the entries were not made"
  )
  writeFileSync(registry, after)
}

/** A heap's counters weigh more for the higher actions, whatever is left. */
const weights = model({
  node: [
    { opType: "GlobalAveragePool", input: ["obs"], output: ["pooled"] },
    { opType: "Flatten", input: ["pooled"], output: ["flat"] },
    { opType: "MatMul", input: ["flat", "weights"], output: ["logits"] }
  ],
  initializer: [floats("weights", [1, 3], [1, 2, 3])],
  input: [port("obs", ["N", 1, "H", "W"])],
  output: [port("logits", ["N", 3])]
})

describe("a third game that is registered", () => {
  const copy = checkout()
  const at = (name: string) => join(copy, name)
  const agon = (...args: ReadonlyArray<string>) =>
    new Promise<{ readonly status: number; readonly said: string }>((resolve) => {
      const child = execFile(process.execPath, [at("packages/cli/src/main.ts"), ...args], (_, out, err) =>
        resolve({ status: child.exitCode ?? -1, said: out + err })
      )
    })
  beforeAll(() => {
    register(copy)
    writeFileSync(at("taker.onnx"), weights)
    writeFileSync(at("taker.json"), manifest({ game: "nim" }))
  })
  afterAll(() => rmSync(copy, { recursive: true, force: true }))

  it("has its boards written for demonstration", async () => {
    const { status, said } = await agon("zoo", "--game", "nim", "--out", at("zoo"))
    assert.strictEqual(status, 0, said)
    const { boards } = JSON.parse(readFileSync(at("zoo/index.json"), "utf8"))
    assert.deepStrictEqual(
      boards.map(({ file, players }: { file: string; players: number }) => [file, players]),
      [
        ["nim/boards/heap-21.json", 2],
        ["nim/boards/heap-64.json", 2]
      ]
    )
  })

  it("has its models examined, on its own boards where the season has none", async () => {
    const examine = (...more: ReadonlyArray<string>) => agon("examine", at("taker.onnx"), at("taker.json"), "--json", ...more)
    const good = await examine("--game", "nim")
    assert.strictEqual(good.status, 0, good.said)
    assert.strictEqual(JSON.parse(good.said).verdict, "admitted")
    const elsewhere = await examine("--game", "othello")
    assert.strictEqual(JSON.parse(elsewhere.said).reject_reason, "manifest_invalid")
  })

  it("is played, shown turn by turn, and verified by the rules and with the models", async () => {
    writeFileSync(at("board.json"), JSON.stringify({ format: "nim-board/1", map_id: "heap-8", players: 2, rows: 2, cols: 4 }))
    const seats = [at("taker.onnx"), at("taker.onnx")]
    const played = await agon("play", "--game", "nim", "--board", at("board.json"), "--watch", "--replay", at("replay.json"), ...seats)
    assert.strictEqual(played.status, 0, played.said)
    // Both take three of eight as long as they can, then what is left.
    for (const frame of [
      "turn 0\no o o o\no o o o\n",
      "turn 1\no o o o\no . . .\n",
      "turn 2\no o . .\n. . . .\n",
      "turn 3: taken\n. . . .\n"
    ])
      assert.include(played.said, frame)
    const verified = await agon("verify", at("replay.json"), "--weights", copy)
    assert.strictEqual(verified.status, 0, verified.said)
    assert.match(verified.said, /by the rules: taken after 3 turns/)
  })
})

describe("the name of a game", () => {
  /** The zoo's list of designs, and the demonstration season, which is one game's. */
  const MAY = ["packages/zoo/src/zoo.ts", "packages/cli/src/season/demo.ts"]
  /** The site's drawings; a position of a game that it cannot draw is shown as a sentence. */
  const DRAWINGS = /^packages\/site\/src\/picture\//
  const ownFolder = new RegExp(`^packages/(engine|zoo)/src/(${engines.map(({ slug }) => slug).join("|")})/`)
  const named = new RegExp(`(["'\`])(${engines.map(({ slug }) => slug).join("|")})\\1`)

  it("is in the code of its folder and nowhere else", () => {
    const sources = packages.flatMap((name) =>
      readdirSync(join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" }).map((path) => `packages/${name}/src/${path}`)
    )
    const found = sources
      .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|\/testing\//.test(path) && !ownFolder.test(path) && !DRAWINGS.test(path))
      .filter((path) => named.test(readFileSync(join(root, path), "utf8").replace(/^\s*(\/\/|\/?\*).*$/gm, "")))
    assert.deepStrictEqual(found.sort(), [...MAY].sort())
  })
})
