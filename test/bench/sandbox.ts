/**
 * The cost of playing models: from a fresh instance to its first logits, matches a second of a
 * core, the share of a match outside its models, the weights' cache, memory by slot, and the same
 * moves by a program started for each.
 *
 *   node test/bench/sandbox.ts [matches a model, 3] [models, a regular expression]
 *
 * All snakes of the zoo on 11x11 with four seats of the same model, and beside them the least that a model
 * can be, which shows what a run of the runtime itself takes. Matches a second of a core are by CPU time of
 * the sandbox's process, start and end of the match included. Inference is the runtime's one call alone;
 * shares are by the clock, which a busy machine disturbs, so that each model's is the median of its matches.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { playMatch } from "@agon/engine/play.ts"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { FileCache } from "@agon/runner/runner/FileCache.ts"
import { TransferFailed, Transfers } from "@agon/runner/runner/Transfers.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { linear, manifest } from "@agon/sandbox/admission/testing/testModels.ts"
import { wasmPath } from "@agon/sandbox/places.ts"
import { Instance, share } from "@agon/sandbox/worker/Instance.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { Effect, Layer } from "effect"
import { sandboxCpu_s, sandboxPeak_mb, sandboxResident_mb } from "./sandbox/process.ts"

const [repeats = "3", only = ""] = process.argv.slice(2)
const GAME = "snakes"
const FIRST_LOGITS_REPEATS = 5
const NAIVE_TURNS = 3
const LEASES = 60
const TURNS_MAX = 300
/** The most of a match that may pass outside its models. */
const OUTSIDE_BAR = 0.1

const engine = engineOf(GAME)!
const board = boardsOf(GAME).find(({ players, rows, cols }) => players === 4 && rows === 11 && cols === 11)!
const { planes, rows, cols, actions } = engine.spec(board)
const LEAST = "(one product)"
const least = { name: LEAST, game: GAME, build: () => ({ weights: linear(), manifest: manifest() }) }
const models = [least, ...zoo]
  .filter(({ game, name }) => game === GAME && new RegExp(only).test(name))
  .map(({ name, build }) => ({ name, ...build(), memory: { flat: 0, cell: 0 } }))
  .map((model) => ({
    ...model,
    memory: (JSON.parse(new TextDecoder().decode(model.manifest)) as { memory: { flat: number; cell: number } }).memory
  }))
type Model = (typeof models)[number]

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1]!
const row = (cells: ReadonlyArray<string | number>) =>
  console.log(cells.map((cell, at) => (at === 0 ? String(cell).padEnd(14) : String(cell).padStart(14))).join(""))

/** The module is compiled and the process warm, as in a runner that has played before. */
const firstLogits = async (module: WebAssembly.Module, { weights, memory }: Model): Promise<number> => {
  const times: Array<number> = []
  const work = {
    module,
    weights: share(weights),
    cap_bytes: memoryCapOf(weights.length),
    boards: [{ planes, rows, cols, actions, ...memory }],
    arena: true,
    poison: 1
  }
  for (let i = 0; i < FIRST_LOGITS_REPEATS; i++) {
    const start_ms = performance.now()
    const instance = new Instance(work)
    await instance.answer(30_000)
    instance.channel.take(0)
    instance.channel.ask()
    await instance.answer(30_000)
    times.push(performance.now() - start_ms)
    await instance.stop()
  }
  return median(times)
}

const requestOf = ({ weights, manifest }: Model, seed: number, max_turns = TURNS_MAX) => ({
  game: GAME,
  board,
  seed,
  rules: { max_turns, strike_limit: 3 },
  seats: Array.from({ length: 4 }, () => ({ weights, manifest, memory_cap_bytes: memoryCapOf(weights.length) }))
})

const playAll = (model: Model, first_ms: number) =>
  Effect.gen(function* () {
    const arena = yield* Arena
    yield* arena.play(requestOf(model, 0))
    const [cpu_s, start_ms] = [sandboxCpu_s(), performance.now()]
    const [infers_us, outsides_us, shares]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
    let [turns, moves] = [0, 0]
    for (let seed = 1; seed <= Number(repeats); seed++) {
      const report = yield* arena.play(requestOf(model, seed))
      turns += report.turns
      const asked = report.replay.moves.flat().filter((move) => move !== null).length
      moves += asked
      infers_us.push((1_000 * report.inferring_ms) / asked)
      outsides_us.push((1_000 * (report.played_ms - report.inferring_ms)) / asked)
      shares.push(1 - report.inferring_ms / report.played_ms)
    }
    const wall_ms = performance.now() - start_ms
    const per_core_s = Number(repeats) / (sandboxCpu_s() - cpu_s)
    const outside = median(shares)
    row([
      model.name,
      model.weights.length,
      first_ms.toFixed(0),
      (turns / Number(repeats)).toFixed(0),
      per_core_s.toFixed(2),
      median(infers_us).toFixed(0),
      median(outsides_us).toFixed(1),
      `${(100 * outside).toFixed(1)} %`,
      sandboxPeak_mb().toFixed(0)
    ])
    return { name: model.name, outside, move_ms: wall_ms / moves }
  })

