/** Snakes from its replay, stage by stage as the contract numbers them. */
import { type Account, type Board, Dice, type Replay, ranksOf, sha256 } from "./Replay.ts"

type Place = readonly [row: number, col: number]
interface SnakesBoard extends Board {
  readonly wrap: boolean
  readonly walls: ReadonlyArray<Place>
  readonly spawns: ReadonlyArray<Place>
  readonly food: ReadonlyArray<Place>
  readonly min_food: number
  readonly food_chance: number
  readonly max_turns: number
}
interface Seat {
  /** Cell numbers, head first; a head beyond the edge is -1. */
  body: ReadonlyArray<number>
  dir: number | null
  health: number
  length: number
  out: string | null
  out_turn: number | null
  strikes: number
}

const STEPS = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1]
] as const

class Match {
  readonly replay: Replay<SnakesBoard>
  readonly dice: Dice
  readonly seats: ReadonlyArray<Seat>
  readonly walls: ReadonlySet<number>
  readonly food: Set<number>
  readonly events: Array<object> = []
  turn = 0
  reason: string | null = null

  constructor(replay: Replay<SnakesBoard>) {
    const { board, seed } = replay
    this.replay = replay
    this.dice = new Dice(seed)
    this.walls = new Set(board.walls.map((at) => this.number(at)))
    this.food = new Set(board.food.map((at) => this.number(at)))
    this.seats = board.spawns.map((at) => {
      const cell = this.number(at)
      return { body: [cell, cell, cell], dir: null, health: 100, length: 3, out: null, out_turn: null, strikes: 0 }
    })
  }

  number([row, col]: Place): number {
    return row * this.replay.board.cols + col
  }

  get living(): ReadonlyArray<Seat> {
    return this.seats.filter(({ out }) => out === null)
  }

  leave(causes: ReadonlyMap<Seat, string>): void {
    for (const [seat, one] of this.seats.entries()) {
      const reason = causes.get(one)
      if (reason === undefined) continue
      one.out = reason
      one.out_turn = this.turn
      this.events.push({ turn: this.turn, kind: "out", seat, reason })
    }
  }

  ahead(cell: number, move: number): number {
    const { rows, cols, wrap } = this.replay.board
    const [down, right] = STEPS[move]!
    const [row, col] = [Math.floor(cell / cols) + down, (cell % cols) + right]
    if (wrap) return this.number([(row + rows) % rows, (col + cols) % cols])
    return row < 0 || row >= rows || col < 0 || col >= cols ? -1 : this.number([row, col])
  }

  /** Before stage 1. */
  strike(): void {
    const causes = new Map<Seat, string>()
    for (const { turn, seat } of this.replay.strikes) {
      if (turn !== this.turn) continue
      const one = this.seats[seat]!
      one.strikes += 1
      if (one.strikes >= this.replay.rules.strike_limit) causes.set(one, "forfeit")
    }
    this.leave(causes)
  }

  /** Stages 1 to 3. */
  move(row: ReadonlyArray<number | null>): void {
    const eaten = new Set<number>()
    for (const [seat, one] of this.seats.entries()) {
      if (one.out !== null) continue
      const move = row[seat] ?? one.dir ?? 0
      one.dir = move
      one.body = [this.ahead(one.body[0]!, move), ...one.body.slice(0, -1)]
      one.health -= 1
      if (!this.food.has(one.body[0]!)) continue
      eaten.add(one.body[0]!)
      one.health = 100
      one.body = [...one.body, one.body.at(-1)!]
      one.length += 1
    }
    for (const cell of eaten) this.food.delete(cell)
  }

  /** Stages 4 and 5. */
  eliminate(): void {
    const early = new Map<Seat, string>()
    for (const one of this.living) {
      const head = one.body[0]!
      if (one.health === 0) early.set(one, "starved")
      else if (head < 0 || this.walls.has(head)) early.set(one, "wall")
    }
    this.leave(early)
    const late = new Map<Seat, string>()
    for (const one of this.living) {
      const head = one.body[0]!
      const others = this.living.filter((other) => other !== one)
      if (one.body.indexOf(head, 1) > 0) late.set(one, "self")
      else if (others.some(({ body }) => body.indexOf(head, 1) > 0)) late.set(one, "body")
      else if (others.some(({ body, length }) => body[0] === head && length >= one.length)) late.set(one, "head")
    }
    this.leave(late)
  }

  /** Stage 6. */
  feed(): void {
    const { rows, cols, min_food, food_chance } = this.replay.board
    const held = new Set(this.living.flatMap(({ body }) => body))
    const free = Array.from({ length: rows * cols }, (_, cell) => cell).filter(
      (cell) => !held.has(cell) && !this.walls.has(cell) && !this.food.has(cell)
    )
    const wanted = this.food.size < min_food || (food_chance > 0 && this.dice.below(100) < food_chance)
    if (!wanted || free.length === 0) return
    const cell = free[this.dice.below(free.length)]!
    this.food.add(cell)
    this.events.push({ turn: this.turn, kind: "food", cell })
  }

  play(row: ReadonlyArray<number | null>): void {
    this.strike()
    this.move(row)
    this.eliminate()
    this.feed()
    const left = this.seats.filter(({ out_turn }) => out_turn === this.turn)
    this.turn += 1
    const { board, rules } = this.replay
    const staying = this.living.length
    if (staying <= 1) this.reason = left.every(({ out }) => out === "forfeit") ? "forfeit" : staying === 1 ? "last_standing" : "all_out"
    else if (this.turn === Math.min(board.max_turns, rules.max_turns)) this.reason = "turn_limit"
  }
}

export const replaySnakes = (replay: Replay<SnakesBoard>): Account => {
  const match = new Match(replay)
  for (const row of replay.moves) {
    if (match.reason !== null) throw new Error(`turn ${match.turn} comes after the end`)
    match.play(row)
  }
  const { turn, seats, reason, events, dice, food } = match
  const scores = seats.map(({ out_turn, length }) => (out_turn ?? turn) * (replay.board.rows * replay.board.cols + 1) + length)
  const state = {
    format: "snakes-state/1",
    turn,
    rng: dice.counter,
    food: [...food].sort((a, b) => a - b),
    seats: seats.map((one) => ({ ...one, body: one.out === null ? one.body : [] }))
  }
  const ranks = ranksOf(seats.map(({ out }, seat) => ({ score: scores[seat]!, forfeit: out === "forfeit" })))
  return { reason, turns: turn, scores, ranks, events, state_sha256: sha256(state) }
}
