import { execFile, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { boardsOf } from "@agon/engine/registry.ts"
import { undecided } from "@agon/sandbox/admission/testing/testModels.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"

// The commands start processes and run models, which takes minutes on a busy machine.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 })

const main = fileURLToPath(new URL("./main.ts", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "agon-cli-"))
const at = (name: string) => join(folder, name)

/** util-linux's `script` runs a command on a terminal of its own. */
const terminal = process.platform === "linux" && existsSync("/usr/bin/script")

const agon = (...args: ReadonlyArray<string>) =>
  new Promise<{ readonly status: number; readonly out: string }>((resolve) => {
    const child = execFile(process.execPath, [main, ...args], (_, out, err) => resolve({ status: child.exitCode ?? -1, out: out + err }))
  })

describe("agon", () => {
  beforeAll(() => {
    const [first, second] = zoo.filter(({ game }) => game === "snakes")
    for (const [name, entry] of [
      ["a", first!],
      ["b", second!]
    ] as const) {
      const { weights, manifest } = entry.build()
      writeFileSync(at(`${name}.onnx`), weights)
      writeFileSync(at(`${name}.json`), manifest)
    }
    writeFileSync(at("board"), JSON.stringify(boardsOf("snakes").find(({ players }) => players === 2)))
    writeFileSync(at("garbage.onnx"), "garbage")
    writeFileSync(at("heavy.onnx"), new Uint8Array(20_000))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("examines: status 0 for a good model, 1 with the reason for a bad one, 2 for a file that is not there", async () => {
    const examine = (model: string, ...flags: ReadonlyArray<string>) =>
      agon("examine", at(model), at("a.json"), "--game", "snakes", ...flags)
    const [good, bad, none] = await Promise.all([examine("a.onnx", "--json"), examine("garbage.onnx"), examine("none.onnx")])
    assert.strictEqual(good.status, 0, good.out)
    assert.strictEqual(JSON.parse(good.out).verdict, "admitted")
    assert.strictEqual(bad.status, 1)
    assert.include(bad.out, "weights_unreadable")
    assert.strictEqual(none.status, 2)
  })

  it("says of a model that prefers no action that it does, and of a class or a board of another game which one it is", async () => {
    const board = join(folder, "other.json")
    writeFileSync(board, JSON.stringify(boardsOf("othello")[0]))
    writeFileSync(at("undecided.onnx"), undecided())
    const examine = (model: string, ...flags: ReadonlyArray<string>) =>
      agon("examine", at(model), at("a.json"), "--game", "snakes", ...flags)
    const [same, differing, small, other] = await Promise.all([
      examine("undecided.onnx"),
      examine("a.onnx"),
      examine("heavy.onnx", "--class", "nano"),
      examine("a.onnx", "--board", board)
    ])
    assert.match(same.out, /^admitted: .*\nEvery run gave all actions the same number, .*Softmax along the batch .*\nby the weight classes/)
    assert.notInclude(differing.out, "same number")
    assert.match(small.out, /^rejected \(too_large\): Weights and manifest are \d+ bytes; class nano holds 16384\.$/m)
    assert.match(other.out, /^agon: \S+other\.json: format must be "snakes-board\/1"\./)
  })

  it("finds the manifest beside the weights where it is not named, and says so where there is none", async () => {
    writeFileSync(at("alone.onnx"), "x")
    const [found, alone] = await Promise.all(
      ["a.onnx", "alone.onnx"].map((model) => agon("examine", at(model), "--game", "snakes", "--json"))
    )
    assert.strictEqual(found!.status, 0, found!.out)
    assert.strictEqual(JSON.parse(found!.out).verdict, "admitted")
    assert.deepStrictEqual(
      [alone!.status, /^agon: \S+alone\.onnx has no manifest beside it \(\S+alone\.json\)\.\n$/.test(alone!.out)],
      [2, true]
    )
  })

  it("examines in the order of admission: names the first fault, and applies the season's own time limit", async () => {
    const manifest = JSON.parse(readFileSync(at("a.json"), "utf8"))
    const misspelt = at("misspelt.json")
    writeFileSync(misspelt, JSON.stringify({ ...manifest, memori: manifest.memory, memory: undefined }))
    const cases = [
      ["garbage.onnx", misspelt, [], /^rejected \(manifest_invalid\): .*memory is missing, must be an object; memori is not a key/],
      ["a.onnx", at("a.json"), ["--infer-us-max", "1"], /^rejected \(too_slow\): One inference took \d+ us; the season allows 1 us/]
    ] as const
    const answers = await Promise.all(cases.map(([model, file, flags]) => agon("examine", at(model), file, "--game", "snakes", ...flags)))
    for (const [index, { status, out }] of answers.entries()) {
      assert.match(out, cases[index]![3])
      assert.strictEqual(status, 1)
    }
  })

  it.runIf(terminal)("redraws a match in place on a terminal, turn by turn, and prints the outcome below", async () => {
    const files = [at("board"), at("a.onnx"), at("b.onnx"), at("watched")]
    const command = `"$NODE" "$AGON" play --game snakes --seed 5 --delay-ms 1 --watch --board "$1" "$2" "$3" --replay "$4"`
    const env = { PATH: process.env.PATH, SHELL: "/bin/sh", NODE: process.execPath, AGON: main }
    const typed = `stty cols 100 rows 40; set -- ${files.map((file) => `'${file}'`).join(" ")}; ${command}`
    const out = await new Promise<string>((resolve, reject) =>
      execFile("/usr/bin/script", ["-qec", typed, "/dev/null"], { env }, (error, shown) =>
        error === null ? resolve(shown) : reject(error)
      )
    )
    const { turns, reason } = JSON.parse(readFileSync(at("watched"), "utf8"))
    const frames = out.split("\x1b[H\x1b[2J").slice(1)
    assert.lengthOf(frames, turns + 1)
    for (const [turn, frame] of frames.entries()) assert.match(frame, new RegExp(`^turn ${turn}${turn === turns ? `: ${reason}` : ""}\\s`))
    assert.match(frames.at(-1)!, new RegExp(`${reason} after ${turns} turns`))
  })

  it("plays a match and verifies its replay, by the rules and with the models, and refuses a changed one", async () => {
    const played = await agon(
      "play",
      "--game",
      "snakes",
      "--board",
      at("board"),
      "--seed",
      "5",
      at("a.onnx"),
      at("b.onnx"),
      "--replay",
      at("replay")
    )
    assert.strictEqual(played.status, 0, played.out)
    const replay = JSON.parse(readFileSync(at("replay"), "utf8"))
    writeFileSync(at("changed"), JSON.stringify({ ...replay, scores: replay.scores.map((score: number) => score + 1) }))
    const [verified, changed] = await Promise.all([agon("verify", at("replay"), "--weights", folder), agon("verify", at("changed"))])
    assert.strictEqual(verified.status, 0, verified.out)
    assert.strictEqual(changed.status, 1)
    assert.include(changed.out, "scores")
    const text = readFileSync(at("replay"), "utf8")
    const others: ReadonlyArray<readonly [name: string, text: string, said: RegExp]> = [
      ["twice", `{"moves":[],${text.slice(1)}`, /^the replay has the key "moves" twice in one object$/m],
      ["float", text.replace(/"seed":5/, '"seed":5.0'), /^the replay has the number 5\.0, which is not written as a plain whole number$/m],
      ["long", text.padEnd(2 ** 22 + 1), /^the replay is larger than 4194304 bytes$/m]
    ]
    for (const [name, other, said] of others) {
      writeFileSync(at(name), other)
      const answers = await Promise.all([agon("verify", at(name)), agon("watch", at(name))])
      assert.match(answers[0]!.out, said)
      assert.deepStrictEqual([answers[0]!.status, answers[1]!.status], [1, 2])
    }
    const { models, rules } = JSON.parse((await agon("verify", at("replay"), "--weights", folder, "--json")).out)
    assert.deepStrictEqual([rules.ok, rules.state_sha256, models.same], [true, replay.state_sha256, true])
  })

  it("writes example models, boards and an index; a match between them shows every turn and verifies with the folder's files", async () => {
    const written = await agon("zoo", "--out", at("zoo"), "--game", "othello", "--json")
    assert.strictEqual(written.status, 0, written.out)
    const { models, boards } = JSON.parse(readFileSync(at("zoo/index.json"), "utf8"))
    assert.deepStrictEqual(JSON.parse(written.out), { models, boards })
    assert.strictEqual(models.length, zoo.filter(({ game }) => game === "othello").length)
    for (const { weights, weights_hash, manifest } of models) {
      const sha256 = createHash("sha256")
        .update(readFileSync(at(`zoo/${weights}`)))
        .digest("hex")
      assert.strictEqual(weights_hash, `sha256:${sha256}`)
      assert.isTrue(existsSync(at(`zoo/${manifest}`)))
    }
    const board = at(`zoo/${boards.find(({ map_id }: { map_id: string }) => map_id === "small-6").file}`)
    const seats = models.slice(0, 2).map(({ weights }: { weights: string }) => at(`zoo/${weights}`))
    const played = await agon("play", "--game", "othello", "--board", board, ...seats, "--watch", "--replay", at("zoo.replay"))
    assert.strictEqual(played.status, 0, played.out)
    const { turns } = JSON.parse(readFileSync(at("zoo.replay"), "utf8"))
    for (let turn = 0; turn <= turns; turn++) assert.match(played.out, new RegExp(`^turn ${turn}\\b`, "m"))
    const verified = await agon("verify", at("zoo.replay"), "--weights", at("zoo"))
    assert.strictEqual(verified.status, 0, verified.out)
  })

  it("says which files of a replay are missing, and exits with 2 where it cannot write", async () => {
    mkdirSync(at("empty"))
    const [missing, refused] = await Promise.all([
      agon("verify", at("replay"), "--weights", at("empty")),
      agon("zoo", "--out", at("board"))
    ])
    assert.strictEqual(missing.status, 2, missing.out)
    assert.include(missing.out, "seat 0")
    assert.strictEqual(refused.status, 2, refused.out)
    assert.include(refused.out, "cannot be written")
  })

  it("runner says that its Node is too old, before it loads anything of the runner", () => {
    const older = `data:text/javascript,import { Worker } from "node:worker_threads"; delete Worker.prototype.cpuUsage`
    const { status, stderr, stdout } = spawnSync(process.execPath, ["--import", older, main, "runner"], { encoding: "utf8" })
    const said = `agon: Models run on Node 24.6 or later; this is ${process.versions.node}.\n`
    assert.deepStrictEqual([status, stdout, stderr], [2, "", said])
  })

  it("answers wrong arguments with status 2 and its usage", async () => {
    const wrong = await agon("play", "--game", "chess")
    assert.strictEqual(wrong.status, 2)
    assert.include(wrong.out, "--board")
  })
})
