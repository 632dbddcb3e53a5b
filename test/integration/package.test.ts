/**
 * The package of `agon`: packed, installed from its file in an empty folder without a network, and used there
 * against a running service, by this Node and by the machine's own.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { firstPage } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import type { Runners } from "@agon/api/runner/api.ts"
import { boardsOf } from "@agon/engine/registry.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { filesOf } from "../support/Arena.ts"
import { untilAnswer } from "../support/eventually.ts"
import { machinesNode, packed, step } from "../support/Packages.ts"
import * as Service from "../support/Service.ts"
import { leftOut } from "../support/slow.ts"
import { Tool } from "../support/Tool.ts"

const VERSION_CPU_S = 0.3
const HELP_CPU_S = 1
const TRIES = 4
const STRAIGHT_ON = "straight-on"

interface Installed {
  readonly folder: string
  /** The command `agon`. */
  readonly bin: string
  /** Where the package lies. */
  readonly home: string
}

const install = async (): Promise<Installed> => {
  const folder = mkdtempSync(join(tmpdir(), "agon-package-"))
  const file = await packed(folder, "packTool.ts")
  const empty = join(folder, "empty")
  mkdirSync(empty)
  await step(empty, "npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", file)
  return { folder, bin: join(empty, "node_modules/.bin/agon"), home: join(empty, "node_modules/@agon/cli") }
}

class Package extends Context.Service<Package, Installed>()("test/Package") {}

const installed = Layer.effect(
  Package,
  Effect.acquireRelease(Effect.promise(install), ({ folder }) => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
)
const service = Layer.mergeAll(Service.layer(), NodeHttpClient.layerUndici)

const toolOf = (node: string, ...flags: ReadonlyArray<string>) =>
  Effect.flatMap(Package, ({ bin }) =>
    Effect.acquireRelease(
      Effect.sync(() => new Tool([node, ...flags, bin])),
      (tool) => Effect.sync(() => tool.end())
    )
  )
const run = (tool: Tool, ...args: ReadonlyArray<string>) => Effect.promise(() => tool.run(...args))

/** Told at the end of a process: its processor time in microseconds. */
const HOOK = `process.on("exit", () => { const { user, system } = process.cpuUsage(); require("fs").writeSync(2, "\\ncpu " + (user + system)) })`

/** Seconds of processor that a command takes, the best of a few: on a busy machine a process also pays for others. */
const cpuOf = Effect.fnUntraced(function* (bound_s: number, ...args: ReadonlyArray<string>) {
  const { folder } = yield* Package
  const hook = join(folder, "hook.cjs")
  writeFileSync(hook, HOOK)
  const tool = yield* toolOf(process.execPath, "--require", hook)
  let best_s = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES && best_s > bound_s; n++) {
    const { err, status } = yield* run(tool, ...args)
    assert.strictEqual(status, 0, err)
    best_s = Math.min(best_s, Number(/cpu (\d+)$/.exec(err)?.[1]) / 1e6)
  }
  return best_s
})

/** Two files of a model, and a board that they play on. */
const prepare = (tool: Tool) => {
  const { manifest, weights } = filesOf(STRAIGHT_ON)
  writeFileSync(tool.at("mine.onnx"), weights)
  writeFileSync(tool.at("mine.json"), manifest)
  writeFileSync(tool.at("board.json"), JSON.stringify(boardsOf("snakes").find(({ players }) => players === 2)))
}

const missing = leftOut("the tool is packed and installed, twice run by each Node: half a minute")

