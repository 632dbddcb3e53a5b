/** Charges for slow moves; a match that is played again takes its timeouts from the replay. */

import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { verify } from "@agon/engine/replay/verify.ts"
import { assert, describe, it, layer, vi } from "@effect/vitest"
import { Effect } from "effect"
import { Arena } from "../Arena.ts"
import { board, counting, linear, manifest, slowFrom, stalling } from "../admission/testing/testModels.ts"
import { Charges } from "../worker/cpuTime.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { charge, RESERVE_US } from "./Account.ts"
import type { MatchReport, MatchRequest } from "./Match.ts"

boundedByEvents(vi)

const remembering = (weights: Uint8Array) => ({
  weights,
  manifest: manifest({ memory: { flat: 1, cell: 0 } }),
  memory_cap_bytes: memoryCapOf(weights.length)
})
const plain = (weights: Uint8Array) => ({ weights, manifest: manifest(), memory_cap_bytes: memoryCapOf(weights.length) })
const request = (seats: MatchRequest["seats"], over: Partial<MatchRequest> = {}): MatchRequest => ({
  game: "snakes",
  board: { ...board, wrap: true, min_food: 20 },
  seed: 7,
  rules: { max_turns: 24, strike_limit: 3 },
  seats,
  ...over
})
const codes = ({ replay }: MatchReport) => replay.strikes.map(({ code, seat }) => `${seat} ${code}`)
const timeoutsOf = ({ replay }: MatchReport) => replay.strikes.filter(({ code }) => code === "timeout")

describe("an account of processor time", () => {
  it("begins with a second, gains twice the limit a move, and is struck at zero, not below", () => {
    let account_us = RESERVE_US
    const moves: Array<boolean> = []
    for (let move = 0; move < 8; move++) {
      const after = charge(account_us, 350_000, 20_000)
      moves.push(after.struck)
      account_us = after.account_us
    }
    // 1,000,000 us less 310,000 a move: three moves are covered.
    assert.deepStrictEqual(moves, [false, false, false, true, true, true, true, true])
    assert.strictEqual(charge(0, 40_000, 20_000).struck, false)
    assert.strictEqual(charge(RESERVE_US, 0, 20_000).account_us, RESERVE_US)
  })

  it("charges a move for processor time and not for time on the clock", () => {
    assert.strictEqual(new Charges().next(150, 0), 150) // shorter than a tick: the clock is exact
    assert.strictEqual(new Charges().next(95_000, 4_000), 8_000) // interrupted by others
    assert.strictEqual(new Charges().next(350_000, 348_000), 350_000)
  })

  it("charges a hundred short moves, all interrupted, for their processor time and one tick", () => {
    const charges = new Charges()
    let charged_us = 0
    // A move of 200 us, interrupted for 8 ms; the processor time comes a tick at a time.
    for (let move = 1; move <= 100; move++) charged_us += charges.next(8_200, move % 20 === 0 ? 4_000 : 0)
    assert.strictEqual(charged_us, 100 * 200 + 4_000)
  })

  it("charges short moves for the clock on a quiet machine, though the ticks fall where they will", () => {
    const charges = new Charges()
    let charged_us = 0
    for (let move = 1; move <= 100; move++) charged_us += charges.next(200, move % 20 === 3 ? 4_000 : 0)
    assert.strictEqual(charged_us, 100 * 200)
  })
})

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("a match", (it) => {
  it.effect(
    "strikes a seat whose moves cost more than the season allows, zeroes its memory, and comes out the same when played again",
    () =>
      Effect.gen(function* () {
        const arena = yield* Arena
        const seats = [remembering(slowFrom(4)), remembering(counting())]
        const rules = { max_turns: 90, strike_limit: 30 }
        // A quick turn costs less than the 12 ms that it adds, also on a busy machine; a slow one costs far more.
        const infer_us_max = 6_000
        const charged = yield* arena.play(request(seats, { rules, infer_us_max }))
        assert.isAbove(timeoutsOf(charged).length, 0)
        assert.isTrue(codes(charged).every((code) => code === "0 timeout"))
        assert.isTrue(verify(JSON.parse(JSON.stringify(charged.replay))).ok)
        // Four quick turns follow each strike, since the count began anew.
        const struck = timeoutsOf(charged).map(({ turn }) => turn)
        for (const [at, turn] of struck.entries()) if (at > 0) assert.isAtLeast(turn - struck[at - 1]!, 4)

        const again = yield* arena.play(request(seats, { rules, infer_us_max, timeouts: timeoutsOf(charged) }))
        assert.deepStrictEqual(again.replay, charged.replay)
        const uncharged = yield* arena.play(request(seats, { rules }))
        assert.deepStrictEqual(codes(uncharged), [])
      })
  )

  it.effect("strikes nobody for what a quick model costs, at the season's usual limit", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const report = yield* arena.play(request([plain(linear(1)), plain(linear(2))], { infer_us_max: 20_000 }))
      assert.deepStrictEqual(codes(report), [])
    })
  )

  it.effect("that is played again has no timeouts of its own: a move that was in time stays in time", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      // The deadline here is one that the model misses in every slow turn; a match that is
      // played again has a far longer one.
      const seats = [remembering(slowFrom(2)), remembering(counting())]
      const strict = { rules: { max_turns: 8, strike_limit: 30 }, move_deadline_ms: 40 }
      const first = yield* arena.play(request(seats, { ...strict, move_deadline_ms: 5_000 }))
      assert.deepStrictEqual(codes(first), [])
      const again = yield* arena.play(request(seats, { ...strict, timeouts: [] }))
      assert.deepStrictEqual(again.replay, first.replay)
      const late = yield* arena.play(request(seats, strict))
      assert.include(codes(late), "0 timeout")
      assert.deepStrictEqual((yield* arena.play(request(seats, { ...strict, timeouts: timeoutsOf(late) }))).replay, late.replay)
    })
  )

  it.effect("that is played again still ends for a model that hangs and was never struck, and differs", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const hanging = request([plain(linear()), plain(stalling("run"))], {
        rules: { max_turns: 20, strike_limit: 1 },
        move_deadline_ms: 20
      })
      const again = yield* arena.play({ ...hanging, timeouts: [] })
      assert.deepStrictEqual(codes(again), ["1 timeout"])
    })
  )
})
