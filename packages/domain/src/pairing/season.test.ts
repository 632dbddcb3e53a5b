/** The promises of pairing to those who play: the pairing batches as the season machine makes them. */
import { assert, describe, it } from "@effect/vitest"
import type { LadderRating } from "../season/rating/LadderRating.ts"
import { step } from "../season/Season.ts"
import type { State } from "../season/State.ts"
import {
  addBoard,
  empty,
  finish,
  lease,
  OPENED,
  outcome,
  owner,
  RUNNER,
  season,
  submission,
  version
} from "../season/testing/testSeason.ts"
import { committed } from "../season/Writes.ts"

interface Played {
  readonly ladder: string | null
  readonly board: string
  readonly versions: ReadonlyArray<string>
}
/** One match at a time, unless `held` at once; the winner changes. `look` sees the season after each result. */
const play = (state: State, from: number, matches: number, held = 1, look: (state: State) => void = () => {}): ReadonlyArray<Played> => {
  const played: Array<Played> = []
  for (let now = from; played.length < matches; now++) {
    const works = lease(state, now, held)
    assert.isNotEmpty(works, "somebody may always play")
    for (const work of works) {
      if (work.kind === "match") played.push(work)
      finish(state, work, now, now % 2)
      look(state)
    }
    committed(state)
  }
  return played
}
const ratings = (state: State, name = "nano") => [...state.ladders.find(({ ladder }) => ladder === name)!.ratings.values()]
const spread = (values: ReadonlyArray<number>) => Math.max(...values) - Math.min(...values)
/** How far the seats of each entry lean, summed over its matches: from -1/2 for the first seat to 1/2 for the last. */
const leanings = (played: ReadonlyArray<Played>): ReadonlyArray<number> => {
  const sums = new Map<string, number>()
  for (const { versions } of played) {
    versions.forEach((version, seat) => sums.set(version, (sums.get(version) ?? 0) + seat / (versions.length - 1) - 0.5))
  }
  return [...sums.values()]
}

describe("a season of pairs", () => {
  it("keeps everybody within two games of everybody, at any moment, newcomers or not", () => {
    const { now, state } = season(31)
    let most = 0
    play(state, now + 1, 1_000, 1, () => {
      most = Math.max(most, spread(ratings(state).map(({ ladder_games }) => ladder_games)))
    })
    assert.isAtMost(most, 2)
  })
  it("gives each entry the first seat as often as the last, give or take three games of 50", () => {
    const { now, state } = season(24)
    const played = play(state, now + 1, 600)
    for (const name of ["nano", "open"]) {
      const sums = leanings(played.filter(({ ladder }) => ladder === name))
      assert.lengthOf(sums, 24)
      for (const sum of sums) assert.isAtMost(Math.abs(sum), 1.5)
    }
  })
  it("repeats few meetings: of its first twelve games an entry of 24 plays eleven against others", () => {
    const { now, state } = season(24)
    const met = new Map<string, Array<string>>()
    for (const { ladder, versions } of play(state, now + 1, 600)) {
      if (ladder !== "nano") continue
      const [a, b] = versions as [string, string]
      for (const [one, other] of [
        [a, b],
        [b, a]
      ] as const) {
        met.set(one, [...(met.get(one) ?? []), other])
      }
    }
    const mean = [...met.values()].reduce((sum, all) => sum + new Set(all.slice(0, 12)).size, 0) / met.size
    assert.isAtLeast(mean, 11)
  })
  it("plays its boards equally often, each ladder by itself", () => {
    const { now, state } = season(12, [2, 2, 2])
    const played = play(state, now + 1, 300)
    for (const name of ["nano", "open"]) {
      const matches = played.filter(({ ladder }) => ladder === name)
      const counts = ["b0", "b1", "b2"].map((id) => matches.filter(({ board }) => board === id).length)
      assert.isAtMost(spread(counts), 1, name)
    }
  })
  it("gives a board that comes into play its share of matches from then on, not all until it has caught up", () => {
    const { now, state } = season(12, [2, 2])
    const enable = (board: string, enabled: boolean, at: number) => step(state, { _tag: "SwitchBoard", board, enabled }, at)
    const shareOf = (board: string, from: number) => {
      const played = play(state, from, 60)
      return played.filter((match) => match.board === board).length
    }
    enable("b0", false, now + 1)
    assert.strictEqual(shareOf("b1", now + 2), 60)
    addBoard(state, "late", 2, now + 100)
    assert.approximately(shareOf("late", now + 101), 30, 3)
    enable("b0", true, now + 200)
    assert.approximately(shareOf("b0", now + 201), 20, 3)
    for (const board of ["b0", "b1", "late"]) enable(board, false, now + 300)
    addBoard(state, "alone", 2, now + 301)
    enable("b0", true, now + 302)
    assert.approximately(shareOf("b0", now + 303), 30, 3)
  })
  it("never has more in flight on a ladder than a sixth of its entries", () => {
    const { now, state } = season(30)
    const works = lease(state, now + 1, 64)
    assert.strictEqual(works.length, 10) // five on nano, five on open
    assert.isEmpty(lease(state, now + 1, 64))
    const seated = works.flatMap((work) => (work.kind === "match" ? work.versions.map((version) => `${work.ladder} ${version}`) : []))
    assert.strictEqual(new Set(seated).size, seated.length)
  })
  it("lets an entry that comes late start at the clock, twice as often paired until its twentieth game", () => {
    const { now, state } = season(20)
    play(state, now + 1, 800)
    step(state, submission(21), now + 2_000)
    const entered = enterWaiting(state, now + 2_001)
    const before = new Map(ratings(state).map(({ ladder_games, version }) => [version, ladder_games]))
    play(state, entered, 160)
    const late = ratings(state).find(({ ord }) => ord === 21)!
    const others = ratings(state).filter(({ ord }) => ord !== 21)
    const gained = ({ ladder_games, version }: LadderRating) => ladder_games - before.get(version)!
    const mean = others.reduce((sum, each) => sum + gained(each), 0) / others.length
    assert.isAbove(gained(late), 1.5 * mean)
    assert.isBelow(gained(late), 2.5 * mean)
  })
})