layer(Layer.merge(installed, service), { excludeTestServices: true })("the package of agon", (it) => {
  it.effect.skipIf(missing !== undefined)("is JavaScript alone, needs no other package, and starts at once", () =>
    Effect.gen(function* () {
      const { home } = yield* Package
      const files = readdirSync(home, { recursive: true, encoding: "utf8" })
      assert.deepStrictEqual(
        files.filter((name) => name.endsWith(".ts")),
        []
      )
      assert.notProperty(JSON.parse(readFileSync(join(home, "package.json"), "utf8")), "dependencies")
      assert.deepStrictEqual(readdirSync(join(home, "../..")).sort(), [".bin", ".package-lock.json", "@agon"])
      assert.isAtMost(yield* cpuOf(VERSION_CPU_S, "--version"), VERSION_CPU_S)
      assert.isAtMost(yield* cpuOf(HELP_CPU_S, "examine", "--help"), HELP_CPU_S)
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(missing !== undefined)(
    "examines a model, plays a match and verifies it, also by the machine's own Node as far as that can",
    () =>
      Effect.gen(function* () {
        const [tool, other] = [yield* toolOf(process.execPath), yield* toolOf(machinesNode)]
        prepare(tool)
        const files = [tool.at("mine.onnx"), tool.at("mine.json")]
        const examined = yield* run(tool, "examine", ...files, "--game", "snakes", "--json")
        assert.deepStrictEqual([examined.status, JSON.parse(examined.out).verdict], [0, "admitted"], examined.err)
        const [model, replay] = [tool.at("mine.onnx"), tool.at("replay")]
        const played = yield* run(tool, "play", "--game", "snakes", "--board", tool.at("board.json"), model, model, "--replay", replay)
        assert.strictEqual(played.status, 0, played.err)
        const again = yield* run(tool, "verify", replay, "--weights", tool.folder)
        assert.deepStrictEqual([again.status, /by the models: the same/.test(again.out)], [0, true], again.err)

        const looked = yield* run(tool, "rerun", replay, "--turn", "0", "--weights", tool.folder, "--out", tool.at("turn.npz"))
        assert.strictEqual(looked.status, 0, looked.err)
        const met = yield* run(tool, "duel", model, "zoo:nibbler", "--board", tool.at("board.json"), "--pairs", "1", "--json")
        assert.deepStrictEqual([met.status, JSON.parse(met.out).matches], [0, 2], met.err)

        assert.deepStrictEqual((yield* run(other, "verify", replay)).status, 0)
        const watched = yield* run(other, "watch", replay)
        assert.deepStrictEqual([watched.status, /^turn 1$/m.test(watched.out)], [0, true], watched.err)
        const there = yield* run(other, "examine", ...files, "--game", "snakes")
        if (there.status !== 0)
          assert.deepStrictEqual(
            [there.status, /^agon: Models run on Node 24\.6 or later; this is [\d.]+\.\n$/.test(there.err)],
            [2, true],
            there.err
          )
      }).pipe(Effect.scoped)
  )

  it.effect.skipIf(missing !== undefined)("is a runner, too, which a service knows by its key", () =>
    Effect.gen(function* () {
      const [tool, { as, origin }] = [yield* toolOf(process.execPath), yield* Service.Service]
      assert.match((yield* run(tool, "runner", "--help")).out, /^Usage: agon runner/)
      const keyless = yield* run(tool, "runner")
      assert.deepStrictEqual([keyless.status, /^AGON_RUNNER_KEY is not set: .*\.\n$/.test(keyless.err)], [2, true], keyless.err)
      const admin = yield* as("admin")
      const { key } = yield* retryRefused(admin.fleet.createKey({ payload: { name: "elsewhere" } }))
      const started = tool.startWith({ AGON_URL: origin, AGON_RUNNER_KEY: key, AGON_RUNNER_NAME: "packed" }, "runner")
      const isThere = ({ runners }: Runners) => runners.some(({ name, state }) => name === "packed" && state === "active")
      yield* untilAnswer("the runner's session", admin.fleet.runners({ query: firstPage() }), isThere)
      started.child.kill("SIGTERM")
      const { err, status } = yield* Effect.promise(() => started.ended)
      assert.oneOf(status, [0, 130], err)
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(missing !== undefined)("signs in at a service and out again, by the machine's own Node", () =>
    Effect.gen(function* () {
      const [tool, { as, origin }] = [yield* toolOf(machinesNode), yield* Service.Service]
      const started = tool.start("login", "--json", "--url", origin)
      const { user_code } = JSON.parse(yield* Effect.promise(() => started.says(/^\{.*\}$/m)))
      const ada = yield* as("ada")
      yield* ada.device.decideDeviceSignIn({ payload: { user_code, approve: true } })
      const ended = yield* Effect.promise(() => started.ended)
      assert.strictEqual(ended.status, 0, ended.err)
      assert.match((yield* run(tool, "whoami")).out, /^ada /)
      prepare(tool)
      const refused = yield* run(tool, "submit", tool.at("mine.onnx"), "--game", "snakes", "--model", "first")
      assert.deepStrictEqual([refused.status, /^agon: .*season/.test(refused.err)], [2, true], refused.err)
      assert.strictEqual((yield* run(tool, "logout")).status, 0)
    }).pipe(Effect.scoped)
  )
})
