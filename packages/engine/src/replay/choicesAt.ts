/** The choices of one turn of a replay, by seat: its moves and, where it has them, strikes. */
import type { Choice } from "../Engine.ts"
import type { Replay } from "./Replay.ts"

export const choicesAt = ({ moves, strikes }: Pick<Replay, "moves" | "strikes">, turn: number): ReadonlyArray<Choice> => {
  const choices: Array<Choice> = [...moves[turn]!]
  for (const strike of strikes) if (strike.turn === turn) choices[strike.seat] = strike.code
  return choices
}
