import type { OwnVersion } from "@agon/api/version/Version.ts"
import { assert, describe, it } from "vitest"
import { trialPlayed, waitingOf, within } from "./waiting.ts"

const said = (waiting: OwnVersion["waiting"], next_match_eta_s: OwnVersion["next_match_eta_s"] = null) =>
  String(waitingOf({ waiting, next_match_eta_s } as OwnVersion)).replace(/<\/?p>|\n/g, "")

describe("what a version waits for, in words", () => {
  it("is without figures where none are known", () => {
    assert.strictEqual(said(null), "")
    assert.strictEqual(said({ reason: "upload", ahead: 0, eta_s: null }), "It waits for its files.")
    assert.strictEqual(said({ reason: "admission_queue", ahead: 1, eta_s: null }), "It waits for its examination; 1 other comes first.")
    assert.strictEqual(said({ reason: "trial", ahead: 3, eta_s: null }), "It plays its trial; 3 other matches come first.")
  })

  it("says about when the next match starts, or the season opens", () => {
    assert.strictEqual(said({ reason: "season_not_open", ahead: 0, eta_s: [7_200, 7_200] }), "The season opens in about 2 hours.")
    assert.strictEqual(said(null, [0, 1]), "Its next match starts within 1 second, most likely.")
    assert.strictEqual(
      said({ reason: "trial", ahead: 1, eta_s: [5, 400] }),
      "It plays its trial; 1 other match comes first. Its next match starts in 5 seconds to 7 minutes, most likely."
    )
  })

  it("counts the matches of a trial, of which a season may ask for one", () => {
    assert.strictEqual(trialPlayed({ played: 2, matches: 3 }), "2 of 3 matches played")
    assert.strictEqual(trialPlayed({ played: 0, matches: 1 }, "trial match"), "0 of 1 trial match played")
  })

  it("is rounded to the unit that people would use", () => {
    const told = [
      [0, 119],
      [0, 121],
      [130, 140],
      [3_000, 9_000],
      [90_000, 400_000]
    ].map(within)
    assert.deepStrictEqual(told, [
      "within 119 seconds",
      "within 3 minutes",
      "in about 3 minutes",
      "in 50 minutes to 3 hours",
      "in 25 hours to 5 days"
    ])
  })
})
