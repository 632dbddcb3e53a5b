import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { LadderRatingRow } from "@agon/domain/season/rating/LadderRating.ts"
import { assert, describe, it } from "vitest"
import { readWaitingRatings } from "../../../../../test/support/readWaitingRatings.ts"
import { pack, unpack } from "./redo.ts"

const row = (n: number, over: Partial<LadderRatingRow> = {}): LadderRatingRow => ({
  version: `01900003-0000-7000-8000-00000000000${n}`,
  ord: n,
  ladder: "nano",
  active: true,
  round: 5,
  matches: 4_000_000_000,
  round_matches: 7,
  ladder_games: 9,
  virtual_games: 0.1 + 0.2,
  failed: 2.5,
  forfeits: 3,
  mu: -123.456_789_012_345_67,
  sigma: 5e-324,
  seat_sum: -0.5,
  trend: -0,
  met: [1, 2, 4_294_967_295],
  history: [1500, 1e300, 0.1],
  ...over
})
const rows = [row(1), row(2, { ladder: "open", active: false, trend: null, met: [], history: [] }), row(3, { trend: 12.5 })]

describe("ratings as they are kept beside their rows", () => {
  it("are read back bit for bit", () => {
    assert.deepStrictEqual(unpack(pack(rows), 9), rows)
    assert.deepStrictEqual(unpack(pack([]), 9), [])
  })

  it("are passed over where nobody wants them", () => {
    for (const one of rows)
      assert.deepStrictEqual(
        unpack(pack(rows), 9, (ladder, ord) => LADDERS[ladder] === one.ladder && ord === one.ord),
        [one]
      )
    const bytes = pack([row(1)])
    for (let end = bytes.length - 1; end > 1; end--) assert.throws(() => unpack(bytes.subarray(0, end), 9, () => false), RangeError)
  })

  it("are as the file says, to a reader who knows no more", () => assert.deepStrictEqual(readWaitingRatings(pack(rows)), rows))

  it("of the format before have nothing failed, and are of the round that stands", () => {
    const bytes = pack([row(1)])
    const [round, failed] = [1 + 16 + 3 + 4 * 5, 1 + 16 + 3 + 4 * 6 + 8 * 4]
    const before = Uint8Array.of(1, ...bytes.subarray(1, round), ...bytes.subarray(round + 4, failed), ...bytes.subarray(failed + 8))
    assert.deepStrictEqual(unpack(before, 9), [row(1, { failed: 0, round: 9 })])
    assert.deepStrictEqual(
      unpack(before, 9, () => false),
      []
    )
  })

  it("of a format that is not known, or cut short, are refused", () => {
    const bytes = pack(rows)
    assert.throws(() => unpack(Uint8Array.of(3, ...bytes.subarray(1)), 9), "ratings are packed in format 3, known are 1 and 2")
    for (let end = bytes.length - 1; end > 1; end--) {
      const cut = bytes.subarray(0, end)
      const whole = [1, 2].some((n) => pack(rows.slice(0, n)).length === end)
      if (!whole) assert.throws(() => unpack(cut, 9), RangeError)
    }
  })
})
