/**
 * Random matches on random boards, by the engine and by the plain implementation in `naive.ts`. A failing case prints its
 * seed; AGON_SLOW plays eighty times as many.
 */
import { assert, describe, it } from "vitest"
import { slow } from "../../../../test/support/slow.ts"
import type { Choice, MatchEvent, StrikeCode } from "../Engine.ts"
import { Mulberry32 } from "../Mulberry32.ts"
import { snakesBoards } from "../snakes/boards.ts"
import { checkBoard, type SnakesBoard } from "./Board.ts"
import { openMoves } from "./observe.ts"
import type { SnakesState } from "./State.ts"
import { snakes } from "./snakes.ts"
import { NaiveSnakes } from "./testing/naive.ts"

const matches = slow ? 10_000 : 120
const codes: ReadonlyArray<StrikeCode> = ["timeout", "shape", "non_finite", "crash"]

/** A small crowded board, so that seats meet; undefined where the draw broke a rule of boards. */
const randomBoard = (random: Mulberry32): SnakesBoard | undefined => {
  const rows = 5 + random.below(4)
  const cols = 5 + random.below(4)
  const players = 2 + random.below(Math.min(7, Math.floor((rows * cols) / 8) - 1))
  const cells = Array.from({ length: rows * cols }, (_, cell) => [Math.floor(cell / cols), cell % cols])
  const take = (count: number) => Array.from({ length: count }, () => cells.splice(random.below(cells.length), 1)[0]!)
  const spawns = take(players)
  const check = checkBoard({
    format: "snakes-board/1",
    map_id: "random",
    players,
    rows,
    cols,
    wrap: random.below(2) === 1,
    walls: take(random.below(5)),
    spawns,
    food: take(random.below(8)),
    min_food: 1 + random.below(6),
    food_chance: random.below(2) * random.below(101),
    max_turns: 50 + random.below(100)
  })
  return check.ok ? check.board : undefined
}

/** Mostly a safe move, sometimes any move, rarely a strike. */
const choose = (state: SnakesState, seat: number, random: Mulberry32): Choice => {
  if (random.below(60) === 0) return codes[random.below(4)]!
  let move = random.below(4)
  if (random.below(20) === 0) return move
  const open = openMoves(state, seat)
  for (let turned = 0; turned < 3 && (open & (1 << move)) === 0; turned++) move = (move + 1) & 3
  return move
}

/** Bodies share no cell, and the grid is exactly what they, food and walls make it. */
const assertSound = (state: SnakesState, at: string): void => {
  const { food, seats } = snakes.canonical(state) as ReturnType<NaiveSnakes["canonical"]>
  const grid = new Uint8Array(state.land.cells)
  for (const [row, col] of state.land.board.walls) grid[row * state.land.board.cols + col] = 10
  for (const cell of food) grid[cell] = 9
  seats.forEach(({ body, length }, seat) => {
    if (body.length === 0) return
    assert.strictEqual(body.length, length, at)
    for (const cell of new Set(body)) {
      assert.strictEqual(grid[cell], 0, `${at}: cell ${cell} is held twice`)
      grid[cell] = seat + 1
    }
  })
  assert.deepStrictEqual(state.grid, grid, at)
}

