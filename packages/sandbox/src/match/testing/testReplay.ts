/**
 * Plays one match per level of graph optimisation in this process and without the arena, and prints what came of each:
 * `node match/testing/testReplay.ts`. The tests of determinism compare it with the same match from other processes.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Choice } from "@agon/engine/Engine.ts"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { playMatch } from "@agon/engine/play.ts"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { Recorder } from "@agon/engine/replay/Recorder.ts"
import { makeReplay } from "@agon/engine/replay/Replay.ts"
import { convolving, linear, manifest } from "../../admission/testing/testModels.ts"
import { wasmPath } from "../../places.ts"
import { ModelIO } from "../../worker/ModelIO.ts"
import { instantiate, OPTIMIZE, Session } from "../../worker/Runtime.ts"

export interface Replayed {
  readonly node: string
  readonly matches: Readonly<Record<string, { readonly state_sha256: string; readonly logits_sha256: string; readonly turns: number }>>
}

const game = "snakes"
const board = boardsOf(game).find(({ players, rows }) => players === 4 && rows === 11)!
const weights = [linear(1), convolving(3), linear(2), convolving(2)]
const seats = weights.map((one) => ({ weights: one, manifest: manifest(), memory_cap_bytes: memoryCapOf(one.length) }))
export const match = { game, board, seed: 11, rules: { max_turns: 40, strike_limit: 3 }, seats }

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const play = async (module: WebAssembly.Module, optimize: number) => {
  const engine = engineOf(game)!
  const { planes, rows, cols, actions } = engine.spec(board)
  const logitsHash = createHash("sha256")
  const players = []
  for (const one of weights) {
    const session = new Session(await instantiate(module, memoryCapOf(one.length)), one, { optimize })
    const exchange = {
      observation: new Float32Array(planes * rows * cols),
      logits: new Float32Array(actions),
      memoryFlat: new Float32Array(0),
      memoryCell: new Float32Array(0)
    }
    const io = new ModelIO(session, { planes, rows, cols, actions, flat: 0, cell: 0 }, exchange)
    players.push((observation: Float32Array): Choice => {
      exchange.observation.set(observation)
      io.turn()
      logitsHash.update(new Uint8Array(exchange.logits.buffer))
      return exchange.logits.indexOf(Math.max(...exchange.logits))
    })
  }
  const recorder = new Recorder()
  const { state, result } = playMatch(engine, board, match.seed, match.rules, players, recorder)
  const hashes = seats.map((seat) => ({ weights_sha256: sha256(seat.weights), manifest_sha256: sha256(seat.manifest) }))
  const replay = makeReplay({
    engine,
    board,
    seed: match.seed,
    rules: match.rules,
    runtime_version: "test",
    seats: hashes,
    recorder,
    state
  })
  return { state_sha256: replay.state_sha256, logits_sha256: logitsHash.digest("hex"), turns: result.turns }
}

const replayAll = async (): Promise<Replayed> => {
  const module = await WebAssembly.compile(readFileSync(wasmPath))
  const matches: Record<string, Awaited<ReturnType<typeof play>>> = {}
  for (const [level, optimize] of Object.entries(OPTIMIZE)) matches[level] = await play(module, optimize)
  return { node: process.version, matches }
}

if (process.argv[1] === import.meta.filename) process.stdout.write(JSON.stringify(await replayAll()))
