import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import * as testLog from "../testing/testLog.ts"
import { finish, lease, season, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

const GAMES = 12
const CHEAT = version(1)

/** Finals of eight shortly before their end, in which an entry has just been disqualified with its matches. */
const finals = () => {
  const { now, state } = season(8)
  const books = testLog.books()
  step(state, { _tag: "PlanRound", kind: "finals", games: GAMES, starts_at: now + 10 }, now)
  let at = playOn(state, books, now + 20, (state) => owing(state) <= 4)
  step(state, { _tag: "Disqualify", version: CHEAT, reason: "r", void_matches: true }, ++at)
  commit(state, books)
  return { state, books, at: playOn(state, books, at) }
}

const commit = (state: State, books: testLog.Books): void => {
  testLog.write(books, state)
  committed(state)
}

const gamesOf = (state: State) => state.ladders.flatMap(({ ratings }) => [...ratings.values()].filter(({ active }) => active))

const owing = (state: State): number => gamesOf(state).filter(({ virtual_games }) => virtual_games < GAMES).length

const playOn = (state: State, books: testLog.Books, from: number, until: (state: State) => boolean = () => false): number => {
  for (let at = from; ; at++) {
    const [work] = until(state) ? [] : lease(state, at)
    if (work === undefined) return at
    finish(state, work, at, at % 2)
    commit(state, books)
  }
}

/** Makes the voids, and the ratings without them. */
const voidAll = (state: State, books: testLog.Books, now: number): void => {
  for (const { id, rated_n, versions } of [...books.ended.values()]) {
    if (rated_n === null || !versions.includes(CHEAT)) continue
    const found = testLog.endedOf(books, id)!
    assert.deepStrictEqual(step(state, { _tag: "VoidMatch", match: id, detail: "r", disqualified: CHEAT, found }, now), { voided: true })
    commit(state, books)
  }
  testLog.refold(state, books, now)
  commit(state, books)
}

describe("finals in which matches of a disqualified entry are still to be voided", () => {
  it("go on until those who played them have had others", () => {
    const { at, books, state } = finals()
    assert.strictEqual(state.phase, "open", "all others have their games, some of them by what will be voided")
    voidAll(state, books, at + 1)
    step(state, { _tag: "EndVoids", version: CHEAT }, at + 2)
    commit(state, books)
    assert.isAbove(owing(state), 4)
    playOn(state, books, at + 3)
    assert.strictEqual(state.phase, "closed")
    for (const { version, virtual_games } of gamesOf(state)) assert.isAtLeast(virtual_games, GAMES, version)
    assert.notInclude(Object.values(state.podium!).flat(), CHEAT)
  })

  it("end when the voids are given up, or by an administrator", () => {
    const dropped = finals()
    step(dropped.state, { _tag: "EndVoids", version: CHEAT }, dropped.at + 1)
    assert.strictEqual(dropped.state.phase, "closed")
    const closed = finals()
    step(closed.state, { _tag: "CloseSeason" }, closed.at + 1)
    step(closed.state, { _tag: "Tick" }, closed.at + 60_001)
    assert.strictEqual(closed.state.phase, "closed")
  })
})
