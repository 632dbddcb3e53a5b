import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import * as testLog from "../testing/testLog.ts"
import { finish, lease, season } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

const MINUTE = 60_000

const started = () => {
  const { now, state } = season(4, [2])
  const books = testLog.books()
  const keep = () => {
    testLog.write(books, state)
    committed(state)
  }
  keep()
  return { state, now, books, keep }
}
const play = (state: State, now: number) => {
  for (const work of lease(state, now)) finish(state, work, now)
}
const timesOf = ({ writes }: State) => [...new Set(writes.series.map(({ at }) => at))]

describe("the points of the series", () => {
  it("are taken when they are due though as many matches count as at the last: one was rated and another voided", () => {
    const { books, keep, now, state } = started()
    play(state, now + 1) // the first points are long due
    play(state, now + 2)
    step(state, { _tag: "Tick" }, now + 1 + MINUTE) // the second hold both matches
    play(state, now + 2 + MINUTE)
    keep()
    const { id } = [...books.ended.values()].findLast(({ rated_n }) => rated_n !== null)!
    const found = testLog.endedOf(books, id)!
    assert.deepStrictEqual(step(state, { _tag: "VoidMatch", match: id, detail: "It was not so.", found }, now + 3 + MINUTE), {
      voided: true
    })
    assert.strictEqual(state.rated, 2)
    keep()
    step(state, { _tag: "Tick" }, now + 1 + 2 * MINUTE)
    assert.deepStrictEqual(timesOf(state), [now + 1 + 2 * MINUTE])
  })

  it("are taken again by a close in their millisecond: a ladder has one at a time, the last", () => {
    const { now, state } = started()
    play(state, now + 1)
    assert.deepStrictEqual(timesOf(state), [now + 1])
    play(state, now + 1)
    step(state, { _tag: "CloseSeason" }, now + 1)
    const points = state.writes.series.filter(({ ladder }) => ladder === "open")
    assert.lengthOf(points, 1)
    assert.deepStrictEqual(points[0]!.versions.slice(0, 3), state.podium!["open"])
  })
})
