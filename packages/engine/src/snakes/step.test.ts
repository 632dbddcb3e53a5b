import { assert, describe, it } from "vitest"
import type { MatchEvent } from "../Engine.ts"
import { canonical, foodOf } from "./State.ts"
import { arranged, bodies, DOWN, four, head, heads, LEFT, open, outs, play, RIGHT, UP } from "./testing/arranged.ts"

describe("stage 1: heads advance, tails drop", () => {
  it("unrolls the stacked start behind the head", () => {
    const state = arranged({ picture: open })
    assert.deepStrictEqual(bodies(state, 0), "11 11 11")
    play(state, RIGHT, UP)
    assert.deepStrictEqual(bodies(state, 0), "12 11 11")
    assert.deepStrictEqual(bodies(state, 1), "45 55 55")
    play(state, DOWN, UP)
    assert.deepStrictEqual(bodies(state, 0), "22 12 11")
    play(state, DOWN, LEFT)
    assert.deepStrictEqual(bodies(state, 0), "32 22 12")
    assert.deepStrictEqual(bodies(state, 1), "34 35 45")
  })

  it("goes over the edge where the board wraps, all four ways", () => {
    const state = arranged({ picture: "1...... ....... ....... ......2 ....... ....... .......", wrap: true })
    play(state, UP, RIGHT)
    assert.deepStrictEqual(heads(state), "60 30")
    play(state, LEFT, DOWN)
    play(state, DOWN, DOWN)
    assert.deepStrictEqual(bodies(state, 0), "06 66 60")
  })

  it("keeps a body that fills most of the board", () => {
    const rows = [0, 1, 2, 3, 4, 5].map((row) => Array.from({ length: 7 }, (_, col) => `${row}${row % 2 === 0 ? col : 6 - col}`))
    const long = rows.flat().reverse()
    const state = arranged({ picture: open, bodies: [long.join(" "), "66 66 66"] })
    play(state, DOWN, LEFT)
    play(state, RIGHT, LEFT)
    assert.strictEqual(bodies(state, 0), ["61", "60", ...long.slice(0, -2)].join(" "))
    assert.strictEqual(bodies(state, 1), "64 65 66")
  })

  it("lets a head follow a tail, its own or another's, into the cell it leaves", () => {
    const ring = "11 12 22 21"
    const state = arranged({ picture: open, bodies: [ring, "55 54 53"] })
    assert.deepStrictEqual(outs(play(state, DOWN, RIGHT)), [])
    assert.deepStrictEqual(bodies(state, 0), "21 11 12 22")
    const chase = arranged({ picture: open, bodies: ["30 20 10", "34 33 32 31"] })
    assert.deepStrictEqual(outs(play(chase, RIGHT, RIGHT)), [])
  })

  it("does not free the cell of a tail that is stacked", () => {
    const state = arranged({ picture: open, bodies: ["30 20 10", "33 32 31 31"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, RIGHT)), ["0 body"])
  })
})

describe("stage 2 and 4: health", () => {
  it("falls by one a turn", () => {
    const state = arranged({ picture: open })
    play(state, RIGHT, LEFT)
    assert.deepStrictEqual(
      state.snakes.map((snake) => snake.health),
      [99, 99]
    )
  })

  it("ends a seat at 0, which frees its cells for those who stay", () => {
    const state = arranged({ picture: four, bodies: ["30 20 10", "33 32 31", "00 01 02"], health: [100, 1] })
    assert.deepStrictEqual(outs(play(state, RIGHT, RIGHT, RIGHT, UP)), ["1 starved", "2 self"])
    assert.deepStrictEqual(head(state, 0), "31")
    assert.strictEqual(bodies(state, 1), "")
    assert.strictEqual(state.snakes[1]!.health, 0)
  })
})

