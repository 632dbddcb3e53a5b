/**
 * Positions in the terms of Battlesnake's standard mode (x to the right, y upwards from the lower left, a digit each: "20" is
 * the lowest row's third cell; a body from its head), written from what its documentation says of a turn, where our rules are
 * meant to be the same:
 *
 *   every head moves, every tail drops, health falls by one · food gives full health and doubles the tail · then those go who
 *   have no health, are off the board, have run into a body, or meet a head that is as long or longer
 *
 * Not compared, because ours differs: when and where food appears, walls, boards that wrap, time-outs, and scores.
 */
import { assert, describe, it } from "vitest"
import { bodyOf, foodOf, type SnakesState } from "./State.ts"
import { step } from "./step.ts"
import { arranged } from "./testing/arranged.ts"

type Direction = "up" | "right" | "down" | "left"
interface Snake {
  readonly body: string
  readonly health?: number
  readonly moves: Direction
  /** The body after the turn, or why there is none. */
  readonly after: string
  readonly healthAfter?: number
}
interface Case {
  readonly what: string
  readonly snakes: ReadonlyArray<Snake>
  readonly food?: string
  readonly foodAfter?: string
}

const SIDE = 7
const DIRECTIONS: ReadonlyArray<Direction> = ["up", "right", "down", "left"]
const CAUSES: Readonly<Record<string, string>> = {
  "out-of-health": "starved",
  "wall-collision": "wall",
  "snake-self-collision": "self",
  "snake-collision": "body",
  "head-collision": "head"
}

const cellsOf = (places: string): ReadonlyArray<number> =>
  places === "" ? [] : places.split(" ").map((at) => (SIDE - 1 - Number(at[1])) * SIDE + Number(at[0]))
const placesOf = (cells: ReadonlyArray<number>): string =>
  cells.map((cell) => `${cell % SIDE}${SIDE - 1 - Math.floor(cell / SIDE)}`).join(" ")

/** Seats are born on cells without food and then put where the case has them. */
const stateOf = ({ snakes, food = "" }: Case): SnakesState => {
  const signs: Array<string> = new Array(SIDE * SIDE).fill(".")
  for (const cell of cellsOf(food)) signs[cell] = "*"
  for (let seat = 1; seat <= snakes.length; seat++) signs[signs.indexOf(".")] = String(seat)
  return arranged({
    picture: Array.from({ length: SIDE }, (_, row) => signs.slice(row * SIDE, (row + 1) * SIDE).join("")).join(" "),
    bodies: snakes.map(({ body }) =>
      cellsOf(body)
        .map((cell) => `${Math.floor(cell / SIDE)}${cell % SIDE}`)
        .join(" ")
    ),
    health: snakes.map(({ health = 90 }) => health)
  })
}

/** Somebody far away, so that a case's other snakes are not the last. */
const bystander: Snake = { body: "61 60 50", moves: "up", after: "62 61 60" }

