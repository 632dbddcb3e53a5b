import { assert, describe, it } from "vitest"
import { checkBoard } from "./Board.ts"

const good = {
  format: "snakes-board/1",
  map_id: "open-7",
  players: 2,
  rows: 7,
  cols: 7,
  wrap: false,
  walls: [],
  spawns: [
    [1, 1],
    [5, 5]
  ],
  food: [[3, 3]],
  min_food: 1,
  food_chance: 15,
  max_turns: 200
}

/** The refusals of the good board with some members replaced, as `path: message`. */
const refusals = (change: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const check = checkBoard(JSON.parse(JSON.stringify({ ...good, ...change })))
  return check.ok ? [] : check.errors.map(({ path, message }) => `${path}: ${message}`)
}

const row = (index: number, cols: number, ...gaps: ReadonlyArray<number>) =>
  Array.from({ length: cols }, (_, col) => [index, col]).filter(([, col]) => !gaps.includes(col!))

describe("a snakes board", () => {
  it("is read as written", () => {
    assert.deepStrictEqual<unknown>(checkBoard(good), { ok: true, board: good })
  })

  it("may write an integer 5.0", () => {
    const text = JSON.stringify(good).replace('"rows":7', '"rows":7.0').replace("[3,3]", "[3.0,-0]")
    const check = checkBoard(JSON.parse(text))
    assert.isTrue(check.ok)
    assert.strictEqual(JSON.stringify(check.ok && check.board.food), "[[3,0]]")
  })

  it("lists the cells of walls, spawns and food in the order of the file", () => {
    const walls = [
      [0, 6],
      [0, 0]
    ]
    const check = checkBoard({ ...good, walls })
    assert.deepStrictEqual<unknown>(check.ok && check.board.walls, walls)
  })

  const cases: ReadonlyArray<readonly [title: string, change: Record<string, unknown>, refusals: ReadonlyArray<string>]> = [
    ["an unknown key", { colour: 1 }, ["colour: is not a known key"]],
    ["another format", { format: "snakes-board/2" }, ['format: must be "snakes-board/1"']],
    [
      "a map_id that is no slug",
      { map_id: "Open 7" },
      ["map_id: must be a slug of at most 64 characters (a-z, 0-9, single hyphens between)"]
    ],
    [
      "a map_id of 65 characters",
      { map_id: "a".repeat(65) },
      ["map_id: must be a slug of at most 64 characters (a-z, 0-9, single hyphens between)"]
    ],
    ["a number that is not whole", { rows: 7.5 }, ["rows: must be a whole number"]],
    ["a number written as a string", { cols: "7" }, ["cols: must be a whole number"]],
    ["a side under 5", { rows: 4 }, ["rows: must be from 5 to 25, not 4"]],
    ["a side over 25", { cols: 26 }, ["cols: must be from 5 to 25, not 26"]],
    ["one player", { players: 1, spawns: [[1, 1]] }, ["players: must be from 2 to 8, not 1"]],
    ["nine players", { players: 9 }, ["players: must be from 2 to 8, not 9"]],
    ["another number of spawns than players", { players: 3 }, ["spawns: must be one a player: 3, not 2"]],
    ["wrap that is no boolean", { wrap: 1 }, ["wrap: must be true or false"]],
    ["walls that are no list", { walls: {} }, ["walls: must be an array"]],
    ["more walls than cells", { walls: new Array(50).fill([0, 0]) }, ["walls: must have at most 49 entries, not 50"]],
    ["a cell of three numbers", { food: [[1, 2, 3]] }, ["food[0]: must be a cell [row, col] of two whole numbers"]],
    ["a cell of fractions", { food: [[1.5, 2]] }, ["food[0]: must be a cell [row, col] of two whole numbers"]],
    ["a cell off the board", { food: [[7, 0]] }, ["food[0]: lies off the board of 7 rows and 7 columns"]],
    ["a cell before the board", { walls: [[0, -1]] }, ["walls[0]: lies off the board of 7 rows and 7 columns"]],
    [
      "a duplicate wall",
      {
        walls: [
          [0, 0],
          [0, 1],
          [0, 0]
        ]
      },
      ["walls[2]: is the same cell as walls[0]"]
    ],
    [
      "a duplicate spawn",
      {
        spawns: [
          [1, 1],
          [1, 1]
        ]
      },
      ["spawns[1]: is the same cell as spawns[0]"]
    ],
    [
      "a duplicate food",
      {
        food: [
          [3, 3],
          [3, 3]
        ]
      },
      ["food[1]: is the same cell as food[0]"]
    ],
    ["a spawn on a wall", { walls: [[1, 1]] }, ["spawns[0]: lies on a wall"]],
    ["food on a wall", { walls: [[3, 3]] }, ["food[0]: lies on a wall"]],
    ["food on a spawn", { food: [[5, 5]] }, ["food[0]: lies on spawns[1]"]],
    [
      "two spawns side by side",
      {
        spawns: [
          [1, 1],
          [1, 2]
        ]
      },
      ["spawns[1]: is fewer than 2 steps from spawns[0]"]
    ],
    [
      "two spawns side by side over the edge",
      {
        wrap: true,
        spawns: [
          [0, 1],
          [6, 1]
        ]
      },
      ["spawns[1]: is fewer than 2 steps from spawns[0]"]
    ],
    [
      "a spawn shut in by walls",
      {
        walls: [
          [0, 1],
          [1, 0],
          [1, 2],
          [2, 1]
        ]
      },
      [
        "spawns[0]: has no neighbour that is neither wall nor spawn",
        "walls: cut the board apart: 44 open cells cannot be reached from the first"
      ]
    ],
    ["cells cut off", { walls: row(3, 7), food: [] }, ["walls: cut the board apart: 21 open cells cannot be reached from the first"]],
    [
      "cells cut off over the edge",
      { wrap: true, walls: [...row(3, 7), ...row(0, 7)], food: [] },
      ["walls: cut the board apart: 21 open cells cannot be reached from the first"]
    ],
    [
      "too few cells",
      {
        rows: 5,
        cols: 5,
        players: 4,
        spawns: [
          [0, 0],
          [0, 4],
          [4, 0],
          [4, 4]
        ],
        food: []
      },
      ["walls: leave 25 cells open; 4 players need at least 32"]
    ],
    ["max_turns under 50", { max_turns: 49 }, ["max_turns: must be from 50 to 1000, not 49"]],
    ["max_turns over 1000", { max_turns: 1001 }, ["max_turns: must be from 50 to 1000, not 1001"]],
    ["food_chance under 0", { food_chance: -1 }, ["food_chance: must be from 0 to 100, not -1"]],
    ["food_chance over 100", { food_chance: 101 }, ["food_chance: must be from 0 to 100, not 101"]],
    ["min_food under 0", { min_food: -1 }, ["min_food: must be from 0 to 49, not -1"]],
    ["min_food over the cells", { min_food: 50 }, ["min_food: must be from 0 to 49, not 50"]],
    ["no food ever", { min_food: 0, food_chance: 0 }, ["min_food: must be at least 1 where food_chance is 0, or no food would ever appear"]]
  ]
  for (const [title, change, expected] of cases) {
    it(`is refused for ${title}`, () => assert.deepStrictEqual(refusals(change), expected))
  }

  for (const key of Object.keys(good)) {
    it(`is refused without ${key}`, () => {
      const file = Object.fromEntries(Object.entries(good).filter(([name]) => name !== key))
      assert.deepStrictEqual(checkBoard(file), { ok: false, errors: [{ path: key, message: "is required" }] })
    })
  }

  it("is accepted at the limits", () => {
    const far = [
      [0, 0],
      [0, 2]
    ]
    assert.deepStrictEqual(refusals({ spawns: far }), [], "two steps apart")
    assert.deepStrictEqual(
      refusals({
        spawns: [
          [0, 1],
          [6, 1]
        ]
      }),
      [],
      "side by side only over an edge that is closed"
    )
    assert.deepStrictEqual(refusals({ wrap: true, walls: row(3, 7), food: [] }), [], "one region over the edge")
    assert.deepStrictEqual(refusals({ walls: row(3, 7, 0), food: [] }), [], "one region through a gap")
    assert.deepStrictEqual(refusals({ min_food: 0, food_chance: 1 }), [])
    assert.deepStrictEqual(refusals({ min_food: 49, food_chance: 0, food: [] }), [])
    assert.deepStrictEqual(
      refusals({
        rows: 5,
        cols: 5,
        players: 3,
        spawns: [
          [0, 0],
          [0, 4],
          [4, 0]
        ],
        food: []
      }),
      []
    )
    assert.deepStrictEqual(
      refusals({
        walls: row(0, 7).concat(row(1, 7), row(2, 7), row(3, 7, 0, 1)),
        spawns: [
          [4, 0],
          [6, 6]
        ],
        food: []
      }),
      []
    )
    const least = { rows: 5, cols: 5, players: 2, walls: [...row(4, 5), ...row(3, 5, 4)] }
    assert.deepStrictEqual(
      refusals({
        ...least,
        spawns: [
          [0, 0],
          [0, 4]
        ],
        food: []
      }),
      [],
      "eight cells a player"
    )
    assert.deepStrictEqual(refusals({ rows: 25, cols: 25, max_turns: 1000, min_food: 625, food_chance: 100 }), [])
  })

  it("names every fault at once", () => {
    assert.deepStrictEqual(refusals({ rows: 3, max_turns: 2, wrap: "no", food_chance: 200 }).length, 4)
  })

  it("never throws and limits the number of faults", () => {
    const walls = Array.from({ length: 49 }, () => ["x"])
    const spawns = Array.from({ length: 49 }, () => 3)
    const strange = [undefined, null, 5, "board", [], [[]], {}, { rows: {}, cols: [] }, { ...good, walls, spawns, food: spawns }]
    for (const file of [...strange, JSON.parse('{"__proto__": {"rows": 7}}')]) {
      const check = checkBoard(file)
      assert.isFalse(check.ok)
      if (!check.ok) assert.isTrue(check.errors.length > 0 && check.errors.length <= 100)
    }
  })
})
