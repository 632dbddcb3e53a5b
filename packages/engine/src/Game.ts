/**
 * A game of this build: its engine, and what others ask of a game besides its rules. `game.ts` in the game's folder exports one,
 * and `registry.ts` lists it. The engine imports none of this, so a new board or picture leaves its digest as it is.
 */
import type { BoardFile, Engine, Spec } from "./Engine.ts"

export interface Game<Board extends BoardFile = BoardFile, State = unknown> {
  readonly engine: Engine<Board, State>
  /** For demonstrations, and for examinations where the season has no boards yet. At least one; `checkBoard` reads them unchanged. */
  readonly boards: ReadonlyArray<Board>
  /** A position as text: a headline, one line per row of the board, one per seat. `names` are those of the seats. */
  readonly picture: (view: unknown, names: ReadonlyArray<string>) => string
  /**
   * Whether a legal action does not end the match at once, as the seat sees it. An examination plays such actions at random to reach
   * positions from the middle and the end of matches. Left out where every legal action is one.
   */
  readonly isSafe?: (observation: Float32Array, action: number, spec: Pick<Spec, "rows" | "cols">) => boolean
}
