/** The smallest match loop: every seat is a function, all in one thread. For tests and benches: a service's matches are played in the sandbox. */
import type { BoardFile, Choice, Engine, MatchResult, MatchRules } from "./Engine.ts"
import type { Recorder } from "./replay/Recorder.ts"

/** The buffers belong to the match and are overwritten by the next call; copy them to keep them. */
export type Player = (observation: Float32Array, legal: Uint8Array, seat: number) => Choice

/** Plays to the end. A turn is played when all of its seats have chosen. */
export const playMatch = <Board extends BoardFile, State>(
  engine: Engine<Board, State>,
  board: Board,
  seed: number,
  rules: MatchRules,
  seats: ReadonlyArray<Player>,
  recorder?: Recorder
): { readonly state: State; readonly result: MatchResult } => {
  const spec = engine.spec(board)
  const observation = new Float32Array(spec.planes * spec.rows * spec.cols)
  const legal = new Uint8Array(spec.actions)
  const choices: Array<Choice> = new Array(spec.seats).fill(null)
  const state = engine.init(board, seed, rules)
  recorder?.begin(engine, state)
  while (engine.status(state) === "running") {
    choices.fill(null)
    for (const seat of engine.toAct(state)) {
      engine.observe(state, seat, observation)
      engine.legal(state, seat, legal)
      choices[seat] = seats[seat]!(observation, legal, seat)
    }
    if (recorder === undefined) engine.step(state, choices)
    else recorder.step(engine, state, choices)
  }
  return { state, result: engine.result(state) }
}
