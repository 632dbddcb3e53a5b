import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SeasonKit from "../support/SeasonKit.ts"
import { lease } from "../support/SeasonScript.ts"

describe("a season in a test", () => {
  it.effect("a round gives everybody their games, and the better players end up in front", () =>
    Effect.gen(function* () {
      const season = yield* SeasonKit.season({ entries: 8, boards: [2, 4], runners: 2, strength: (n) => -100 * n })
      yield* season.round({ games: 40 })
      yield* season.advance("3 days")
      const ladder = season.ladder("open")
      assert.isTrue(ladder.every(({ games }) => games >= 40))
      assert.sameMembers(
        ladder.slice(0, 2).map(({ model }) => model),
        [1, 2]
      )
      assert.isBelow(ladder.at(-1)!.rating, 1_400)
    })
  )

  it.effect("a newer version takes the place of the one before, and its rating", () =>
    Effect.gen(function* () {
      const season = yield* SeasonKit.season({ entries: 4, boards: [2] })
      yield* season.advance("1 hour")
      const rating = () => season.ladder("open").find(({ model }) => model === 3)!.rating
      const before = rating()
      yield* season.submit(3)
      yield* season.advance("1 minute")
      assert.deepStrictEqual(season.versions(3), ["superseded", "entered"])
      assert.closeTo(rating(), before, 60)
    })
  )

  it.effect("finals close the season and freeze its podium", () =>
    Effect.gen(function* () {
      const season = yield* SeasonKit.season({ entries: 6, boards: [2], strength: (n) => -200 * n })
      yield* season.round({ kind: "finals", games: 20 })
      yield* season.advance("1 day")
      assert.strictEqual(season.rows().head.phase, "closed")
      assert.strictEqual(season.podium("open")[0], 1)
    })
  )

  it.effect("a match whose lease runs out three times fails, and its entries play on", () =>
    Effect.gen(function* () {
      const season = yield* SeasonKit.season({ entries: 2, boards: [2], runners: 0 })
      for (let loss = 1; loss <= 3; loss++) {
        assert.lengthOf(yield* season.ask(lease()), 1) // taken by a runner that is not heard of again
        yield* season.advance("30 seconds")
      }
      assert.deepInclude([...season.rows().ended.values()].at(-1), { ending: "failed", fault_reason: "runner_lost" })
      assert.lengthOf(yield* season.ask(lease()), 1)
    })
  )
})
