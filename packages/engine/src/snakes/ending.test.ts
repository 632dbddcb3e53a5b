import { assert, describe, it } from "vitest"
import { canonical, result } from "./State.ts"
import { arranged, DOWN, four, head, heads, LEFT, open, outs, play, RIGHT, UP } from "./testing/arranged.ts"

describe("strikes and forfeits", () => {
  it("moves straight on after a strike below the limit: in the last direction, chosen or fallback, or up before the first move", () => {
    const state = arranged({ picture: open, strike_limit: 9 })
    play(state, "timeout", LEFT)
    assert.deepStrictEqual(head(state, 0), "01", "up")
    play(state, RIGHT, "shape")
    play(state, "non_finite", "crash")
    assert.deepStrictEqual(heads(state), "03 52")
    assert.deepStrictEqual(
      canonical(state).seats.map((seat) => seat.strikes),
      [2, 2]
    )
  })

  it("remembers a direction that a fallback gave", () => {
    const state = arranged({ picture: "....... ....... ....... .1..... ....... .....2. .......", strike_limit: 9 })
    for (let turn = 0; turn < 2; turn++) play(state, "timeout", LEFT)
    assert.deepStrictEqual(head(state, 0), "11")
  })

  it("takes a seat at the limit out before stage 1, unmoved, and the others still play the turn", () => {
    const state = arranged({ picture: four, strike_limit: 2, bodies: ["32 31 30", "34 35 36"] })
    play(state, DOWN, "crash", RIGHT, UP)
    const events = play(state, RIGHT, "crash", RIGHT, UP)
    assert.deepStrictEqual(events, [{ turn: 1, kind: "out", seat: 1, reason: "forfeit" }])
    const { body, dir, health, length, out, out_turn, strikes } = canonical(state).seats[1]!
    assert.deepStrictEqual([body, dir, health, length, out, out_turn, strikes], [[], UP, 99, 3, "forfeit", 1, 2])
    assert.deepStrictEqual(head(state, 0), "43")
  })

  it("frees the cells of a forfeit for that very turn", () => {
    const state = arranged({ picture: four, strike_limit: 1, bodies: ["32 31 30", "23 33 43 53"] })
    assert.deepStrictEqual(outs(play(state, RIGHT, "timeout", RIGHT, UP)), ["1 forfeit"])
    assert.deepStrictEqual(head(state, 0), "33")
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

  it("is all_out if no seat is left, also in a tie", () => {
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
  it("throw before anything has changed", () => {
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