/** Plays one match on both and answers how it went: the causes seats left by and the reason it ended. */
const playBoth = (board: SnakesBoard, seed: number, random: Mulberry32): ReadonlyArray<string> => {
  const rules = { max_turns: 40 + random.below(200), strike_limit: 1 + random.below(4) }
  const state = snakes.init(board, seed, rules)
  const naive = new NaiveSnakes(board, seed, rules)
  // Some start with little health, or seats would hardly ever starve.
  for (const [seat, snake] of state.snakes.entries()) {
    snake.health = naive.seats[seat]!.health = random.below(2) === 0 ? 100 : 1 + random.below(30)
  }
  const events: Array<MatchEvent> = []
  const out = new Float32Array(12 * board.rows * board.cols)
  let eaten = 0
  for (let turn = 0; snakes.status(state) === "running"; turn++) {
    const at = `seed ${seed}, turn ${turn}`
    const acting = snakes.toAct(state)
    const choices: Array<Choice> = new Array(board.players).fill(null)
    for (const seat of acting) {
      out.fill(7)
      snakes.observe(state, seat, out)
      assert.deepStrictEqual(out, Float32Array.from(naive.observe(naive.seats[seat]!).flat()), `${at}, seat ${seat}`)
      choices[seat] = choose(state, seat, random)
    }
    const before = state.food
    const known = events.length
    snakes.step(state, choices, events)
    eaten += before + events.slice(known).filter((event) => event.kind === "food").length - state.food
    naive.step(choices)
    assert.deepStrictEqual<unknown>(snakes.canonical(state), naive.canonical(), at)
    assertSound(state, at)
  }
  assert.deepStrictEqual(events, naive.events, `seed ${seed}`)
  const result = snakes.result(state)
  assert.deepStrictEqual([result.reason, result.turns, result.scores], [naive.reason!, naive.turn, naive.scores()], `seed ${seed}`)
  const grown = state.snakes.reduce((sum, snake) => sum + snake.length - 3, 0)
  assert.isAtLeast(grown, eaten, "every food eaten grew somebody")
  return [result.reason, ...naive.seats.map((seat) => seat.out ?? "stayed")]
}

describe("the engine and a plain reading of the rules", () => {
  it(`agree on every state, view, event and result of ${matches} random matches`, () => {
    const random = new Mulberry32(20_260_101)
    const seen = new Set<string>()
    let played = 0
    for (let seed = 0; played < matches; seed++) {
      const board = randomBoard(random)
      if (board === undefined) continue
      for (const what of playBoth(board, seed, random)) seen.add(what)
      played++
    }
    const all = ["forfeit", "starved", "wall", "self", "body", "head", "stayed", "last_standing", "all_out", "turn_limit"]
    assert.sameMembers([...seen], all, "the matches reach every cause and every reason")
  }, 900_000)

  it("agree on the demonstration boards", () => {
    for (const [seed, board] of snakesBoards.entries()) playBoth(board, seed, new Mulberry32(seed))
  })
})

describe("a match", () => {
  const finish = (board: SnakesBoard, seed: number, choicesOf: (state: SnakesState) => ReadonlyArray<Choice>) => {
    const state = snakes.init(board, seed, { max_turns: 100, strike_limit: 3 })
    while (snakes.status(state) === "running") snakes.step(state, choicesOf(state))
    return state
  }
  const randomly = (seed: number) => {
    const random = new Mulberry32(seed)
    return (state: SnakesState) => state.snakes.map((_, seat) => choose(state, seat, random))
  }

  it("is the same for the same seed and choices", () => {
    for (const board of snakesBoards) {
      assert.deepStrictEqual(snakes.canonical(finish(board, 5, randomly(6))), snakes.canonical(finish(board, 5, randomly(6))))
    }
  })

  it("with its seats permuted has its results permuted", () => {
    for (const [index, board] of snakesBoards.entries()) {
      const shift = (index % (board.players - 1)) + 1
      const from = (seat: number) => (seat + shift) % board.players
      const log: Array<ReadonlyArray<Choice>> = []
      const choices = randomly(index)
      const first = finish(board, index, (state) => {
        const row = choices(state)
        log.push(row)
        return row
      })
      const permuted = { ...board, spawns: board.spawns.map((_, seat) => board.spawns[from(seat)]!) }
      const second = finish(permuted, index, (state) => board.spawns.map((_, seat) => log[state.turn]![from(seat)]!))
      const [one, two] = [snakes.result(first), snakes.result(second)]
      assert.deepStrictEqual([two.reason, two.turns], [one.reason, one.turns])
      for (const key of ["scores", "ranks", "strikes"] as const) {
        assert.deepStrictEqual(
          two[key],
          board.spawns.map((_, seat) => one[key][from(seat)]!),
          `${board.map_id} ${key}`
        )
      }
    }
  })
})
