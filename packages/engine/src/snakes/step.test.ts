import { assert, describe, it } from "vitest"
import type { Choice, MatchEvent } from "../Engine.ts"
import { arranged, DOWN, LEFT, RIGHT, UP } from "./arranged.ts"
import { bodyOf, canonical, foodOf, result, type SnakesState } from "./State.ts"
import { step } from "./step.ts"

/** Plays one turn and answers what happened in it. */
const play = (state: SnakesState, ...choices: ReadonlyArray<Choice>): ReadonlyArray<MatchEvent> => {
  const events: Array<MatchEvent> = []
  step(state, choices, events)
  return events
}

const outs = (events: ReadonlyArray<MatchEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => (event.kind === "out" ? [`${event.seat} ${event.reason}`] : []))

/** Bodies as `[row, col]` pairs, which read better than cell numbers. */
const bodies = (state: SnakesState, seat: number) =>
  bodyOf(state, seat).map((cell) => [Math.floor(cell / state.land.board.cols), cell % state.land.board.cols])

const open = "....... .1..... ....... ....... ....... .....2. ......."
/** Four seats far from each other, so that a test's two are never the last. */
const four = "3...... .1..... ....... ....... ....... .....2. ......4"

describe("stage 1: heads advance, tails drop", () => {
  it("unrolls the stacked start behind the head", () => {
    const state = arranged({ picture: open })
    assert.deepStrictEqual(bodies(state, 0), [
      [1, 1],
      [1, 1],
      [1, 1]
    ])
    play(state, RIGHT, UP)
    assert.deepStrictEqual(bodies(state, 0), [
      [1, 2],
      [1, 1],
      [1, 1]
    ])
    assert.deepStrictEqual(bodies(state, 1), [
      [4, 5],
      [5, 5],
      [5, 5]
    ])
    play(state, DOWN, UP)
    assert.deepStrictEqual(bodies(state, 0), [
      [2, 2],
      [1, 2],
      [1, 1]
    ])
    play(state, DOWN, LEFT)
    assert.deepStrictEqual(bodies(state, 0), [
      [3, 2],
      [2, 2],
      [1, 2]
    ])
    assert.deepStrictEqual(bodies(state, 1), [
      [3, 4],
      [3, 5],
      [4, 5]
    ])
  })

  it("goes over the edge where the board wraps, all four ways", () => {
    const state = arranged({ picture: "1...... ....... ....... ......2 ....... ....... .......", wrap: true })
    play(state, UP, RIGHT)
    assert.deepStrictEqual(
      [bodies(state, 0)[0], bodies(state, 1)[0]],
      [
        [6, 0],
        [3, 0]
      ]
    )
    play(state, LEFT, DOWN)
    play(state, DOWN, DOWN)
    assert.deepStrictEqual(bodies(state, 0), [
      [0, 6],
      [6, 6],
      [6, 0]
    ])
  })

  it("lets a head follow a tail, its own or another's, into the cell it leaves", () => {
    const ring = [
      [1, 1],
      [1, 2],
      [2, 2],
      [2, 1]
    ] as const
    const state = arranged({
      picture: open,
      bodies: [
        ring,
        [
          [5, 5],
          [5, 4],
          [5, 3]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, DOWN, RIGHT)), [])
    assert.deepStrictEqual(bodies(state, 0), [
      [2, 1],
      [1, 1],
      [1, 2],
      [2, 2]
    ])
    const chase = arranged({
      picture: open,
      bodies: [
        [
          [3, 0],
          [2, 0],
          [1, 0]
        ],
        [
          [3, 4],
          [3, 3],
          [3, 2],
          [3, 1]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(chase, RIGHT, RIGHT)), [])
  })

  it("does not free the cell of a tail that is stacked", () => {
    const state = arranged({
      picture: open,
      bodies: [
        [
          [3, 0],
          [2, 0],
          [1, 0]
        ],
        [
          [3, 3],
          [3, 2],
          [3, 1],
          [3, 1]
        ]
      ]
    })
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
    const state = arranged({
      picture: four,
      bodies: [
        [
          [3, 0],
          [2, 0],
          [1, 0]
        ],
        [
          [3, 3],
          [3, 2],
          [3, 1]
        ],
        [
          [0, 0],
          [0, 1],
          [0, 2]
        ]
      ],
      health: [100, 1]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, RIGHT, RIGHT, UP)), ["1 starved", "2 self"])
    assert.deepStrictEqual(bodies(state, 0)[0], [3, 1])
    assert.deepStrictEqual(bodies(state, 1), [])
    assert.strictEqual(state.snakes[1]!.health, 0)
  })
})

describe("stage 3: food", () => {
  const beside = "....... .1*.... ....... ....... ....... .....2. ......."

  it("sets health to 100 and repeats the last segment after the tail dropped", () => {
    const state = arranged({
      picture: beside,
      bodies: [
        [
          [1, 1],
          [2, 1],
          [3, 1]
        ]
      ],
      health: [50]
    })
    play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), [
      [1, 2],
      [1, 1],
      [2, 1],
      [2, 1]
    ])
    assert.deepStrictEqual([state.snakes[0]!.health, state.snakes[0]!.length], [100, 4])
    assert.deepStrictEqual(foodOf(state), [])
    play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), [
      [1, 3],
      [1, 2],
      [1, 1],
      [2, 1]
    ])
  })

  it("frees the old tail cell in the turn of eating and holds the new one a turn longer", () => {
    const mine = [
      [1, 1],
      [2, 1],
      [3, 1]
    ] as const
    const state = arranged({
      picture: beside,
      bodies: [
        mine,
        [
          [3, 2],
          [3, 3],
          [3, 4]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT)), [], "the old tail cell (3,1) is free")
    const held = arranged({
      picture: beside,
      bodies: [
        mine,
        [
          [2, 3],
          [3, 3],
          [3, 4]
        ]
      ]
    })
    play(held, RIGHT, LEFT)
    assert.deepStrictEqual(outs(play(held, RIGHT, LEFT)), ["1 body"], "the new tail cell (2,1) is held")
  })

  it("adds to a start that is still stacked", () => {
    const state = arranged({ picture: beside })
    play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), [
      [1, 2],
      [1, 1],
      [1, 1],
      [1, 1]
    ])
  })

  it("feeds turn after turn", () => {
    const state = arranged({ picture: "....... .1***.. ....... ....... ....... .....2. ......." })
    for (let turn = 0; turn < 3; turn++) play(state, RIGHT, LEFT)
    assert.deepStrictEqual(bodies(state, 0), [
      [1, 4],
      [1, 3],
      [1, 2],
      [1, 1],
      [1, 1],
      [1, 1]
    ])
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
    const state = arranged({
      picture: "....... .1*.... ....... ....... ....... .....2. .......",
      bodies: [
        [
          [1, 1],
          [2, 1],
          [3, 1]
        ],
        [
          [1, 3],
          [2, 3],
          [3, 3],
          [4, 3]
        ]
      ]
    })
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
    const inner = arranged({
      picture: walled,
      bodies: [
        [
          [0, 1],
          [0, 2],
          [0, 3]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(inner, DOWN, LEFT, LEFT, RIGHT)), ["0 wall"])
  })

  it("says starved and not wall where both are true", () => {
    const state = arranged({ picture: walled, health: [1] })
    assert.deepStrictEqual(outs(play(state, UP, LEFT, LEFT, RIGHT)), ["0 starved"])
  })

  it("takes the bodies away before stage 5", () => {
    const state = arranged({
      picture: walled,
      bodies: [
        [
          [0, 1],
          [0, 2],
          [0, 3]
        ],
        [
          [1, 3],
          [2, 3],
          [3, 3]
        ]
      ]
    })
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
    const back = arranged({
      picture: open,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(back, LEFT, LEFT)), ["0 self"])
    const first = arranged({ picture: open })
    play(first, RIGHT, LEFT)
    assert.deepStrictEqual(outs(play(first, LEFT, LEFT)), ["0 self"], "onto the stacked tail")
  })

  it("ends a head on a segment of another, and the other goes on", () => {
    const state = arranged({
      picture: open,
      bodies: [
        [
          [2, 2],
          [1, 2],
          [0, 2]
        ],
        [
          [3, 3],
          [3, 2],
          [3, 1]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, DOWN, RIGHT)), ["0 body"])
  })

  it("counts a head that has moved on as body: two that swap cells both end", () => {
    const state = arranged({
      picture: open,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [3, 3],
          [3, 4],
          [3, 5]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT)), ["0 body", "1 body"])
    assert.strictEqual(state.reason, "all_out")
  })

  it("ends the shorter of two heads on one cell", () => {
    const state = arranged({
      picture: four,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [3, 4],
          [3, 5],
          [3, 6],
          [2, 6]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["0 head"])
    assert.deepStrictEqual(bodies(state, 1)[0], [3, 3])
    assert.strictEqual(state.grid[3 * 7 + 3], 2, "the longer one's head is on the board")
  })

  it("ends both where they are as long", () => {
    const state = arranged({
      picture: four,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [3, 4],
          [3, 5],
          [3, 6]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["0 head", "1 head"])
  })

  it("leaves only the one that is longer than all others of three on a cell", () => {
    const longest = [
      [2, 3],
      [1, 3],
      [0, 3],
      [0, 4]
    ] as const
    const state = arranged({
      picture: four,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [3, 4],
          [3, 5],
          [3, 6]
        ],
        longest
      ]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, DOWN, UP)), ["0 head", "1 head"])
    const tied = arranged({
      picture: four,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0],
          [2, 0]
        ],
        [
          [3, 4],
          [3, 5],
          [3, 6]
        ],
        longest
      ]
    })
    assert.deepStrictEqual(outs(play(tied, RIGHT, LEFT, DOWN, UP)), ["0 head", "1 head", "2 head"])
  })

  it("compares lengths after stage 3", () => {
    const state = arranged({
      picture: "3...... .1..... ....... ...*... ....... .....2. ......4",
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [3, 4],
          [3, 5],
          [3, 6],
          [2, 6]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["0 head"], "both ate: 4 against 5")
  })

  it("lets everyone count who is still there, also one that ends in the same stage", () => {
    // Seat 1 runs into seat 2, and seat 0 into the segment that seat 1 leaves behind.
    const state = arranged({
      picture: four,
      bodies: [
        [
          [2, 2],
          [1, 2],
          [1, 1]
        ],
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [2, 3],
          [3, 3],
          [4, 3]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, DOWN, RIGHT, UP, UP)), ["0 body", "1 body"])
  })

  it("does not count one that left in stage 4 as a rival", () => {
    const state = arranged({
      picture: four,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [3, 4],
          [3, 5],
          [3, 6]
        ]
      ],
      health: [100, 1]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, LEFT, RIGHT, UP)), ["1 starved"])
  })

  it("says self before body before head", () => {
    // Both heads meet on a segment of seat 0.
    const curled = [
      [3, 2],
      [2, 2],
      [2, 3],
      [3, 3],
      [4, 3]
    ] as const
    const state = arranged({
      picture: four,
      bodies: [
        curled,
        [
          [3, 4],
          [3, 5],
          [3, 6]
        ]
      ]
    })
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
      return arranged({
        picture,
        min_food,
        food_chance,
        seed: 4,
        bodies: [
          [
            [0, 0],
            [0, 0],
            [0, 0]
          ]
        ]
      })
    }
    const below = full(49, 0)
    assert.deepStrictEqual(foods(play(below, RIGHT, LEFT)), [])
    assert.strictEqual(below.rng.counter, 4)
    const met = full(0, 100)
    assert.deepStrictEqual(foods(play(met, RIGHT, LEFT)), [])
    assert.strictEqual(met.rng.counter, (4 + 0x6d2b79f5) >>> 0)
  })
})

