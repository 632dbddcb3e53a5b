import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import * as testLog from "../testing/testLog.ts"
import { finish, lease, season } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

describe("a voided match", () => {
  it("gives back what the last game cost, whichever it was: the virtual games are those of a season which never had it", () => {
    const { now, state } = season(2, [2])
    const books = testLog.books()
    const open = () => [...state.ladders[5]!.ratings.values()]
    let at = now
    while (open().some(({ ladder_games }) => ladder_games < 24)) {
      for (const work of lease(state, ++at)) finish(state, work, at, at % 2)
      testLog.write(books, state)
      committed(state)
    }
    const ofOpen = [...books.ended.values()].filter(({ ladder, rated_n }) => ladder === "open" && rated_n !== null)
    const before = open().map(({ virtual_games, ladder_games }) => ({ virtual_games, ladder_games }))
    for (const { id } of [ofOpen[2]!, ofOpen[7]!]) {
      assert.deepStrictEqual(
        step(state, { _tag: "VoidMatch", match: id, detail: "It was not so.", found: testLog.endedOf(books, id)! }, ++at),
        {
          voided: true
        }
      )
      testLog.write(books, state)
      committed(state)
      testLog.refold(state, books, ++at)
      testLog.write(books, state)
      committed(state)
    }
    // Both were among the first twenty games, which count a half; those that are left still make
    // twenty, so two whole ones go.
    const less = before.map(({ virtual_games, ladder_games }) => ({ virtual_games: virtual_games - 2, ladder_games: ladder_games - 2 }))
    assert.deepStrictEqual(
      open().map(({ virtual_games, ladder_games }) => ({ virtual_games, ladder_games })),
      less
    )
  })
})