const cases: ReadonlyArray<Case> = [
  {
    what: "a new body part where it moves, the last one removed, one health less",
    snakes: [{ body: "22 21 11", moves: "left", after: "12 22 21", healthAfter: 89 }, bystander]
  },
  {
    what: "food: full health, gone, and another part on top of the tail",
    snakes: [{ body: "22 21 11", health: 40, moves: "up", after: "23 22 21 21", healthAfter: 100 }, bystander],
    food: "23 06",
    foodAfter: "06"
  },
  {
    what: "the turn after food: the body is longer by one",
    snakes: [{ body: "23 22 21 21", moves: "up", after: "24 23 22 21" }, bystander]
  },
  {
    what: "a coiled start that unrolls",
    snakes: [{ body: "11 11 11", moves: "right", after: "21 11 11" }, bystander]
  },
  {
    what: "food with the last health",
    snakes: [{ body: "22 21 11", health: 1, moves: "up", after: "23 22 21 21", healthAfter: 100 }, bystander],
    food: "23",
    foodAfter: ""
  },
  {
    what: "no food with the last health",
    snakes: [{ body: "22 21 11", health: 1, moves: "up", after: "out-of-health" }, bystander]
  },
  {
    what: "the edges of the board",
    snakes: [
      { body: "03 13 23", moves: "left", after: "wall-collision" },
      { body: "36 35 34", moves: "up", after: "wall-collision" },
      { body: "20 21 22", moves: "down", after: "wall-collision" },
      bystander
    ]
  },
  {
    what: "its own neck",
    snakes: [{ body: "22 21 11", moves: "down", after: "snake-self-collision" }, bystander]
  },
  {
    what: "its own body",
    snakes: [{ body: "22 23 33 32 31", moves: "right", after: "snake-self-collision" }, bystander]
  },
  {
    what: "its own tail, which moves away",
    snakes: [{ body: "22 23 33 32", moves: "right", after: "32 22 23 33" }, bystander]
  },
  {
    what: "another's body",
    snakes: [
      { body: "22 12 02", moves: "right", after: "snake-collision" },
      { body: "33 32 31", moves: "up", after: "34 33 32" },
      bystander
    ]
  },
  {
    what: "another's tail, which moves away",
    snakes: [{ body: "21 11 01", moves: "right", after: "31 21 11" }, { body: "33 32 31", moves: "up", after: "34 33 32" }, bystander]
  },
  {
    what: "another's tail that is doubled, since it ate the turn before",
    snakes: [
      { body: "21 11 01", moves: "right", after: "snake-collision" },
      { body: "33 32 31 31", moves: "up", after: "34 33 32 31" },
      bystander
    ]
  },
  {
    what: "another's tail while that one eats: the old tail's cell is free, the new one doubled",
    snakes: [
      { body: "21 11 01", moves: "right", after: "31 21 11" },
      { body: "33 32 31", moves: "up", after: "34 33 32 32", healthAfter: 100 },
      bystander
    ],
    food: "34",
    foodAfter: ""
  },
  {
    what: "head to head: the longer survives",
    snakes: [
      { body: "22 12 02", moves: "right", after: "head-collision" },
      { body: "42 43 44 45", moves: "left", after: "32 42 43 44" },
      bystander
    ]
  },
  {
    what: "head to head: of the same length, nobody does",
    snakes: [
      { body: "22 12 02", moves: "right", after: "head-collision" },
      { body: "42 43 44", moves: "left", after: "head-collision" },
      bystander
    ]
  },
  {
    what: "three heads: only one that is longer than both",
    snakes: [
      { body: "22 12 02", moves: "right", after: "head-collision" },
      { body: "42 43 44", moves: "left", after: "head-collision" },
      { body: "33 34 35 36", moves: "down", after: "32 33 34 35" },
      bystander
    ]
  },
  {
    what: "head to head over food: both eat it, and lengths count after that",
    snakes: [
      { body: "22 12 02", moves: "right", after: "head-collision" },
      { body: "42 43 44 45", moves: "left", after: "32 42 43 44 44", healthAfter: 100 },
      bystander
    ],
    food: "32",
    foodAfter: ""
  },
  {
    what: "two that change places: each runs into the other's body",
    snakes: [
      { body: "22 12 02", moves: "right", after: "snake-collision" },
      { body: "32 42 52", moves: "left", after: "snake-collision" },
      { ...bystander, body: "65 64 63", after: "66 65 64" }
    ]
  },
  {
    what: "one without health is gone before anybody runs into it",
    snakes: [
      { body: "22 12 02", moves: "right", after: "32 22 12" },
      { body: "42 43 44 45", health: 1, moves: "left", after: "out-of-health" },
      bystander
    ]
  },
  {
    what: "one off the board is gone before anybody runs into it",
    snakes: [{ body: "25 15 05", moves: "right", after: "35 25 15" }, { body: "36 35 34", moves: "up", after: "wall-collision" }, bystander]
  },
  {
    what: "one that collides still counts as body for those who collide with it",
    snakes: [
      { body: "23 13 03", moves: "right", after: "snake-collision" },
      { body: "33 32 31", moves: "right", after: "snake-collision" },
      { body: "44 43 42", moves: "up", after: "45 44 43" },
      bystander
    ]
  }
]

describe("a turn is that of Battlesnake's standard mode:", () => {
  for (const one of cases)
    it(one.what, () => {
      const state = stateOf(one)
      step(
        state,
        one.snakes.map(({ moves }) => DIRECTIONS.indexOf(moves)),
        undefined
      )
      for (const [seat, { after, healthAfter }] of one.snakes.entries()) {
        const snake = state.snakes[seat]!
        if (after in CAUSES) assert.strictEqual(snake.out, CAUSES[after], `snake ${seat}`)
        else assert.strictEqual(placesOf(bodyOf(state, seat)), after, `snake ${seat}`)
        if (healthAfter !== undefined) assert.strictEqual(snake.health, healthAfter, `snake ${seat}`)
      }
      if (one.foodAfter !== undefined) assert.sameMembers([...foodOf(state)], [...cellsOf(one.foodAfter)])
    })

  it("the game ends when at most one is left", () => {
    const [last] = cases.filter(({ what }) => what === "its own neck")
    const state = stateOf(last!)
    step(
      state,
      last!.snakes.map(({ moves }) => DIRECTIONS.indexOf(moves)),
      undefined
    )
    assert.strictEqual(state.reason, "last_standing")
  })
})