describe("strikes and forfeits", () => {
  it("plays straight on for a lesser strike, in the direction last moved by choice or by fallback, up if none yet", () => {
    const state = arranged({ picture: open, strike_limit: 9 })
    play(state, "timeout", LEFT)
    assert.deepStrictEqual(bodies(state, 0)[0], [0, 1], "up")
    play(state, RIGHT, "shape")
    play(state, "non_finite", "crash")
    assert.deepStrictEqual(
      [bodies(state, 0)[0], bodies(state, 1)[0]],
      [
        [0, 3],
        [5, 2]
      ]
    )
    assert.deepStrictEqual(
      canonical(state).seats.map((seat) => seat.strikes),
      [2, 2]
    )
  })

  it("remembers a direction that a fallback gave", () => {
    const state = arranged({ picture: "....... ....... ....... .1..... ....... .....2. .......", strike_limit: 9 })
    for (let turn = 0; turn < 2; turn++) play(state, "timeout", LEFT)
    assert.deepStrictEqual(bodies(state, 0)[0], [1, 1])
  })

  it("takes a seat at the limit out before stage 1, unmoved, and the others still play the turn", () => {
    const state = arranged({
      picture: four,
      strike_limit: 2,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [3, 4],
          [3, 5],
          [3, 6]
        ]
      ]
    })
    play(state, DOWN, "crash", RIGHT, UP)
    const events = play(state, RIGHT, "crash", RIGHT, UP)
    assert.deepStrictEqual(events, [{ turn: 1, kind: "out", seat: 1, reason: "forfeit" }])
    const { body, dir, health, length, out, out_turn, strikes } = canonical(state).seats[1]!
    assert.deepStrictEqual([body, dir, health, length, out, out_turn, strikes], [[], UP, 99, 3, "forfeit", 1, 2])
    assert.deepStrictEqual(bodies(state, 0)[0], [4, 3])
  })

  it("frees the cells of a forfeit for that very turn", () => {
    const state = arranged({
      picture: four,
      strike_limit: 1,
      bodies: [
        [
          [3, 2],
          [3, 1],
          [3, 0]
        ],
        [
          [2, 3],
          [3, 3],
          [4, 3],
          [5, 3]
        ]
      ]
    })
    assert.deepStrictEqual(outs(play(state, RIGHT, "timeout", RIGHT, UP)), ["1 forfeit"])
    assert.deepStrictEqual(bodies(state, 0)[0], [3, 3])
  })

  it("counts strikes over the whole match, not in a row", () => {
    const state = arranged({ picture: open, strike_limit: 3 })
    play(state, "timeout", LEFT)
    play(state, RIGHT, LEFT)
    play(state, "timeout", LEFT)
    play(state, DOWN, LEFT)
    assert.deepStrictEqual(outs(play(state, "timeout", UP)), ["0 forfeit"])
  })

  it("lists a forfeit before those who leave in the stages, and those of one stage by seat", () => {
    const state = arranged({
      picture: "1.....3 ....... ....... ....... ....... ....... 4.....2",
      strike_limit: 1,
      health: [100, 100, 1, 100]
    })
    assert.deepStrictEqual(outs(play(state, UP, DOWN, LEFT, "crash")), ["3 forfeit", "0 wall", "1 wall", "2 starved"])
  })
})