describe("stage 3: food", () => {
  const beside = "....... .1*.... ....... ....... ....... .....2. ......."

  it("sets health to 100 and repeats the last segment after the tail dropped", () => {
    const state = arranged({ picture: beside, bodies: ["11 21 31"], health: [50] })
    play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), "12 11 21 21")
    assert.deepStrictEqual([state.snakes[0]!.health, state.snakes[0]!.length], [100, 4])
    assert.deepStrictEqual(foodOf(state), [])
    play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), "13 12 11 21")
  })

  it("frees the old tail cell in the turn of eating and holds the new one a turn longer", () => {
    const mine = "11 21 31"
    const state = arranged({ picture: beside, bodies: [mine, "32 33 34"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT)), [], "the old tail cell (3,1) is free")
    const held = arranged({ picture: beside, bodies: [mine, "23 33 34"] })
    play(held, RIGHT, LEFT)
    assert.deepStrictEqual(outs(play(held, RIGHT, LEFT)), ["1 body"], "the new tail cell (2,1) is held")
  })

  it("adds to a start that is still stacked", () => {
    const state = arranged({ picture: beside })
    play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), "12 11 11 11")
  })

  it("feeds turn after turn", () => {
    const state = arranged({ picture: "....... .1***.. ....... ....... ....... .....2. ......." })
    for (let turn = 0; turn < 3; turn++) play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), "14 13 12 11 11 11")
  })

  it("saves a seat whose health falls to 0 in the same turn", () => {
    const state = arranged({ picture: beside, health: [1] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT)), [])
    assert.strictEqual(state.snakes[0]!.health, 100)
  })

  it("goes once however many heads are on it, and every head on it eats", () => {
    const state = arranged({ picture: "3...... .1*2... ....... ....... ....... ....... ......4", min_food: 0, food_chance: 0 })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, DOWN, UP)), ["0 head", "1 head"])
    assert.deepStrictEqual(
      state.snakes.map((snake) => snake.length),
      [4, 4, 3, 3]
    )
    assert.strictEqual(state.food, 0)
    assert.deepStrictEqual(foodOf(state), [])
  })

  it("is used up by a seat that eats and dies in stage 5, and counts in its length", () => {
    const state = arranged({ picture: "....... .1*.... ....... ....... ....... .....2. .......", bodies: ["11 21 31", "13 23 33 43"] })
    const events = play(state, RIGHT, LEFT)
    assert.deepStrictEqual(outs(events), ["0 head"])
    assert.deepStrictEqual([state.snakes[0]!.length, state.snakes[0]!.health], [4, 100])
    assert.deepStrictEqual([state.snakes[1]!.length, foodOf(state).length], [5, 0])
  })
})

describe("stage 4: walls and edges", () => {
  const walled = "1.....3 .#..... ....... ....... ....... .....#. 4.....2"

  it("ends a seat off the board or on a wall", () => {
    const state = arranged({ picture: walled })
    assert.deepStrictEqual(outs(play(state, UP, DOWN, LEFT, RIGHT)), ["0 wall", "1 wall"])
    const inner = arranged({ picture: walled, bodies: ["01 02 03"] })
    assert.deepStrictEqual(outs(play(inner, DOWN, LEFT, LEFT, RIGHT)), ["0 wall"])
  })

  it("says starved and not wall where both are true", () => {
    const state = arranged({ picture: walled, health: [1] })
    assert.deepStrictEqual(outs(play(state, UP, LEFT, LEFT, RIGHT)), ["0 starved"])
  })

  it("takes the bodies away before stage 5", () => {
    const state = arranged({ picture: walled, bodies: ["01 02 03", "13 23 33"] })
    assert.deepStrictEqual(outs(play(state, UP, UP, LEFT, RIGHT)), ["0 wall"], "seat 1 moves to where seat 0 was")
  })

  it("keeps a length and health of that turn", () => {
    const state = arranged({ picture: walled })
    play(state, UP, LEFT, LEFT, RIGHT)
    const seat = canonical(state).seats[0]!
    assert.deepStrictEqual(seat, { body: [], dir: UP, health: 99, length: 3, out: "wall", out_turn: 0, strikes: 0 })
  })
})

