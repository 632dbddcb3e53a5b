/**
 * A match played again by the engine, a turn at a time: forwards by playing on, backwards from the start, which takes at most a few
 * milliseconds. A replay whose moves the rules do not allow is shown as far as they do.
 */
import type { Choice, Engine } from "@agon/engine/Engine.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"

export class Playback {
  readonly replay: Replay
  /** The last turn that the rules reach with these moves. */
  readonly turns: number
  readonly #engine: Engine<any, any>
  /** Strikes by turn. */
  readonly #strikes = new Map<number, Array<Replay["strikes"][number]>>()
  #state: unknown
  #turn = 0

  constructor(replay: Replay, engine: Engine<any, any>) {
    this.replay = replay
    this.#engine = engine
    for (const strike of replay.strikes) this.#strikes.set(strike.turn, [...this.strikesOf(strike.turn), strike])
    this.#begin()
    while (this.#play()) {}
    this.turns = this.#turn
  }

  strikesOf(turn: number): ReadonlyArray<Replay["strikes"][number]> {
    return this.#strikes.get(turn) ?? []
  }

  /** The engine's view after so many turns. */
  viewAt(turn: number): unknown {
    const wanted = Math.max(0, Math.min(turn, this.turns))
    if (wanted < this.#turn) this.#begin()
    while (this.#turn < wanted && this.#play()) {}
    return this.#engine.view(this.#state)
  }

  #begin(): void {
    const { board, rules, seed } = this.replay
    this.#state = this.#engine.init(board, seed, rules)
    this.#turn = 0
  }

  /** False at the end, and where the rules refuse a move. */
  #play(): boolean {
    const row = this.replay.moves[this.#turn]
    if (row === undefined || this.#engine.status(this.#state) === "over") return false
    const choices: Array<Choice> = [...row]
    for (const { code, seat } of this.strikesOf(this.#turn)) choices[seat] = code
    try {
      this.#engine.step(this.#state, choices)
    } catch {
      return false
    }
    this.#turn++
    return true
  }
}
