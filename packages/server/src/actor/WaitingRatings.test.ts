import { type LadderRating, ratingNumber } from "@agon/domain/season/rating/LadderRating.ts"
import { season } from "@agon/domain/season/testing/testSeason.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { assert, describe, it } from "vitest"
import { WaitingRatings } from "./WaitingRatings.ts"

/** A season of ten entries, twenty ratings, in which nothing else happens. */
const start = (per_s: number, slow_ms?: number) => {
  const { state } = season(10)
  committed(state)
  const ratings = state.ladders.flatMap(({ ratings }) => [...ratings.values()])
  const waiting = new WaitingRatings(per_s, undefined, slow_ms)
  let seq = 0
  /** Makes a commit at `now` that changes these ratings, as rated matches do. */
  const commit = (now: number, changed: ReadonlyArray<LadderRating>) => {
    for (const rating of changed) state.writes.ratings.add(rating)
    const { followed: _, ...turn } = waiting.turn(state, ++seq, now)
    committed(state)
    return turn
  }
  return { commit, ratings, state, waiting }
}

describe("ratings are written", () => {
  it("with the commit that changed them, while a season changes fewer than it may write, and nothing is kept beside", () => {
    const { commit, ratings, waiting } = start(80)
    for (let now = 1_000; now < 20_000; now += 250) {
      assert.deepStrictEqual(commit(now, ratings), { written: ratings, redo: [], done: null })
      assert.deepStrictEqual([waiting.due, waiting.late], [Infinity, []])
    }
  })

  it("later and once, where it changes more: who changed first comes first, all changes are kept until then", () => {
    const { commit, ratings, waiting } = start(16)
    const [a, b, c, d, e, f] = ratings as [LadderRating, LadderRating, LadderRating, LadderRating, LadderRating, LadderRating]
    assert.deepStrictEqual(commit(1_000, [a, b, c, d, e, f]), { written: [a, b, c, d], redo: [a, b, c, d, e, f], done: null })
    assert.strictEqual(waiting.due, 1_100)
    assert.deepStrictEqual(commit(1_000, [a, e]), { written: [], redo: [a, e], done: null })
    assert.deepStrictEqual(commit(1_070, [f]), { written: [e], redo: [f], done: null })
    assert.deepStrictEqual(waiting.late, [e])
    assert.deepStrictEqual(commit(1_250, []), { written: [f, a], redo: [], done: 5 })
    assert.deepStrictEqual([waiting.due, waiting.late], [Infinity, [f, a]])
    assert.deepStrictEqual(commit(2_000, [b]), { written: [b], redo: [], done: null })
  })

  it("and kept once more where the season has learned other starts, if they wait and nothing had written them since the round began", () => {
    const { commit, ratings, state } = start(0.5)
    const [a, b, c] = ratings as [LadderRating, LadderRating, LadderRating]
    for (const rating of ratings) state.unwritten.add(rating)
    state.phase = "open"
    assert.deepStrictEqual(commit(1_000, [a, b, c]).redo, [a, b, c])
    const kept = [b, c].filter((rating) => state.unwritten.has(rating))
    assert.isAbove(kept.length, 0)
    assert.deepStrictEqual(commit(1_010, []).redo, [])
    state.rescaled++
    assert.deepStrictEqual(commit(1_020, []).redo, kept)
    assert.deepStrictEqual(commit(1_030, []).redo, [])
  })

  it("before a season says that all its rows are of the round, also those that waited when it was read again", () => {
    const { ratings, state } = start(0.5)
    const [a, b] = ratings as [LadderRating, LadderRating]
    const kept = new Map([a, b].map((rating) => [ratingNumber(rating), 1]))
    const waiting = new WaitingRatings(0.5, { kept, behind: true, rescaled: 0 })
    const turns = [1_000, 2_000, 3_000].map((now, i) => {
      const { followed, written } = waiting.turn(state, i + 1, now)
      return { followed, written }
    })
    assert.deepStrictEqual(turns, [
      { written: [a], followed: false },
      { written: [], followed: false },
      { written: [b], followed: true }
    ])
  })

  it("as soon as the rate allows a row, where nothing else causes a commit: none is made that could write nothing", () => {
    const { commit, ratings, state, waiting } = start(0.5)
    const [a, b, c] = ratings as [LadderRating, LadderRating, LadderRating]
    assert.deepStrictEqual(commit(1_000, [a, b]).written, [a])
    assert.strictEqual(waiting.due, 3_000)
    assert.deepStrictEqual(commit(2_000, [c]).written, [])
    assert.strictEqual(waiting.due, 3_000)
    assert.deepStrictEqual(commit(3_000, []).written, [b])
    assert.deepStrictEqual(commit(5_000, []).written, [c])
    assert.strictEqual(waiting.due, Infinity)
    for (const rating of [a, b]) state.unwritten.add(rating) // of an earlier round: five times the rate
    assert.deepStrictEqual(commit(6_000, []).written, [a])
    assert.strictEqual(waiting.due, 6_400)
    assert.deepStrictEqual(commit(6_400, []).written, [b])
  })

  it("within little more than ten seconds, however many there are", () => {
    const { commit, ratings } = start(0.001)
    commit(0, ratings)
    const written = Array.from({ length: 110 }, (_, i) => commit(100 * (i + 1), []).written.length)
    assert.strictEqual(1 + written.reduce((sum, n) => sum + n, 0), 20)
  })

  it("at once, where more than matches changed, or they are out of play, or the season is closing", () => {
    const { commit, ratings, state } = start(0.001)
    const [a, b, c, d] = ratings as [LadderRating, LadderRating, LadderRating, LadderRating]
    commit(1_000, [a, b, c])
    state.writes.versions.add(b.version)
    assert.deepStrictEqual(commit(1_000, [b]).written, [b])
    c.active = false
    assert.deepStrictEqual(commit(1_000, [c]), { written: [c], redo: [], done: 4 })
    commit(1_000, [a, b])
    state.phase = "closing"
    assert.deepStrictEqual(commit(1_000, [d]), { written: [a, b, d], redo: [], done: 6 })
  })

  it("a clock that is put back holds them up no longer than until it moves on", () => {
    const { commit, ratings } = start(4)
    commit(3_600_000, ratings)
    assert.strictEqual(commit(0, []).written.length, 0)
    assert.strictEqual(commit(500, []).written.length, 1)
  })

  describe("of an earlier round", () => {
    it("some with each commit, until none is left", () => {
      const { commit, ratings, state, waiting } = start(16, 100)
      for (const rating of ratings) state.unwritten.add(rating)
      assert.deepStrictEqual(commit(1_000, []).written, ratings.slice(0, 4))
      assert.strictEqual(waiting.due, 1_050)
      waiting.took(100, 1_050)
      assert.deepStrictEqual(commit(1_050, []).written, ratings.slice(4, 8))
    })

    it("not for four times as long as the last commit took where that was slow, and for five seconds at most", () => {
      const { commit, ratings, state, waiting } = start(16, 100)
      for (const rating of ratings) state.unwritten.add(rating)
      commit(1_000, [])
      waiting.took(500, 1_500)
      assert.strictEqual(waiting.due, 3_500)
      assert.deepStrictEqual(commit(3_499, []).written, [])
      assert.strictEqual(waiting.due, 3_500)
      assert.deepStrictEqual(commit(3_500, []).written, ratings.slice(4, 8))
      waiting.took(60_000, 63_500)
      assert.strictEqual(waiting.due, 68_500)
      assert.strictEqual(commit(68_500, []).written.length, 4)
    })

    it("however slow the commits without them are", () => {
      const { commit, ratings, state, waiting } = start(16, 100)
      for (const rating of ratings) state.unwritten.add(rating)
      commit(1_000, [])
      waiting.took(500, 1_500)
      commit(3_000, [])
      waiting.took(500, 3_500)
      assert.deepStrictEqual(commit(3_500, []).written, ratings.slice(4, 8))
    })

    it("meanwhile matches move ratings as ever, and a season that ends writes all of them", () => {
      const { commit, ratings, state, waiting } = start(0.001, 100)
      const [a, b, ...rest] = ratings as [LadderRating, LadderRating, ...Array<LadderRating>]
      for (const rating of rest) state.unwritten.add(rating)
      commit(1_000, [])
      waiting.took(500, 1_500)
      const { redo, written } = commit(1_600, [a, b])
      assert.deepStrictEqual([written, redo], [[a], [a, b]])
      assert.strictEqual(waiting.due, 6_600)
      state.phase = "closed"
      assert.deepStrictEqual(commit(1_650, []).written, [b, ...rest.slice(1)])
    })

    it("a clock that is put back ends the pause", () => {
      const { commit, ratings, state, waiting } = start(16, 100)
      for (const rating of ratings) state.unwritten.add(rating)
      commit(3_600_000, [])
      waiting.took(500, 3_600_500)
      assert.deepStrictEqual(commit(0, []).written, [])
      assert.strictEqual(commit(100, []).written.length, 4)
    })
  })
})
