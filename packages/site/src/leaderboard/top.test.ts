import type { Entry, Leaderboard } from "@agon/api/leaderboard/api.ts"
import { assert, describe, it } from "vitest"
import { inPublic } from "../html/links.ts"
import { topOf } from "./top.ts"

const entry = (rank: number, rating: number, rank_high: number): Entry => ({
  ...{ rank, rank_low: 1, rank_high, version_id: "v", model_id: `m${rank}`, model: `Model ${rank}`, owner: rank === 1 ? null : "ada" },
  ...{ version: 1, class: "nano", size_bytes: 1, rating, deviation: 20, provisional: false, matches: 40, round_matches: null },
  ...{ baseline: rank === 1, trend: null, history: [rating] }
})

const boardOf = (entries: ReadonlyArray<Entry>, closed = false): Leaderboard => ({
  ...{ season: "s", season_name: "S", closed, round: null, total: entries.length, entries, next_cursor: null }
})

const shown = (board: Leaderboard) =>
  String(topOf(inPublic, { game: "snakes", name: "S", slug: "s" }, board)).replaceAll(/<\/?(bdi|b)>/g, "")

describe("the top of a ladder", () => {
  it("says who leads, by how much, and how many others may be as strong", () => {
    assert.include(
      shown(boardOf([entry(1, 1_700.4, 1), entry(2, 1_600, 3)])),
      "Model 1 leads by 100 points. No other is likely to be as strong."
    )
    assert.include(shown(boardOf([entry(1, 1_601, 3), entry(2, 1_600, 3)])), "Model 1 leads by 1 point. 2 others may be as strong")
    const closed = shown(boardOf([entry(1, 1_700, 1), entry(2, 1_600, 3)], true))
    assert.include(closed, "Model 1 ended 100 points ahead. No other is likely to be as strong. A baseline takes no place.")
    assert.include(shown(boardOf([entry(1, 1_700, 1)])), "The only model so far.")
    assert.strictEqual(shown(boardOf([])), "")
  })

  it("counts nobody twice who is level with the first", () => {
    const level = (rank_high: number, others: ReadonlyArray<number>) =>
      shown(boardOf([1_600, 1_600, ...others].map((rating, i) => entry(i + 1, rating, rank_high))))
    assert.include(level(2, []), "Model 1 and Model 2 are level. No other is likely to be as strong.")
    assert.include(level(3, [1_590]), "Model 1 and Model 2 are level. 1 other may be as strong, as far as the matches tell.")
    assert.include(level(4, [1_600, 1_600]), "Model 1, Model 2 and others are level, as far as the matches tell.")
  })

  it("has five rows, and tells of a rating that the sixth has, too", () => {
    const rows = shown(boardOf([1_700, 1_690, 1_680, 1_670, 1_600, 1_600].map((rating, i) => entry(i + 1, rating, 6))))
    assert.lengthOf([...rows.matchAll(/<th scope="row">/g)], 5)
    assert.include(rows, '<td class="n">5=</td>')
    assert.include(rows, "The whole ladder of 6 models")
  })
})
