/** Othello from its replay. */
import { type Account, type Board, Dice, type Replay, ranksOf, sha256 } from "./Replay.ts"

interface OthelloBoard extends Board {
  readonly blocked: ReadonlyArray<readonly [row: number, col: number]>
}

const WAYS = [-1, 0, 1].flatMap((down) => [-1, 0, 1].map((right) => [down, right] as const)).filter(([a, b]) => a !== 0 || b !== 0)
const OPENING = 4

class Match {
  readonly replay: Replay<OthelloBoard>
  readonly dice: Dice
  /** A row a string of `. # 0 1`, which is a seat's own number. */
  readonly grid: Array<Array<string>>
  readonly seats: ReadonlyArray<{ out: string | null; strikes: number }>
  readonly events: Array<object> = []
  toAct: number | null = null
  turn = 0
  reason: string | null = null

  constructor(replay: Replay<OthelloBoard>) {
    const { rows, cols, blocked } = replay.board
    this.replay = replay
    this.dice = new Dice(replay.seed)
    this.seats = [0, 1].map(() => ({ out: null, strikes: 0 }))
    this.grid = Array.from({ length: rows }, () => new Array<string>(cols).fill("."))
    for (const [row, col] of blocked) this.grid[row]![col] = "#"
    const [low, right] = [rows / 2, cols / 2]
    this.grid[low - 1]![right - 1] = this.grid[low]![right] = "1"
    this.grid[low - 1]![right] = this.grid[low]![right - 1] = "0"
    this.give(0)
    for (let placed = 0; placed < OPENING && this.toAct !== null; placed++) {
      const seat: number = this.toAct
      const legal = this.legal(seat)
      const cell = legal[this.dice.below(legal.length)]!
      this.events.push({ turn: 0, kind: "opening", seat, cell })
      this.place(cell, seat)
      this.give(1 - seat)
    }
  }

  /** The discs that one placed there turns over. */
  taken(cell: number, seat: number): ReadonlyArray<readonly [number, number]> {
    const { cols } = this.replay.board
    return WAYS.flatMap(([down, right]) => {
      const line: Array<readonly [number, number]> = []
      let [row, col] = [Math.floor(cell / cols) + down, (cell % cols) + right]
      for (; this.grid[row]?.[col] === String(1 - seat); row += down, col += right) line.push([row, col])
      return this.grid[row]?.[col] === String(seat) ? line : []
    })
  }

  legal(seat: number): ReadonlyArray<number> {
    const cells = this.grid.flat()
    return [...cells.keys()].filter((cell) => cells[cell] === "." && this.taken(cell, seat).length > 0)
  }

  place(cell: number, seat: number): void {
    const { cols } = this.replay.board
    for (const [row, col] of this.taken(cell, seat)) this.grid[row]![col] = String(seat)
    this.grid[Math.floor(cell / cols)]![cell % cols] = String(seat)
  }

  /** The turn goes to `seat`, past it where it cannot place, or to nobody. */
  give(seat: number): void {
    const able = [seat, 1 - seat].find((one) => this.legal(one).length > 0)
    this.toAct = null
    if (able === undefined) this.reason = "no_moves"
    else if (this.turn === this.replay.rules.max_turns) this.reason = "turn_limit"
    else {
      this.toAct = able
      if (able !== seat) this.events.push({ turn: this.turn, kind: "pass", seat })
    }
  }

  play(row: ReadonlyArray<number | null>): void {
    const seat = this.toAct!
    const struck = this.replay.strikes.some((strike) => strike.turn === this.turn && strike.seat === seat)
    const side = this.seats[seat]!
    if (struck) side.strikes += 1
    if (struck && side.strikes >= this.replay.rules.strike_limit) {
      this.events.push({ turn: this.turn, kind: "out", seat, reason: "forfeit" })
      side.out = this.reason = "forfeit"
      this.toAct = null
      this.turn += 1
      return
    }
    const legal = this.legal(seat)
    const cell = struck ? legal[0]! : row[seat]!
    if (!legal.includes(cell)) throw new Error(`seat ${seat} may not place at ${cell} in turn ${this.turn}`)
    this.place(cell, seat)
    this.turn += 1
    this.give(1 - seat)
  }
}

export const replayOthello = (replay: Replay<OthelloBoard>): Account => {
  const match = new Match(replay)
  for (const row of replay.moves) {
    if (match.reason !== null) throw new Error(`turn ${match.turn} comes after the end`)
    match.play(row)
  }
  const { turn, seats, reason, events, dice, grid, toAct } = match
  const cells = grid.flat().join("")
  const scores = [0, 1].map((seat) => cells.split(String(seat)).length - 1)
  const state = { format: "othello-state/1", turn, rng: dice.counter, cells, to_act: toAct, seats }
  const ranks = ranksOf(seats.map(({ out }, seat) => ({ score: scores[seat]!, forfeit: out === "forfeit" })))
  return { reason, turns: turn, scores, ranks, events, state_sha256: sha256(state) }
}
