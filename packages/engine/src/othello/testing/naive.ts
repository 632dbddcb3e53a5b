/**
 * Othello once more, for tests: the sentences of docs/games.md#othello on a map of characters, with nothing shared with the engine
 * but the generator.
 */
import type { Choice, MatchEvent, MatchRules } from "../../Engine.ts"
import { Mulberry32 } from "../../Mulberry32.ts"
import type { OthelloBoard } from "../Board.ts"

export class NaiveOthello {
  readonly board: OthelloBoard
  readonly rules: MatchRules
  readonly rng: Mulberry32
  readonly cells: Array<string>
  readonly seats: Array<{ out: string | null; strikes: number }> = [
    { out: null, strikes: 0 },
    { out: null, strikes: 0 }
  ]
  readonly events: Array<MatchEvent> = []
  to_act: number | null = null
  turn = 0
  reason: string | null = null

  constructor(board: OthelloBoard, seed: number, rules: MatchRules) {
    this.board = board
    this.rules = rules
    this.rng = new Mulberry32(seed)
    this.cells = new Array(board.rows * board.cols).fill(".")
    for (const [row, col] of board.blocked) this.cells[row * board.cols + col] = "#"
    const [row, col] = [board.rows / 2, board.cols / 2]
    this.cells[(row - 1) * board.cols + col - 1] = "1"
    this.cells[row * board.cols + col] = "1"
    this.cells[(row - 1) * board.cols + col] = "0"
    this.cells[row * board.cols + col - 1] = "0"
    this.next(0)
    for (let placed = 0; placed < 4; placed++) {
      if (this.to_act === null) break
      const seat = this.to_act
      const legal = this.legal(seat)
      const cell = legal[this.rng.below(legal.length)]!
      this.put(cell, seat)
      this.events.push({ turn: 0, kind: "opening", seat, cell })
      this.next(1 - seat)
    }
  }

  step(choice: Choice): void {
    const seat = this.to_act!
    if (typeof choice === "string" && ++this.seats[seat]!.strikes === this.rules.strike_limit) {
      this.seats[seat]!.out = this.reason = "forfeit"
      this.events.push({ turn: this.turn, kind: "out", seat, reason: "forfeit" })
      this.turn++
      this.to_act = null
      return
    }
    this.put(typeof choice === "number" ? choice : this.legal(seat)[0]!, seat)
    this.turn++
    this.next(1 - seat)
  }

  next(seat: number): void {
    const able = [seat, 1 - seat].filter((one) => this.legal(one).length > 0)
    this.to_act = null
    if (able.length === 0) this.reason = "no_moves"
    else if (this.turn === this.rules.max_turns) this.reason = "turn_limit"
    else {
      this.to_act = able[0]!
      if (able[0] !== seat) this.events.push({ turn: this.turn, kind: "pass", seat })
    }
  }

  legal(seat: number): ReadonlyArray<number> {
    return this.cells.flatMap((sign, cell) => (sign === "." && this.turned(cell, seat).length > 0 ? [cell] : []))
  }

  put(cell: number, seat: number): void {
    for (const other of this.turned(cell, seat)) this.cells[other] = String(seat)
    this.cells[cell] = String(seat)
  }

  turned(cell: number, seat: number): ReadonlyArray<number> {
    const { rows, cols } = this.board
    const found: Array<number> = []
    for (const [down, right] of [
      [0, 1],
      [1, 1],
      [1, 0],
      [1, -1],
      [0, -1],
      [-1, -1],
      [-1, 0],
      [-1, 1]
    ] as const) {
      let [row, col] = [Math.floor(cell / cols) + down, (cell % cols) + right]
      const line: Array<number> = []
      while (row >= 0 && row < rows && col >= 0 && col < cols && this.cells[row * cols + col] === String(1 - seat)) {
        line.push(row * cols + col)
        row += down
        col += right
      }
      if (row >= 0 && row < rows && col >= 0 && col < cols && this.cells[row * cols + col] === String(seat)) found.push(...line)
    }
    return found
  }

  observe(seat: number): ReadonlyArray<number> {
    const legal = this.legal(seat)
    return [
      ...this.cells.map((sign) => (sign === String(seat) ? 1 : 0)),
      ...this.cells.map((sign) => (sign === String(1 - seat) ? 1 : 0)),
      ...this.cells.map((_, cell) => (legal.includes(cell) ? 1 : 0)),
      ...this.cells.map((sign) => (sign === "#" ? 1 : 0)),
      ...this.cells.map(() => (seat === 0 ? 1 : 0))
    ]
  }

  canonical() {
    const { turn, to_act, seats } = this
    return { format: "othello-state/1", turn, rng: this.rng.counter, cells: this.cells.join(""), to_act, seats }
  }
}
