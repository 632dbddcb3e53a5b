import { assert, describe, it } from "vitest"
import { slow } from "../../../../test/support/slow.ts"
import type { Choice, MatchEvent } from "../Engine.ts"
import { Mulberry32 } from "../Mulberry32.ts"
import { checkBoard, type OthelloBoard } from "./Board.ts"
import { drawOthello } from "./boards.ts"
import { legalCells, place, raysOf } from "./lines.ts"
import { othello } from "./othello.ts"
import type { OthelloState } from "./State.ts"
import { NaiveOthello } from "./testing/naive.ts"

const rules = { max_turns: 500, strike_limit: 3 }
const classic = drawOthello("classic-8", "........ ".repeat(8))
const small = drawOthello("small-4", ".... ".repeat(4))
/** On this board black, who begins, has no legal cell: only white can place. */
const shut = drawOthello("shut-4", ".#.. #... ...# ..#.")

const grid = (cells: string) => Uint8Array.from(cells.replaceAll(/\s/g, ""), (sign) => ".01#".indexOf(sign))
const picture = (cells: Uint8Array, cols: number) =>
  Array.from(cells, (content, cell) => `${cell > 0 && cell % cols === 0 ? " " : ""}${".01#"[content]}`).join("")

const canonical = (state: OthelloState) => othello.canonical(state) as ReturnType<NaiveOthello["canonical"]>

describe("lines", () => {
  /** Positions reached after `depth` placements, a pass counting as one; the figures are the published ones. */
  const perft = (cells: Uint8Array, seat: number, depth: number, passed = false): number => {
    if (depth === 0) return 1
    const rays = raysOf(8, 8)
    const legal = new Uint8Array(64)
    if (!legalCells(cells, rays, seat, legal)) return passed ? 1 : perft(cells, 1 - seat, depth - 1, true)
    let found = 0
    for (let cell = 0; cell < 64; cell++) {
      if (legal[cell] === 0) continue
      const after = cells.slice()
      place(after, rays, cell, seat)
      found += perft(after, 1 - seat, depth - 1)
    }
    return found
  }

  it("reach the published numbers of positions", () => {
    const start = grid("........ ........ ........ ...10... ...01... ........ ........ ........")
    assert.deepStrictEqual(
      [1, 2, 3, 4, 5, 6].map((depth) => perft(start, 0, depth)),
      [4, 12, 56, 244, 1396, 8200]
    )
  })

  it("are turned over in all eight directions, and only those that are enclosed", () => {
    const cells = grid("0.0.0. .111.. 01.10. .111.. 0.0.1. ......")
    place(cells, raysOf(6, 6), 2 * 6 + 2, 0)
    assert.strictEqual(picture(cells, 6), "0.0.0. .000.. 00000. .001.. 0.0.1. ......")
  })

  it("end at a blocked cell and at the edge", () => {
    const legal = new Uint8Array(16)
    assert.isFalse(legalCells(grid("#1#. .... .... ...."), raysOf(4, 4), 0, legal))
    assert.isFalse(legalCells(grid("011. .... .... ....").fill(3, 3, 4), raysOf(4, 4), 0, legal), "the only end is blocked")
    assert.isTrue(legalCells(grid("011. .... .... ...."), raysOf(4, 4), 0, legal))
    assert.deepStrictEqual([legal.indexOf(1), legal.lastIndexOf(1)], [3, 3])
  })
})

describe("the opening", () => {
  it("puts white on the middle's upper left and lower right, and four discs by chance around them", () => {
    const state = othello.init(classic, 1, rules)
    assert.strictEqual(picture(state.grid, 8).replaceAll(/[. ]/g, "").length, 8)
    const seats = othello.opening(state).map((event) => (event.kind === "food" ? -1 : event.seat))
    assert.deepStrictEqual(seats, [0, 1, 0, 1])
    assert.deepStrictEqual([canonical(state).turn, othello.toAct(state)], [0, [0]])
  })

  it("draws each placement as below(count) over the legal cells in row-major order", () => {
    const random = new Mulberry32(11)
    const [first] = othello.opening(othello.init(classic, 11, rules))
    const legal = [2 * 8 + 3, 3 * 8 + 2, 4 * 8 + 5, 5 * 8 + 4]
    assert.deepStrictEqual(first, { turn: 0, kind: "opening", seat: 0, cell: legal[random.below(4)]! })
  })

  it("is the same for the same seed and differs between seeds", () => {
    const openings = [1, 1, 2, 3, 4].map((seed) => canonical(othello.init(classic, seed, rules)).cells)
    assert.strictEqual(openings[0], openings[1])
    assert.isAbove(new Set(openings).size, 3)
  })

  it("passes where the rules pass", () => {
    const events = othello.opening(othello.init(shut, 1, rules))
    assert.deepStrictEqual(events[0], { turn: 0, kind: "pass", seat: 0 })
    assert.strictEqual(events[1]!.kind === "opening" && events[1]!.seat, 1)
  })

  it("ends at once if no seat can place", () => {
    const board = drawOthello("full-4", "#### #..# #..# ####")
    assert.isTrue(checkBoard(board).ok)
    const state = othello.init(board, 1, rules)
    assert.deepStrictEqual(othello.result(state), { reason: "no_moves", turns: 0, scores: [2, 2], ranks: [1, 1], strikes: [0, 0] })
    assert.deepStrictEqual([othello.opening(state), othello.toAct(state), canonical(state).to_act], [[], [], null])
  })
})

