/**
 * Snakes once more, for tests: the sentences of docs/games.md#snakes in their order, on plain lists, with nothing shared with the
 * engine but the generator. Slow and obvious. The engine must agree with it on every state of every match.
 */
import type { Choice, MatchEvent, MatchRules } from "../../Engine.ts"
import { Mulberry32 } from "../../Mulberry32.ts"
import type { SnakesBoard } from "../Board.ts"

type Place = readonly [row: number, col: number]

interface NaiveSeat {
  body: Array<Place>
  dir: number | null
  health: number
  length: number
  out: string | null
  out_turn: number | null
  strikes: number
}

export class NaiveSnakes {
  readonly board: SnakesBoard
  readonly rules: MatchRules
  readonly rng: Mulberry32
  readonly seats: Array<NaiveSeat>
  readonly events: Array<MatchEvent> = []
  food: Array<Place>
  turn = 0
  reason: string | null = null

  constructor(board: SnakesBoard, seed: number, rules: MatchRules) {
    this.board = board
    this.rules = rules
    this.rng = new Mulberry32(seed)
    this.food = [...board.food]
    this.seats = board.spawns.map((at) => ({
      body: [at, at, at],
      dir: null,
      health: 100,
      length: 3,
      out: null,
      out_turn: null,
      strikes: 0
    }))
  }

  step(choices: ReadonlyArray<Choice>): void {
    const there = this.seats.filter((seat) => seat.out === null)
    for (const seat of there) {
      const choice = choices[this.seats.indexOf(seat)]!
      if (typeof choice === "number") seat.dir = choice
      else if (++seat.strikes < this.rules.strike_limit) seat.dir ??= 0
    }
    this.leave(there.filter((seat) => seat.strikes >= this.rules.strike_limit).map((seat) => [seat, "forfeit"]))
    for (const seat of this.living()) {
      seat.body = [this.ahead(seat.body[0]!, seat.dir!), ...seat.body.slice(0, -1)]
      seat.health--
    }
    const eaten = this.food.filter((food) => this.living().some((seat) => same(seat.body[0]!, food)))
    for (const seat of this.living()) {
      if (!eaten.some((food) => same(food, seat.body[0]!))) continue
      seat.health = 100
      seat.body.push(seat.body.at(-1)!)
    }
    this.food = this.food.filter((food) => !eaten.includes(food))
    for (const seat of this.living()) seat.length = seat.body.length
    this.leave(
      this.living().flatMap((seat) => (seat.health === 0 ? [[seat, "starved"]] : this.isWall(seat.body[0]!) ? [[seat, "wall"]] : []))
    )
    this.leave(
      this.living().flatMap((seat) => {
        const cause = this.collision(seat)
        return cause === null ? [] : [[seat, cause]]
      })
    )
    this.spawnFood()
    this.turn++
    const left = this.living().length
    const gone = there.filter((seat) => seat.out !== null)
    if (left <= 1) this.reason = gone.every((seat) => seat.out === "forfeit") ? "forfeit" : left === 1 ? "last_standing" : "all_out"
    else if (this.turn === Math.min(this.board.max_turns, this.rules.max_turns)) this.reason = "turn_limit"
  }

  collision(seat: NaiveSeat): string | null {
    const head = seat.body[0]!
    const onBody = (other: NaiveSeat) => other.body.slice(1).some((at) => same(at, head))
    const others = this.living().filter((other) => other !== seat)
    if (onBody(seat)) return "self"
    if (others.some(onBody)) return "body"
    return others.some((other) => same(other.body[0]!, head) && other.body.length >= seat.body.length) ? "head" : null
  }

  spawnFood(): void {
    const taken = [...this.food, ...this.living().flatMap((seat) => seat.body)]
    const free = this.places().filter((at) => !this.isWall(at) && !taken.some((other) => same(other, at)))
    if (this.food.length < this.board.min_food) {
      if (free.length === 0) return
    } else {
      if (this.board.food_chance === 0) return
      if (this.rng.below(100) >= this.board.food_chance || free.length === 0) return
    }
    const at = free[this.rng.below(free.length)]!
    this.food.push(at)
    this.events.push({ turn: this.turn, kind: "food", cell: this.number(at) })
  }

  leave(causes: ReadonlyArray<ReadonlyArray<NaiveSeat | string>>): void {
    for (const [seat, cause] of causes as ReadonlyArray<readonly [NaiveSeat, string]>) {
      seat.out = cause
      seat.out_turn = this.turn
      seat.body = []
      this.events.push({ turn: this.turn, kind: "out", seat: this.seats.indexOf(seat), reason: cause })
    }
  }

  /** The twelve planes, a row of numbers each. */
  observe(own: NaiveSeat): ReadonlyArray<ReadonlyArray<number>> {
    const others = this.living().filter((seat) => seat !== own)
    const plane = (value: (at: Place) => number) => this.places().map(value)
    const headOf = (seats: ReadonlyArray<NaiveSeat>) => plane((at) => (seats.some((seat) => same(seat.body[0]!, at)) ? 1 : 0))
    const frees = (seats: ReadonlyArray<NaiveSeat>, at: Place) =>
      Math.max(0, ...seats.flatMap((seat) => seat.body.map((segment, index) => (same(segment, at) ? seat.body.length - index : 0))))
    const open = (move: number) => {
      const at = this.ahead(own.body[0]!, move)
      return plane(() => (!this.isWall(at) && frees(this.living(), at) < 2 ? 1 : 0))
    }
    return [
      headOf([own]),
      plane((at) => frees([own], at) / 64),
      headOf(others),
      headOf(others.filter((seat) => seat.length >= own.length)),
      plane((at) => frees(others, at) / 64),
      plane((at) => (this.food.some((food) => same(food, at)) ? 1 : 0)),
      plane((at) => (this.isWall(at) ? 1 : 0)),
      plane(() => own.health / 100),
      ...[0, 1, 2, 3].map(open)
    ]
  }

  canonical() {
    const food = this.food.map((at) => this.number(at)).sort((a, b) => a - b)
    const seats = this.seats.map((seat) => ({ ...seat, body: seat.body.map((at) => this.number(at)) }))
    return { format: "snakes-state/1", turn: this.turn, rng: this.rng.counter, food, seats }
  }

  scores(): ReadonlyArray<number> {
    return this.seats.map((seat) => (seat.out_turn ?? this.turn) * (this.board.rows * this.board.cols + 1) + seat.length)
  }

  living(): ReadonlyArray<NaiveSeat> {
    return this.seats.filter((seat) => seat.out === null)
  }

  places(): ReadonlyArray<Place> {
    return Array.from({ length: this.board.rows * this.board.cols }, (_, cell) => [
      Math.floor(cell / this.board.cols),
      cell % this.board.cols
    ])
  }

  number([row, col]: Place): number {
    return row * this.board.cols + col
  }

  isWall([row, col]: Place): boolean {
    if (row < 0 || col < 0 || row >= this.board.rows || col >= this.board.cols) return true
    return this.board.walls.some((wall) => same(wall, [row, col]))
  }

  ahead([row, col]: Place, move: number): Place {
    const { rows, cols, wrap } = this.board
    const to = (
      [
        [row - 1, col],
        [row, col + 1],
        [row + 1, col],
        [row, col - 1]
      ] as const
    )[move]!
    return wrap ? [(to[0] + rows) % rows, (to[1] + cols) % cols] : to
  }
}

const same = (a: Place, b: Place): boolean => a[0] === b[0] && a[1] === b[1]
