/** Recorded matches for tests: seeded players that mostly survive and sometimes get a strike. */
import type { BoardFile, Engine, StrikeCode } from "../../Engine.ts"
import { Mulberry32 } from "../../Mulberry32.ts"
import { type Player, playMatch } from "../../play.ts"
import { Recorder } from "../Recorder.ts"
import { makeReplay, type Replay } from "../Replay.ts"

const codes: ReadonlyArray<StrikeCode> = ["timeout", "shape", "non_finite", "crash"]

/** Draws among the legal actions, twice as often among those whose plane 8 and on is open, where there are such. */
export const seededPlayer = (seed: number, cells: number, masked: boolean, strike_chance: number): Player => {
  const random = new Mulberry32(seed)
  return (observation, legal) => {
    if (random.below(100) < strike_chance) return codes[random.below(4)]!
    const actions = Array.from(legal.keys()).filter((action) => legal[action] === 1)
    const open = masked ? actions : actions.filter((action) => observation[cells * (8 + action)] === 1)
    const among = open.length > 0 ? open : actions
    return among[random.below(among.length)]!
  }
}

export const record = <Board extends BoardFile, State>(
  engine: Engine<Board, State>,
  board: Board,
  seed: number,
  strike_chance = 3
): { readonly replay: Replay; readonly state: State } => {
  const { seats, rows, cols, masked } = engine.spec(board)
  const rules = { max_turns: 150, strike_limit: 3 }
  const players = Array.from({ length: seats }, (_, seat) => seededPlayer(seed * 16 + seat, rows * cols, masked, strike_chance))
  const recorder = new Recorder()
  const { state } = playMatch(engine, board, seed, rules, players, recorder)
  const models = Array.from({ length: seats }, (_, seat) => ({
    weights_sha256: String(seat).repeat(64),
    manifest_sha256: "f".repeat(64)
  }))
  const replay = makeReplay({ engine, board, seed, rules, runtime_version: "test 1", seats: models, recorder, state })
  return { replay, state }
}