describe("a turn", () => {
  it("refuses an action that is masked, before anything has changed", () => {
    const state = othello.init(classic, 1, rules)
    const before = JSON.stringify(canonical(state))
    for (const choice of [0, 27, 64, -1, 1.5, null]) assert.throws(() => othello.step(state, [choice, null]), RangeError)
    assert.strictEqual(JSON.stringify(canonical(state)), before)
  })

  it("plays the first legal cell for a lesser strike", () => {
    const state = othello.init(classic, 1, rules)
    const legal = new Uint8Array(64)
    othello.legal(state, 0, legal)
    assert.strictEqual(othello.fallback(state, 0), legal.indexOf(1))
    othello.step(state, ["timeout", null])
    assert.strictEqual(canonical(state).cells[legal.indexOf(1)], "0")
    assert.deepStrictEqual(canonical(state).seats, [
      { out: null, strikes: 1 },
      { out: null, strikes: 0 }
    ])
  })

  it("masks everything for the seat that is not to act", () => {
    const legal = new Uint8Array(64).fill(9)
    othello.legal(othello.init(classic, 1, rules), 1, legal)
    assert.deepStrictEqual(legal, new Uint8Array(64))
  })

  it("of a forfeit places nothing, counts as a turn, and ends the match", () => {
    const state = othello.init(classic, 1, { max_turns: 500, strike_limit: 1 })
    const before = canonical(state).cells
    const events: Array<MatchEvent> = []
    othello.step(state, ["non_finite", null], events)
    assert.deepStrictEqual(events, [{ turn: 0, kind: "out", seat: 0, reason: "forfeit" }])
    const { cells, turn, to_act } = canonical(state)
    assert.deepStrictEqual([cells, turn, to_act], [before, 1, null])
    const discs = [0, 1].map((seat) => before.split(String(seat)).length - 1)
    assert.deepStrictEqual(othello.result(state), { reason: "forfeit", turns: 1, scores: discs, ranks: [2, 1], strikes: [1, 0] })
    assert.throws(() => othello.step(state, [0, 0]), RangeError)
  })

  it("is the last at the rules' turn limit, even with free cells", () => {
    const state = othello.init(classic, 1, { max_turns: 3, strike_limit: 9 })
    for (const seat of [0, 1, 0]) othello.step(state, seat === 0 ? ["crash", null] : [null, "crash"])
    assert.deepStrictEqual([othello.result(state).reason, othello.result(state).turns, othello.toAct(state)], ["turn_limit", 3, []])
  })
})

describe("the engine and a plain reading of the rules", () => {
  const matches = slow ? 5000 : 100

  const randomBoard = (random: Mulberry32): OthelloBoard => {
    const [rows, cols] = [4 + 2 * random.below(3), 4 + 2 * random.below(3)]
    const lines = Array.from({ length: rows }, () => Array.from({ length: cols }, () => (random.below(7) === 0 ? "#" : ".")))
    for (const row of [rows / 2 - 1, rows / 2]) for (const col of [cols / 2 - 1, cols / 2]) lines[row]![col] = "."
    return drawOthello("random", lines.map((line) => line.join("")).join(" "))
  }

  it(`agree on every state, view and event of ${matches} random matches with passes, strikes and limits`, () => {
    const random = new Mulberry32(7)
    const seen = new Set<string>()
    for (let seed = 0; seed < matches; seed++) {
      const board = randomBoard(random)
      const limits = { max_turns: 1 + random.below(60), strike_limit: 1 + random.below(5) }
      const state = othello.init(board, seed, limits)
      const naive = new NaiveOthello(board, seed, limits)
      const events: Array<MatchEvent> = [...othello.opening(state)]
      const out = new Float32Array(5 * board.rows * board.cols)
      while (othello.status(state) === "running") {
        assert.deepStrictEqual(canonical(state), naive.canonical(), `seed ${seed}`)
        const [seat] = othello.toAct(state)
        othello.observe(state, seat!, out.fill(5))
        assert.deepStrictEqual(Array.from(out), [...naive.observe(seat!)], `seed ${seed}`)
        const legal = naive.legal(seat!)
        const choice: Choice = random.below(15) === 0 ? "shape" : legal[random.below(legal.length)]!
        othello.step(state, seat === 0 ? [choice, null] : [null, choice], events)
        naive.step(choice)
      }
      assert.deepStrictEqual(canonical(state), naive.canonical(), `seed ${seed}`)
      assert.deepStrictEqual(events, naive.events, `seed ${seed}`)
      seen.add(othello.result(state).reason)
      for (const event of events) seen.add(event.kind)
    }
    assert.sameMembers([...seen], ["no_moves", "turn_limit", "forfeit", "opening", "pass", "out"])
  }, 900_000)

  it("play a board of sixteen cells out to no_moves", () => {
    const state = othello.init(small, 3, rules)
    while (othello.status(state) === "running") {
      const [seat] = othello.toAct(state)
      othello.step(
        state,
        [0, 1].map((one) => (one === seat ? othello.fallback(state, one) : null))
      )
    }
    const { reason, scores, ranks } = othello.result(state)
    assert.strictEqual(reason, "no_moves")
    assert.strictEqual(ranks[scores[0]! >= scores[1]! ? 0 : 1], 1)
  })
})
