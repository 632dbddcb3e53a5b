/**
 * Plays many matches at once: in every turn the observations of all seats that one model plays, in all
 * matches still running, go through it as one batch. This makes hundreds of matches affordable in a test.
 * A seat's answers are the same as alone except for the last bits of sums, which may not change a zoo
 * model's choice (a test checks it).
 */
import type { BoardFile, Choice, Engine, MatchResult, MatchRules } from "@agon/engine/Engine.ts"
import * as ort from "onnxruntime-web/wasm"

ort.env.wasm.numThreads = 1

export interface Player {
  readonly session: ort.InferenceSession
  readonly memory: { readonly flat: number; readonly cell: number }
}

export const loadPlayer = async (model: { readonly weights: Uint8Array; readonly manifest: Uint8Array }): Promise<Player> => ({
  session: await ort.InferenceSession.create(model.weights),
  memory: JSON.parse(new TextDecoder().decode(model.manifest)).memory
})

/**
 * One model's answers to a batch; `flat` and `cell` are the memories before the turn and
 * hold those after it on return.
 */
export const infer = async (
  player: Player,
  obs: Float32Array,
  shape: readonly [batch: number, planes: number, rows: number, cols: number],
  flat: Float32Array,
  cell: Float32Array
): Promise<Float32Array> => {
  const [batch, , rows, cols] = shape
  const feeds: Record<string, ort.Tensor> = { obs: new ort.Tensor("float32", obs, shape) }
  if (player.memory.flat > 0) feeds["memory_flat"] = new ort.Tensor("float32", flat, [batch, player.memory.flat])
  if (player.memory.cell > 0) feeds["memory_cell"] = new ort.Tensor("float32", cell, [batch, player.memory.cell, rows, cols])
  const answer = await player.session.run(feeds)
  if (player.memory.flat > 0) flat.set(answer["memory_flat_out"]!.data as Float32Array)
  if (player.memory.cell > 0) cell.set(answer["memory_cell_out"]!.data as Float32Array)
  return answer["logits"]!.data as Float32Array
}

interface Seat {
  readonly match: number
  readonly seat: number
  readonly flat: Float32Array
  readonly cell: Float32Array
}

interface Plan<Board> {
  readonly engine: Engine<any, any>
  readonly board: Board
  readonly rules: MatchRules
  /** One match: its seed and the model of each seat. */
  readonly matches: ReadonlyArray<{ readonly seed: number; readonly players: ReadonlyArray<Player> }>
}

export const playAll = async <Board extends BoardFile>(plan: Plan<Board>): Promise<ReadonlyArray<MatchResult>> => {
  const { engine, board } = plan
  const states = plan.matches.map(({ seed }) => engine.init(board, seed, plan.rules))
  const seats = new Map<Player, Array<Seat>>()
  plan.matches.forEach(({ players }, match) => {
    players.forEach((player, seat) => {
      const flat = new Float32Array(player.memory.flat)
      const cell = new Float32Array(player.memory.cell * board.rows * board.cols)
      seats.set(player, [...(seats.get(player) ?? []), { match, seat, flat, cell }])
    })
  })
  while (states.some((state) => engine.status(state) === "running")) {
    const choices = states.map(() => new Array<Choice>(engine.spec(board).seats).fill(null))
    for (const [player, mine] of seats) {
      const acting = mine.filter(({ match, seat }) => engine.toAct(states[match]).includes(seat))
      if (acting.length > 0) await chooseAll(plan, player, acting, states, choices)
    }
    states.forEach((state, match) => {
      if (engine.status(state) === "running") engine.step(state, choices[match]!)
    })
  }
  return states.map((state) => engine.result(state))
}

const chooseAll = async (
  { engine, board }: Plan<BoardFile>,
  player: Player,
  acting: ReadonlyArray<Seat>,
  states: ReadonlyArray<unknown>,
  choices: ReadonlyArray<Array<Choice>>
): Promise<void> => {
  const spec = engine.spec(board)
  const size = spec.planes * spec.rows * spec.cols
  const obs = new Float32Array(acting.length * size)
  acting.forEach(({ match, seat }, index) => {
    engine.observe(states[match], seat, obs.subarray(index * size, (index + 1) * size))
  })
  const flat = joined(acting.map((seat) => seat.flat))
  const cell = joined(acting.map((seat) => seat.cell))
  const logits = await infer(player, obs, [acting.length, spec.planes, spec.rows, spec.cols], flat, cell)
  const legal = new Uint8Array(spec.actions)
  acting.forEach(({ match, seat, ...memory }, index) => {
    engine.legal(states[match], seat, legal)
    choices[match]![seat] = best(logits.subarray(index * spec.actions, (index + 1) * spec.actions), legal)
    memory.flat.set(flat.subarray(index * memory.flat.length, (index + 1) * memory.flat.length))
    memory.cell.set(cell.subarray(index * memory.cell.length, (index + 1) * memory.cell.length))
  })
}

const joined = (parts: ReadonlyArray<Float32Array>): Float32Array => {
  const length = parts[0]!.length
  const whole = new Float32Array(parts.length * length)
  for (let index = 0; index < parts.length; index++) whole.set(parts[index]!, index * length)
  return whole
}

/** The highest legal action, the lowest index among equals. */
export const best = (logits: Float32Array, legal: Uint8Array): number => {
  let chosen = -1
  for (let action = 0; action < logits.length; action++) {
    if (legal[action] === 1 && (chosen < 0 || logits[action]! > logits[chosen]!)) chosen = action
  }
  return chosen
}