/** Three turns are enough: every move costs the same. */
const naive = ({ name, weights }: Model, move_ms: number) => {
  const directory = mkdtempSync(join(tmpdir(), "agon-naive-"))
  const file = join(directory, "model.onnx")
  writeFileSync(file, weights)
  let moves = 0
  const start_ms = performance.now()
  const player = (observation: Float32Array) => {
    moves++
    const args = [join(import.meta.dirname, "sandbox/naiveStep.ts"), file, ...[planes, rows, cols].map(String)]
    return Number(
      execFileSync(process.execPath, args, { input: Buffer.from(observation.buffer), stdio: ["pipe", "pipe", "ignore"] }).toString()
    )
  }
  playMatch(engine, board, 1, { max_turns: NAIVE_TURNS, strike_limit: 3 }, new Array(4).fill(player))
  const naive_ms = (performance.now() - start_ms) / moves
  rmSync(directory, { recursive: true })
  const gain = (naive_ms / move_ms).toFixed(0)
  console.log(
    `a move of ${name}: ${naive_ms.toFixed(0)} ms by a program per step, ${move_ms.toFixed(2)} ms here with the match's start and end: ${gain} times`
  )
}

/** The runner's cache under leases of four random models each, the store being this program's memory. */
const cacheHits = Effect.gen(function* () {
  const cache = yield* FileCache
  let random = 1
  const start_ms = performance.now()
  for (let lease = 0; lease < LEASES; lease++)
    for (let seat = 0; seat < 4; seat++) {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
      const { name, weights } = models[(random >>> 16) % models.length]!
      yield* cache.get({
        hash: `sha256:${createHash("sha256").update(weights).digest("hex")}`,
        url: `memory:${name}`,
        bytes: weights.length
      })
    }
  const { hits, misses } = cache.counts()
  const each_ms = (performance.now() - start_ms) / (hits + misses)
  console.log(
    `weights' cache, ${LEASES} leases of 4 of ${models.length} models: ${hits} hits, ${misses} misses (${((100 * hits) / (hits + misses)).toFixed(0)} %), ${each_ms.toFixed(1)} ms each, proof included`
  )
})

const memoryBySlot = (model: Model, slots: number) =>
  Effect.gen(function* () {
    const arena = yield* Arena
    const idle_mb = sandboxResident_mb()[0]!
    yield* Effect.all(
      Array.from({ length: slots }, (_, seed) => arena.play(requestOf(model, seed, 60))),
      { concurrency: slots }
    )
    const after = sandboxResident_mb().map((mb) => mb.toFixed(0))
    console.log(
      `memory, ${slots} slots, four seats of ${model.name}: idle ${idle_mb.toFixed(0)} MB, after a match ${after.join(" and ")} MB, peak ${sandboxPeak_mb().toFixed(0)} MB`
    )
  }).pipe(Effect.provide(Arena.layer({ slots })))

const main = Effect.gen(function* () {
  console.log(
    `${new Date().toISOString()}, load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}, node ${process.version}`
  )
  const module = yield* Effect.promise(() => WebAssembly.compile(readFileSync(wasmPath)))
  const firsts: Array<number> = []
  for (const model of models) firsts.push(yield* Effect.promise(() => firstLogits(module, model)))
  row(["model", "bytes", "first ms", "turns", "matches/core s", "infer us", "outside us", "outside", "peak MB"])
  const results = yield* Effect.forEach(models, (model, at) => playAll(model, firsts[at]!)).pipe(Effect.provide(Arena.layer({ slots: 1 })))
  const shares = results.filter(({ name }) => name !== LEAST).map(({ outside }) => outside)
  const within = shares.filter((share) => share <= OUTSIDE_BAR).length
  console.log(
    `outside inference: median ${(100 * median(shares)).toFixed(1)} %, within ${100 * OUTSIDE_BAR} %: ${within} of ${shares.length}`
  )
  const last = models.length - 1
  naive(models[last]!, results[last]!.move_ms)
  const directory = mkdtempSync(join(tmpdir(), "agon-bench-cache-"))
  const store = Layer.succeed(Transfers, {
    get: (url) => Effect.succeed(models.find(({ name }) => url === `memory:${name}`)!.weights),
    put: () => Effect.fail(new TransferFailed({ detail: "not here", gone: true }))
  })
  yield* Effect.provide(cacheHits, FileCache.layer(directory).pipe(Layer.provide(store)))
  rmSync(directory, { recursive: true })
  yield* memoryBySlot(models[last]!, 1)
  yield* memoryBySlot(models[last]!, 2)
})

await Effect.runPromise(Effect.scoped(main))
process.exit(0)