describe("the end", () => {
  it("is last_standing with one left, who survived all turns", () => {
    const state = arranged({ picture: open })
    play(state, UP, LEFT)
    play(state, UP, LEFT)
    assert.deepStrictEqual(result(state), {
      reason: "last_standing",
      turns: 2,
      scores: [1 * 50 + 3, 2 * 50 + 3],
      ranks: [2, 1],
      strikes: [0, 0]
    })
  })

  it("is all_out with none left, and a tie is one", () => {
    const state = arranged({ picture: open })
    play(state, UP, DOWN)
    play(state, UP, DOWN)
    assert.deepStrictEqual(result(state), { reason: "all_out", turns: 2, scores: [53, 53], ranks: [1, 1], strikes: [0, 0] })
  })

  it("is forfeit if every seat that left in this turn left by forfeit", () => {
    const one = arranged({ picture: open, strike_limit: 1 })
    play(one, UP, "crash")
    assert.deepStrictEqual(result(one), { reason: "forfeit", turns: 1, scores: [53, 3], ranks: [1, 2], strikes: [0, 1] })
    const both = arranged({ picture: open, strike_limit: 1 })
    play(both, "shape", "crash")
    assert.deepStrictEqual(result(both), { reason: "forfeit", turns: 1, scores: [3, 3], ranks: [1, 1], strikes: [1, 1] })
  })

  it("is not forfeit if one left otherwise in the same turn", () => {
    const state = arranged({ picture: "1...... ....... ....... ....... ....... ....... ...3..2", strike_limit: 1 })
    play(state, UP, "crash", UP)
    assert.strictEqual(result(state).reason, "last_standing")
    const none = arranged({ picture: "1...... ....... ....... ....... ....... ....... ......2", strike_limit: 1 })
    play(none, UP, "crash")
    assert.strictEqual(result(none).reason, "all_out")
  })

  it("is not forfeit when one forfeited in an earlier turn", () => {
    const state = arranged({ picture: "1...... ....... ....... ....... ....... ....... ...3..2", strike_limit: 1 })
    play(state, DOWN, "crash", UP)
    play(state, LEFT, null, UP)
    assert.strictEqual(result(state).reason, "last_standing")
  })

  it("puts a forfeit after one who left earlier by the rules", () => {
    const state = arranged({ picture: four, strike_limit: 1 })
    play(state, UP, LEFT, LEFT, LEFT)
    play(state, RIGHT, "crash", null, LEFT)
    play(state, RIGHT, null, null, "crash")
    const { reason, scores, ranks } = result(state)
    assert.strictEqual(reason, "forfeit")
    assert.deepStrictEqual(scores, [3 * 50 + 3, 1 * 50 + 3, 3, 2 * 50 + 3])
    assert.deepStrictEqual(ranks, [1, 4, 2, 3])
  })

  it("is turn_limit at the board's limit or the rules', the smaller, with at least two left", () => {
    const circle = [UP, RIGHT, DOWN, LEFT]
    for (const [max_turns, board_turns] of [
      [60, 50],
      [50, 60]
    ] as const) {
      const picture = "....... .1....3 ....... ....... ....... .....2. ......."
      const state = arranged({ picture, max_turns: board_turns, rules_max_turns: max_turns })
      for (let turn = 0; state.reason === null; turn++) play(state, circle[turn % 4]!, circle[turn % 4]!, circle[(turn + 3) % 4]!)
      assert.deepStrictEqual([state.reason, state.turn], ["turn_limit", 50])
      assert.deepStrictEqual(result(state).ranks, [1, 1, 1])
    }
  })

  it("in the last turn is last_standing and not turn_limit with one left", () => {
    const state = arranged({ picture: open, rules_max_turns: 2 })
    play(state, UP, LEFT)
    play(state, UP, LEFT)
    assert.strictEqual(state.reason, "last_standing")
  })

  it("has no result before it", () => {
    assert.throws(() => result(arranged({ picture: open })), RangeError)
  })
})

describe("choices that cannot be played", () => {
  it("are thrown back before anything has changed", () => {
    const state = arranged({ picture: open })
    const before = JSON.stringify(canonical(state))
    for (const choice of [4, -1, 1.5, Number.NaN, null, undefined as never]) {
      assert.throws(() => play(state, "crash", choice), RangeError)
      assert.strictEqual(JSON.stringify(canonical(state)), before)
    }
  })

  it("include any after the end", () => {
    const state = arranged({ picture: open, strike_limit: 1 })
    play(state, "crash", UP)
    assert.throws(() => play(state, null, UP), RangeError)
  })
})