describe("an entry that always forfeits", () => {
  it("is paired a quarter as often as others, in a small field as in a large one", () => {
    for (const entries of [12, 90]) {
      const { now, state } = season(entries)
      const broken = version(1)
      const crash = { score: 0, rank: 2, strikes: 3 }
      for (let at = now + 1; at < now + 60 * entries; at++) {
        for (const work of lease(state, at)) {
          const seat = work.kind === "match" ? work.versions.indexOf(broken) : -1
          if (work.kind !== "match" || seat < 0) finish(state, work, at, at % 2)
          else {
            const seats = outcome(2, 1 - seat).seats.map((each, i) => (i === seat ? crash : each))
            step(state, { _tag: "ReportMatch", key: RUNNER.key, lease: work.lease, outcome: { ...outcome(2), seats } }, at)
          }
        }
        committed(state)
      }
      const made = ratings(state).map((each) => ({ own: each.version === broken, games: each.ladder_games }))
      const mean = made.reduce((sum, each) => sum + (each.own ? 0 : each.games), 0) / (entries - 1)
      const own = made.find((each) => each.own)!.games
      assert.isBelow(own, 0.35 * mean, `${entries} entries`)
      assert.isAbove(own, 0.15 * mean)
    }
  })
})

/** Reviews and trials of all who wait; other work that is handed out is played. */
const enterWaiting = (state: State, from: number): number => {
  for (let now = from; ; now++) {
    for (const work of lease(state, now)) finish(state, work, now)
    if ([...state.versions_by_id.values()].every(({ status }) => status === "entered")) return now + 1
  }
}

describe("entries of one owner", () => {
  const owned = (owners: ReadonlyArray<number>) => {
    const state = empty({ trial: { matches: 1 } })
    addBoard(state, "b", 2, OPENED)
    owners.forEach((n, i) => step(state, submission(i + 1, { owner: owner(n) }), OPENED))
    return { state, now: enterWaiting(state, OPENED) }
  }
  const ownersOf = (state: State, { versions }: Played) => versions.map((id) => state.versions_by_id.get(id)!.owner)
  it("do not meet, though they are most of the field", () => {
    const { now, state } = owned([1, 1, 1, 1, 1, 2, 3, 3])
    for (const match of play(state, now + 1, 200)) {
      const [a, b] = ownersOf(state, match)
      assert.notStrictEqual(a, b)
    }
  })
})

describe("seasons of larger matches", () => {
  it("seat everybody evenly and keep games within two of each other", () => {
    for (const seats of [3, 4, 8]) {
      const { now, state } = season(25, [seats])
      let most = 0
      const played = play(state, now + 1, 300, 1, () => {
        most = Math.max(most, spread(ratings(state, "open").map(({ ladder_games }) => ladder_games)))
      })
      assert.isAtMost(most, 2, `${seats} seats`)
      const sums = leanings(played.filter(({ ladder }) => ladder === "open"))
      assert.lengthOf(sums, 25)
      for (const sum of sums) assert.isAtMost(Math.abs(sum), 2)
    }
  })
  it("seat no two together all the time, though the same ones always win", () => {
    for (const seats of [3, 4, 8]) {
      const { now, state } = season(24, [seats])
      const played: Array<Played> = []
      for (let at = now + 1; at < now + 1_000; at++) {
        for (const work of lease(state, at)) {
          if (work.kind !== "match") continue
          played.push(work)
          const better = work.versions.toSorted()
          const placed = work.versions.map((each) => ({ score: -better.indexOf(each), rank: 1 + better.indexOf(each), strikes: 0 }))
          step(state, { _tag: "ReportMatch", key: RUNNER.key, lease: work.lease, outcome: { ...outcome(seats), seats: placed } }, at)
        }
        committed(state)
      }
      const open = played.filter(({ ladder }) => ladder === "open")
      for (const one of ratings(state, "open").map(({ version }) => version)) {
        const own = open.filter(({ versions }) => versions.includes(one))
        assert.isAtLeast(own.length, 60)
        for (const other of new Set(own.flatMap(({ versions }) => versions))) {
          const share = own.filter(({ versions }) => versions.includes(other)).length / own.length
          if (other !== one) assert.isAtMost(share, 0.65, `${seats} seats`)
        }
      }
    }
  })
})
