/**
 * Plays one match: observe, ask every seat that is to act, wait, step. Runs in the sandbox's process and blocks it while
 * models run, which is why a process plays one match at a time; it lets the event loop turn a few times a second so that
 * threads which ended are freed and an end of the runner is noticed.
 */
import { createHash } from "node:crypto"
import { setImmediate as eventLoop } from "node:timers/promises"
import type { BoardFile, Choice, Engine } from "@agon/engine/Engine.ts"
import { Recorder } from "@agon/engine/replay/Recorder.ts"
import { makeReplay } from "@agon/engine/replay/Replay.ts"
import { readManifest } from "../Manifest.ts"
import { share } from "../worker/Seat.ts"
import { type MatchReport, type MatchRequest, type MatchSeat, MOVE_DEADLINE_MS } from "./Match.ts"
import { Player } from "./Player.ts"

/** The match cannot be played, through no fault of a seat. */
export class Unplayable extends Error {}

const LOOP_EVERY_MS = 200

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** The best of the legal actions, the lowest index among equals; -1 if none is legal, which no engine asks. */
export const choose = (logits: Float32Array, legal: Uint8Array | null): number => {
  let best = -1
  for (let action = 0; action < logits.length; action++)
    if ((legal === null || legal[action] === 1) && (best < 0 || logits[action]! > logits[best]!)) best = action
  return best
}

const readBoard = (engine: Engine, file: unknown): BoardFile => {
  const check = engine.checkBoard(file)
  if (!check.ok) throw new Unplayable(`The board is refused: ${check.errors.map(({ path, message }) => `${path} ${message}`).join("; ")}`)
  return check.board
}

const openPlayers = (module: WebAssembly.Module, engine: Engine, board: BoardFile, request: MatchRequest): ReadonlyArray<Player> => {
  const { planes, rows, cols, actions, seats } = engine.spec(board)
  if (request.seats.length !== seats) throw new Unplayable(`The board takes ${seats} seats, the match has ${request.seats.length}.`)
  const models = request.seats.map(({ weights, manifest, memory_cap_bytes }: MatchSeat, seat) => {
    const check = readManifest(manifest)
    if (!check.ok) throw new Unplayable(`The manifest of seat ${seat} is refused: ${check.errors[0]!.path} ${check.errors[0]!.message}.`)
    const boards = [{ planes, rows, cols, actions, ...check.manifest.memory }]
    return { module, weights: share(weights), cap_bytes: memory_cap_bytes, boards }
  })
  return models.map((model) => new Player(model, request.move_deadline_ms ?? MOVE_DEADLINE_MS))
}

const runTurns = async (engine: Engine, board: BoardFile, state: unknown, players: ReadonlyArray<Player>, recorder: Recorder) => {
  const { masked, actions } = engine.spec(board)
  const legal = masked ? new Uint8Array(actions) : null
  const choices: Array<Choice> = players.map(() => null)
  let inferring_ms = 0
  let looped_ms = performance.now()
  while (engine.status(state) === "running") {
    const acting = engine.toAct(state)
    choices.fill(null)
    for (const seat of acting) {
      const player = players[seat]!
      player.load()
      engine.observe(state, seat, player.observation)
      player.ask()
    }
    const asked_ms = performance.now()
    let longest_us = 0
    for (const seat of acting) {
      const player = players[seat]!
      const strike = player.answer()
      if (strike === "timeout") longest_us = Math.max(longest_us, (performance.now() - asked_ms) * 1_000)
      else longest_us = Math.max(longest_us, player.infer_us)
      if (strike === null && legal !== null) engine.legal(state, seat, legal)
      choices[seat] = strike ?? choose(player.logits, legal)
    }
    inferring_ms += longest_us / 1_000
    recorder.step(engine, state, choices)
    if (performance.now() - looped_ms > LOOP_EVERY_MS) {
      await eventLoop()
      looped_ms = performance.now()
    }
  }
  return inferring_ms
}

export const play = async (
  module: WebAssembly.Module,
  engine: Engine,
  request: MatchRequest,
  runtime_version: string
): Promise<MatchReport> => {
  const board = readBoard(engine, request.board)
  const players = openPlayers(module, engine, board, request)
  try {
    for (const player of players) player.load()
    const state = engine.init(board, request.seed, request.rules)
    const recorder = new Recorder()
    recorder.begin(engine, state)
    const start_ms = performance.now()
    const inferring_ms = await runTurns(engine, board, state, players, recorder)
    const played_ms = performance.now() - start_ms
    const seats = request.seats.map(({ weights, manifest }) => ({ weights_sha256: sha256(weights), manifest_sha256: sha256(manifest) }))
    const replay = makeReplay({ engine, board, seed: request.seed, rules: request.rules, runtime_version, seats, recorder, state })
    const { reason, turns, scores, ranks, strikes } = engine.result(state)
    return {
      reason,
      turns,
      played_ms: Math.round(played_ms),
      inferring_ms: Math.round(inferring_ms),
      seats: scores.map((score, seat) => ({ seat, score, rank: ranks[seat]!, strikes: strikes[seat]! })),
      state_sha256: replay.state_sha256,
      replay
    }
  } finally {
    await Promise.all(players.map((player) => player.stop()))
  }
}
