/**
 * Records a match for its replay: call `begin` once after `init`, then `step` instead of the engine's own, which it calls.
 * One recorder per match.
 */
import type { BoardFile, Choice, Engine, MatchEvent, StrikeCode } from "../Engine.ts"

export interface Strike {
  readonly turn: number
  readonly seat: number
  readonly code: StrikeCode
}

/** The actions of one turn, one entry per seat: null if the seat is out, got a strike or is not to act. */
export type Moves = ReadonlyArray<number | null>

export class Recorder {
  readonly moves: Array<Moves> = []
  readonly strikes: Array<Strike> = []
  readonly events: Array<MatchEvent> = []

  begin<Board extends BoardFile, State>(engine: Engine<Board, State>, state: State): void {
    this.events.push(...engine.opening(state))
  }

  /** Entries of seats that are not to act are left out of the record, whatever they hold. */
  step<Board extends BoardFile, State>(engine: Engine<Board, State>, state: State, choices: ReadonlyArray<Choice>): void {
    const acting = engine.toAct(state)
    const turn = this.moves.length
    engine.step(state, choices, this.events)
    const row: Array<number | null> = choices.map(() => null)
    for (const seat of acting) {
      const choice = choices[seat]
      if (typeof choice === "number") row[seat] = choice
      else if (typeof choice === "string") this.strikes.push({ turn, seat, code: choice })
    }
    this.moves.push(row)
  }
}
