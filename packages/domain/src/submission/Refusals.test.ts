import { assert, it } from "@effect/vitest"
import { refusals, type SubmissionFacts } from "./Refusals.ts"

const facts: SubmissionFacts = {
  ...{ now: 1_000, opens_at: 2_000, closes_at: 3_000, over: false },
  ...{ eligible: true, retired: false, cooldown_until: null, candidate: null, weights_elsewhere: false },
  models: { held: 0, cap: 1, has_this: false },
  versions: { held: 0, cap: 1 }
}

const codes = (changed: Partial<SubmissionFacts>) => refusals({ ...facts, ...changed }).map(({ code }) => code)

it("before it opens a season is not open, and closed where it was closed before: it never opens", () => {
  assert.deepStrictEqual(codes({}), ["season_not_open"])
  assert.deepStrictEqual(codes({ over: true }), ["season_closed"])
  assert.deepStrictEqual(codes({ now: 2_500 }), [])
  assert.deepStrictEqual(codes({ now: 3_000 }), ["season_closed"])
})