describe("stage 5: collisions", () => {
  it("ends a head on a segment of its own, a move back on itself included", () => {
    const back = arranged({ picture: open, bodies: ["32 31 30"] })
    assert.deepStrictEqual(outs(play(back, LEFT, LEFT)), ["0 self"])
    const first = arranged({ picture: open })
    play(first, RIGHT, LEFT)
    assert.deepStrictEqual(outs(play(first, LEFT, LEFT)), ["0 self"], "onto the stacked tail")
  })

  it("ends a head on a segment of another, and the other goes on", () => {
    const state = arranged({ picture: open, bodies: ["22 12 02", "33 32 31"] })
    assert.deepStrictEqual(outs(play(state, DOWN, RIGHT)), ["0 body"])
  })

  it("counts a head that has moved on as body: two that swap cells both end", () => {
    const state = arranged({ picture: open, bodies: ["32 31 30", "33 34 35"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT)), ["0 body", "1 body"])
    assert.strictEqual(state.reason, "all_out")
  })

  it("ends the shorter of two heads on one cell", () => {
    const state = arranged({ picture: four, bodies: ["32 31 30", "34 35 36 26"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["0 head"])
    assert.deepStrictEqual(head(state, 1), "33")
    assert.strictEqual(state.grid[3 * 7 + 3], 2, "the longer one's head is on the board")
  })

  it("ends both where they are as long", () => {
    const state = arranged({ picture: four, bodies: ["32 31 30", "34 35 36"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["0 head", "1 head"])
  })

  it("leaves only the one that is longer than all others of three on a cell", () => {
    const longest = "23 13 03 04"
    const state = arranged({ picture: four, bodies: ["32 31 30", "34 35 36", longest] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, DOWN, UP)), ["0 head", "1 head"])
    const tied = arranged({ picture: four, bodies: ["32 31 30 20", "34 35 36", longest] })
    assert.deepStrictEqual(outs(play(tied, RIGHT, LEFT, DOWN, UP)), ["0 head", "1 head", "2 head"])
  })

  it("compares lengths after stage 3", () => {
    const state = arranged({ picture: "3...... .1..... ....... ...*... ....... .....2. ......4", bodies: ["32 31 30", "34 35 36 26"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["0 head"], "both ate: 4 against 5")
  })

  it("lets everyone count who is still there, also one that ends in the same stage", () => {
    // Seat 1 runs into seat 2, and seat 0 into the segment that seat 1 leaves behind.
    const state = arranged({ picture: four, bodies: ["22 12 11", "32 31 30", "23 33 43"] })
    assert.deepStrictEqual(outs(play(state, DOWN, RIGHT, UP, UP)), ["0 body", "1 body"])
  })

  it("does not count one that left in stage 4 as a rival", () => {
    const state = arranged({ picture: four, bodies: ["32 31 30", "34 35 36"], health: [100, 1] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["1 starved"])
  })

  it("says self before body before head", () => {
    // Both heads meet on a segment of seat 0.
    const curled = "32 22 23 33 43"
    const state = arranged({ picture: four, bodies: [curled, "34 35 36"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["0 self", "1 body"])
  })
})

describe("stage 6: food appears", () => {
  const foods = (events: ReadonlyArray<MatchEvent>) => events.filter((event) => event.kind === "food")

  it("spawns one a turn while fewer than min_food lie there", () => {
    const state = arranged({ picture: open, min_food: 3 })
    for (let turn = 0; turn < 3; turn++) assert.strictEqual(foods(play(state, RIGHT, LEFT)).length, 1)
    assert.strictEqual(foods(play(state, RIGHT, LEFT)).length, 0)
    assert.strictEqual(state.food, 3)
  })

  it("takes free cell number below(count), row-major, and draws nothing else", () => {
    const state = arranged({ picture: open, min_food: 1, seed: 5 })
    const free = 49 - 4
    const expected = arranged({ picture: open, seed: 5 }).rng.below(free)
    const [event] = play(state, RIGHT, LEFT)
    const taken = [1 * 7 + 1, 1 * 7 + 2, 5 * 7 + 4, 5 * 7 + 5]
    const cells = Array.from({ length: 49 }, (_, cell) => cell).filter((cell) => !taken.includes(cell))
    assert.deepStrictEqual(event, { turn: 0, kind: "food", cell: cells[expected]! })
    assert.strictEqual(state.rng.counter, (5 + 0x6d2b79f5) >>> 0)
  })

  it("with min_food met draws below(100) in every turn, and the cell only when it is less than food_chance", () => {
    const state = arranged({ picture: open, food_chance: 30, seed: 9 })
    const random = arranged({ picture: open, seed: 9 }).rng
    for (let turn = 0; state.reason === null && turn < 4; turn++) {
      const events = play(state, RIGHT, LEFT)
      const hit = random.below(100) < 30
      assert.strictEqual(foods(events).length, hit ? 1 : 0)
      if (hit) random.next()
      assert.strictEqual(state.rng.counter, random.counter)
    }
  })

  it("draws nothing with food_chance 0 and min_food met", () => {
    const state = arranged({ picture: open.replace("1..", "1.*"), min_food: 1, seed: 9 })
    play(state, DOWN, LEFT)
    assert.strictEqual(state.rng.counter, 9)
  })

  it("counts cells of seats that left in this turn as free, and runs in the last turn too", () => {
    const expected = arranged({ picture: open, seed: 3 }).rng.below(49)
    const last = arranged({ picture: open, min_food: 1, seed: 3, strike_limit: 1 })
    assert.deepStrictEqual(play(last, "crash", "timeout"), [
      { turn: 0, kind: "out", seat: 0, reason: "forfeit" },
      { turn: 0, kind: "out", seat: 1, reason: "forfeit" },
      { turn: 0, kind: "food", cell: expected }
    ])
  })

  it("draws nothing below min_food while no cell is free, but with min_food met draws below(100) all the same", () => {
    const full = (min_food: number, food_chance: number) => {
      const picture = "1****** ******* ******* ******* ******* ******* ******2"
      return arranged({ picture, min_food, food_chance, seed: 4, bodies: ["00 00 00"] })
    }
    const below = full(49, 0)
    assert.deepStrictEqual(foods(play(below, RIGHT, LEFT)), [])
    assert.strictEqual(below.rng.counter, 4)
    const met = full(0, 100)
    assert.deepStrictEqual(foods(play(met, RIGHT, LEFT)), [])
    assert.strictEqual(met.rng.counter, (4 + 0x6d2b79f5) >>> 0)
  })
})
