import { assert, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { finish, lease, season, submission } from "../testing/testSeason.ts"
import type { OpenMatch } from "./Match.ts"

/** Counts the matches that are looked at. */
class Counted extends Map<string, OpenMatch> {
  looks = 0
  override *values(): MapIterator<OpenMatch> {
    for (const match of super.values()) {
      this.looks++
      yield match
    }
  }
}

it("a board that goes out of play looks at each open match a few times, not once for each candidate", () => {
  const candidates = 30
  const { now, state } = season(0, [2, 2])
  for (let n = 1; n <= candidates; n++) step(state, submission(n), now)
  for (let n = 1; n <= candidates; n++) finish(state, lease(state, now)[0]!, now)
  const live = new Counted(state.live)
  Object.assign(state, { live })
  step(state, { _tag: "SwitchBoard", board: "b0", enabled: false }, now)
  assert.strictEqual(state.trials.size, candidates)
  assert.isAtMost(live.looks, 5 * candidates)
})
