/**
 * Shows a match turn by turn. The match is first played to its end in the sandbox and then shown from its replay, so that
 * watching costs the models no time. A terminal is redrawn in place; in a file or a pipe the turns follow each other
 * without a pause.
 */
import type { Choice } from "@agon/engine/Engine.ts"
import { engineOf, gameOf } from "@agon/engine/registry.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { Console, Duration, Effect, Terminal } from "effect"

const HOME_AND_CLEAR = "\x1b[H\x1b[2J"

/** The views from the start to the end, one more than there are turns, of a replay recorded just before. */
export function* viewsOf({ game, board, seed, rules, moves, strikes }: Replay): Generator<unknown> {
  const engine = engineOf(game)!
  const state = engine.init(board, seed, rules)
  yield engine.view(state)
  for (const [turn, row] of moves.entries()) {
    const choices: Array<Choice> = [...row]
    for (const strike of strikes) if (strike.turn === turn) choices[strike.seat] = strike.code
    engine.step(state, choices)
    yield engine.view(state)
  }
}

export const show = Effect.fnUntraced(function* (replay: Replay, names: ReadonlyArray<string>, delay_ms: number) {
  const terminal = yield* Terminal.Terminal
  const live = (yield* terminal.columns) > 0
  const { picture } = gameOf(replay.game)!
  for (const view of viewsOf(replay)) {
    yield* Console.log(`${live ? HOME_AND_CLEAR : ""}${picture(view, names)}\n`)
    if (live) yield* Effect.sleep(Duration.millis(delay_ms))
  }
})
