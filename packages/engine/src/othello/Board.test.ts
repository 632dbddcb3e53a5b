import { assert, describe, it } from "vitest"
import { checkBoard } from "./Board.ts"

const good = { format: "othello-board/1", map_id: "holes-6", players: 2, rows: 6, cols: 8, blocked: [[0, 0]] }

const refusals = (change: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const check = checkBoard(JSON.parse(JSON.stringify({ ...good, ...change })))
  return check.ok ? [] : check.errors.map(({ path, message }) => `${path}: ${message}`)
}

describe("an othello board", () => {
  it("is read as written", () => {
    assert.deepStrictEqual<unknown>(checkBoard(good), { ok: true, board: good })
    assert.deepStrictEqual(refusals({ rows: 4, cols: 16, blocked: [] }), [])
  })

  const cases: ReadonlyArray<readonly [title: string, change: Record<string, unknown>, refusals: ReadonlyArray<string>]> = [
    ["an unknown key", { wrap: false }, ["wrap: is not a known key"]],
    ["another format", { format: "snakes-board/1" }, ['format: must be "othello-board/1"']],
    ["a map_id that is no slug", { map_id: "-" }, ["map_id: must be a slug of at most 64 characters (a-z, 0-9, single hyphens between)"]],
    ["three players", { players: 3 }, ["players: must be from 2 to 2, not 3"]],
    ["an odd side", { rows: 7 }, ["rows: must be even, not 7"]],
    ["a side under 4", { cols: 2 }, ["cols: must be from 4 to 16, not 2"]],
    ["a side over 16", { cols: 18 }, ["cols: must be from 4 to 16, not 18"]],
    ["a side that is not whole", { cols: 8.5 }, ["cols: must be a whole number"]],
    ["a blocked cell off the board", { blocked: [[6, 0]] }, ["blocked[0]: lies off the board of 6 rows and 8 columns"]],
    [
      "a duplicate",
      {
        blocked: [
          [1, 0],
          [1, 0]
        ]
      },
      ["blocked[1]: is the same cell as blocked[0]"]
    ],
    [
      "a blocked cell among the middle four",
      {
        blocked: [
          [2, 3],
          [2, 4],
          [3, 3],
          [3, 4]
        ]
      },
      [0, 1, 2, 3].map((index) => `blocked[${index}]: is one of the middle four, where the first discs lie`)
    ]
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

  it("never throws", () => {
    for (const file of [undefined, null, 1, "", [], {}, { ...good, blocked: "x" }, { ...good, rows: null }]) {
      const check = checkBoard(file)
      assert.isFalse(check.ok)
      if (!check.ok) assert.isNotEmpty(check.errors)
    }
  })
})
