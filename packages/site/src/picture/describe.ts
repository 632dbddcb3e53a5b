/** Positions in words, for those who do not see the picture. Rows and columns are counted from 1 at the top left, as people count. */
import type { OthelloPosition, Position, SnakesPosition } from "./Position.ts"
import { plainText } from "./svg.ts"

/** Names of the seats by their number from 0; a seat without a name is called by its number. */
export type Names = ReadonlyArray<string | undefined>

/** The name is isolated, so that its direction does not reach the text around it. */
export const seatName = (seat: number, names: Names): string => {
  const name = plainText(names[seat] ?? "").trim()
  return name === "" ? `Seat ${seat + 1}` : `${seat + 1} \u2068${name}\u2069`
}

export const place = (cell: number, cols: number): string => `row ${Math.floor(cell / cols) + 1}, column ${(cell % cols) + 1}`

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

const CAUSES: Readonly<Record<string, string>> = {
  forfeit: "too many strikes",
  starved: "starved",
  wall: "hit a wall",
  self: "hit itself",
  body: "hit another",
  head: "lost head to head"
}

/** Why a seat is out. */
export const causeText = (cause: string): string => CAUSES[cause] ?? cause

export const describe = (position: Position, names: Names): string =>
  position.game === "snakes" ? describeSnakes(position, names) : describeOthello(position, names)

const describeSnakes = ({ cols, food, seats }: SnakesPosition, names: Names): string => {
  const seated = seats.map(({ body, health, length, out }, seat) => {
    const name = seatName(seat, names)
    return out !== null || body.length === 0
      ? `${name} is out: ${causeText(out ?? "gone")}.`
      : `${name}: head at ${place(body[0]!, cols)}, length ${length}, health ${health}.`
  })
  const pieces =
    food.length === 0
      ? "No food."
      : `Food at ${food
          .slice(0, FOOD_NAMED)
          .map((cell) => place(cell, cols))
          .join("; ")}${rest(food.length)}.`
  return [...seated, pieces].join(" ")
}

const FOOD_NAMED = 6
const rest = (pieces: number) => (pieces > FOOD_NAMED ? `; and ${pieces - FOOD_NAMED} more` : "")

const describeOthello = ({ cells, seats, to_act }: OthelloPosition, names: Names): string => {
  const seated = seats.map(({ out }, seat) => {
    const discs = [...cells].filter((cell) => cell === String(seat)).length
    return `${seatName(seat, names)}: ${counted(discs, "disc")}${out === null ? "" : `, out (${out})`}.`
  })
  return [...seated, to_act === null ? "The match is over." : `${seatName(to_act, names)} is to place.`].join(" ")
}

/** The board as lines of signs: numbers are heads, letters from a on are the bodies of seats from 1 on. */
export const textBoard = (position: Position): ReadonlyArray<string> => {
  const { rows, cols } = position
  const signs = position.game === "othello" ? [...position.cells].map((cell) => DISCS[cell] ?? cell) : snakesSigns(position)
  return Array.from({ length: rows }, (_, row) => signs.slice(row * cols, (row + 1) * cols).join(" "))
}

export const textBoardKey = (game: Position["game"]): string =>
  game === "othello"
    ? "X seat 1, O seat 2, # blocked, . empty."
    : "1 to 8 the head of that seat, a to h the body of seats 1 to 8, * food, # wall, . empty."

const DISCS: Readonly<Record<string, string>> = { "0": "X", "1": "O" }
const BODIES = "abcdefgh"

const snakesSigns = ({ rows, cols, walls, food, seats }: SnakesPosition): ReadonlyArray<string> => {
  const signs: Array<string> = new Array(rows * cols).fill(".")
  for (const cell of walls) signs[cell] = "#"
  for (const cell of food) signs[cell] = "*"
  for (const [seat, { body }] of seats.entries()) {
    for (const cell of body) signs[cell] = BODIES[seat]!
    if (body.length > 0) signs[body[0]!] = String(seat + 1)
  }
  return signs
}
