import { assert, describe, it } from "@effect/vitest"
import { initialRating, type Rating, rated, takenOver } from "../../rating/Rating.ts"
import { CLOSING_MS } from "../clock/Closing.ts"
import { isDirty } from "../isDirty.ts"
import { mix } from "../Random.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import * as testLog from "../testing/testLog.ts"
import { finish, lease, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"
import { isLookDue, LOOK_MATCHES_MAX } from "./Learning.ts"
import { RoundLog } from "./RoundLog.ts"
import { LOOK_MATCHES_MIN, startIn } from "./Starts.ts"

interface Played {
  state: State
  readonly books: testLog.Books
  now: number
}

const keep = ({ books, state }: Played) => {
  testLog.write(books, state)
  committed(state)
}
const start = (entries: number, learn_spread?: number): Played => {
  const { now, state } = season(entries, [2])
  const { rules } = state.settings
  state.settings = { ...state.settings, rules: learn_spread === undefined ? rules : { ...rules, learn_spread } }
  const played = { state, now, books: testLog.books() }
  keep(played)
  return played
}
const play = (played: Played, matches: number) => {
  for (let i = 0; i < matches; i++) {
    for (const work of lease(played.state, ++played.now)) finish(played.state, work, played.now, mix(played.now) % 2)
    keep(played)
  }
}
/** Plays until the version has entered: it has no match that counts yet. */
const enter = (played: Played, n: number, number = 1) => {
  step(played.state, submission(n, { version: version(n, number), number, weights_hash: `sha256:${n}-${number}` }), ++played.now)
  keep(played)
  for (let i = 0; played.state.versions_by_id.get(version(n, number))!.status !== "entered"; i++) {
    assert.isBelow(i, 100)
    play(played, 1)
  }
}
const learn = (played: Played, spreads: Partial<Record<"nano" | "open", number>>, { round = played.state.round, matches = 300 } = {}) => {
  const reply = step(played.state, { _tag: "LearnStarts", round, played: matches, spreads }, ++played.now)
  keep(played)
  return reply.learned
}
const install = (played: Played) => {
  const reply = testLog.refold(played.state, played.books, ++played.now)
  const told = played.state.events.map(({ _tag }) => _tag)
  keep(played)
  return { ...reply, told }
}
/** The round's log from its beginning, with these deviations to start with. */
const assertAsReplayed = (played: Played, sigmas: Readonly<Record<string, number>>, of_round = played.state.round) => {
  const { books } = played
  const ratings = new Map<string, Rating>()
  const of = (ladder: string, each: string) => ratings.get(`${ladder} ${each}`) ?? initialRating(sigmas[ladder]!)
  const seeds = [...books.seeds.values()].filter(({ round }) => round === of_round).sort((a, b) => a.n - b.n || a.ord - b.ord)
  const seed = (until: number) => {
    for (; seeds.length > 0 && seeds[0]!.n < until; seeds.shift()) {
      const { ladder, of: before, version: each } = seeds[0]!
      ratings.set(`${ladder} ${each}`, takenOver(of(ladder, before), sigmas[ladder]!))
    }
  }
  const counted = [...books.ended.values()].filter(({ rated_n, round }) => rated_n !== null && round === of_round)
  for (const { ladder: made, rated_n, seats } of counted.sort((a, b) => a.rated_n! - b.rated_n!)) {
    seed(rated_n!)
    for (const ladder of new Set([made!, "open"])) {
      const after = rated(
        seats.map((seat) => of(ladder, seat.version)),
        seats.map(({ rank }) => rank)
      )
      seats.forEach((seat, i) => {
        ratings.set(`${ladder} ${seat.version}`, after[i]!)
        const { mu, sigma } = (ladder === made ? seat.made : seat.open)!
        assert.deepStrictEqual({ mu, sigma }, after[i])
      })
    }
  }
  seed(Infinity)
  for (const { ladder, mu, round, sigma, version: each } of books.ratings.values()) {
    if (round === of_round) assert.deepStrictEqual({ ladder, each, mu, sigma }, { ladder, each, ...of(ladder, each) })
  }
}
/** A season that closes while its log is folded with what it has learned. */
const closing = (): Played => {
  const played = start(8, 1)
  play(played, LOOK_MATCHES_MIN)
  learn(played, { nano: 80, open: 90 })
  step(played.state, { _tag: "CloseSeason" }, ++played.now)
  keep(played)
  return played
}
const FIRST = { nano: 200, open: 200 }

describe("the start of ratings", () => {
  it("is 200, and no look is ever due, without the rule", () => {
    for (const played of [start(8), start(8, 0)]) {
      play(played, LOOK_MATCHES_MIN + 50)
      assert.isFalse(isLookDue(played.state))
      assert.isFalse(learn(played, { nano: 80 }))
      assert.isNull(played.state.learning)
      assertAsReplayed(played, FIRST)
    }
  })

  it("follows what was learned for the whole round once the log is folded, for those who have not played as well", () => {
    const played = start(9, 1)
    play(played, LOOK_MATCHES_MIN)
    assert.isTrue(isLookDue(played.state))
    assert.isTrue(learn(played, { nano: 80, open: 90 }))
    assert.isFalse(isLookDue(played.state))
    play(played, 20)
    assertAsReplayed(played, FIRST)
    enter(played, 50)
    const waiting = [...played.books.ratings.values()].filter(({ matches }) => matches === 0)
    assert.isAbove(waiting.length, 0, "somebody has not played")
    const { installed, told } = install(played)
    assert.isTrue(installed)
    assert.include(told, "RatingsRescaled")
    assert.strictEqual(played.state.rescaled, 1)
    assertAsReplayed(played, { nano: 80, open: 90 })
    play(played, 40)
    assertAsReplayed(played, { nano: 80, open: 90 })
    assert.strictEqual(startIn(played.state.starts, 0, "micro"), 200)
  })

  it("stays where the log says less than 15 % else, or nothing", () => {
    const played = start(8, 1)
    play(played, LOOK_MATCHES_MIN)
    assert.isFalse(learn(played, { nano: 200 * 1.14, open: 200 / 1.14 }))
    assert.isFalse(isLookDue(played.state))
    assert.deepStrictEqual(played.state.starts, [])
    play(played, 200)
    assert.isTrue(isLookDue(played.state))
    assert.isTrue(learn(played, { open: 200 * 1.16 }))
    install(played)
    assertAsReplayed(played, { nano: 200, open: 200 * 1.16 })
  })

  it("is looked at again when the round has grown by half, and no more after its first 100,000 matches", () => {
    const played = start(8, 1)
    play(played, LOOK_MATCHES_MIN)
    const numbered = played.state.rated
    learn(played, {}, { matches: 1_000 })
    assert.strictEqual(played.state.look_at, numbered + 500)
    played.state.look_at = 0
    learn(played, {}, { matches: LOOK_MATCHES_MAX })
    assert.isNull(played.state.look_at)
    assert.isFalse(isLookDue(played.state))
  })

  it("outlives a restart, also while the log is being folded", () => {
    const played = start(8, 1)
    play(played, LOOK_MATCHES_MIN)
    learn(played, { nano: 60, open: 500 })
    played.state = restore(structuredClone(snapshot(played.state)))
    assert.isNotNull(played.state.learning)
    assert.isTrue(install(played).installed)
    assertAsReplayed(played, { nano: 60, open: 500 })
    const again = restore(structuredClone(snapshot(played.state)))
    assert.deepStrictEqual(snapshot(again), snapshot(played.state))
    played.state = again
    play(played, 20)
    assertAsReplayed(played, { nano: 60, open: 500 })
  })

  it("holds for a head that was written before there were starts", () => {
    const played = start(8, 1)
    play(played, 5)
    const { learning: _, look_at: __, rescaled: ___, starts: ____, ...older } = snapshot(played.state).head
    const state = restore({ ...structuredClone(snapshot(played.state)), head: structuredClone(older) as never })
    assert.deepStrictEqual([state.starts, state.learning, state.rescaled, state.look_at], [[], null, 0, LOOK_MATCHES_MIN])
  })

  it("is the one of the round before when a round starts, which learns anew", () => {
    const played = start(8, 1)
    play(played, LOOK_MATCHES_MIN)
    learn(played, { nano: 80, open: 90 })
    install(played)
    const { ratings } = structuredClone(snapshot(played.state))
    step(played.state, { _tag: "PlanRound", kind: "round", games: 1_000, starts_at: played.now + 10 }, played.now)
    played.now += 20
    step(played.state, { _tag: "Tick" }, played.now)
    keep(played)
    assertAsReplayed(played, { nano: 80, open: 90 })
    const behind = restore({ ...structuredClone(snapshot(played.state)), ratings })
    assert.deepStrictEqual(snapshot(behind), snapshot(played.state), "rows of the round before are read as reset")
    assert.isFalse(isLookDue(played.state))
    play(played, LOOK_MATCHES_MIN)
    assertAsReplayed(played, { nano: 80, open: 90 })
    assert.isTrue(isLookDue(played.state))
    assert.isFalse(learn(played, { open: 300 }, { round: 0 }), "a look at a round that is over")
    assert.isTrue(learn(played, { open: 300 }))
    install(played)
    assertAsReplayed(played, { nano: 80, open: 300 })
    assert.strictEqual(startIn(played.state.starts, 0, "open"), 90)
  })

  it("is taken at once by a round that starts while the log is being folded, which is then stale", () => {
    const played = start(8, 1)
    play(played, LOOK_MATCHES_MIN)
    learn(played, { nano: 80, open: 90 })
    const folded = testLog.folded(played.state, played.books)
    step(played.state, { _tag: "PlanRound", kind: "round", games: 1_000, starts_at: played.now + 10 }, played.now)
    played.now += 20
    step(played.state, { _tag: "Tick" }, played.now)
    keep(played)
    assert.deepStrictEqual(step(played.state, folded, ++played.now), { installed: false, stale: true })
    play(played, 20)
    assertAsReplayed(played, { nano: 80, open: 90 })
    assert.isTrue(install(played).installed)
    assert.isNull(played.state.learning)
    assertAsReplayed(played, { nano: 80, open: 90 })
    assertAsReplayed(played, { nano: 80, open: 90 }, 0)
    assert.deepStrictEqual(
      played.state.starts.map(({ round }) => round),
      [0, 1]
    )
    const restored = restore(structuredClone(snapshot(played.state)))
    assert.deepStrictEqual(snapshot(restored), snapshot(played.state))
  })

  it("holds beside a void, whichever comes first", () => {
    for (const learnsFirst of [true, false]) {
      const played = start(8, 1)
      play(played, LOOK_MATCHES_MIN)
      const match = [...played.books.ended.values()].filter(({ rated_n }) => rated_n !== null)[40]!.id
      const voided = () => {
        const found = testLog.endedOf(played.books, match) ?? null
        step(played.state, { _tag: "VoidMatch", match, detail: "It was not so.", found }, ++played.now)
        keep(played)
      }
      if (learnsFirst) learn(played, { nano: 60, open: 60 })
      else voided()
      const early = testLog.folded(played.state, played.books)
      if (learnsFirst) voided()
      else learn(played, { nano: 60, open: 60 })
      assert.deepStrictEqual(step(played.state, early, ++played.now), { installed: false, stale: true })
      assert.isTrue(install(played).installed)
      assert.strictEqual(played.state.voiding.size, 0)
      assertAsReplayed(played, { nano: 60, open: 60 })
    }
  })

  it("gives a new version half of itself at least", () => {
    const played = start(8, 1)
    play(played, LOOK_MATCHES_MIN)
    learn(played, { nano: 400, open: 400 })
    install(played)
    enter(played, 3, 2)
    play(played, 3)
    const seeds = [...played.books.seeds.values()].filter(({ round }) => round === 0)
    assert.isAbove(seeds.length, 0)
    for (const { sigma } of seeds) assert.isAtLeast(sigma, 200)
    assertAsReplayed(played, { nano: 400, open: 400 })
    played.state.look_at = 0
    assert.isTrue(learn(played, { nano: 600, open: 50 }))
    install(played)
    assertAsReplayed(played, { nano: 600, open: 50 })
  })

  it("is given up where the season closes before the log is folded", () => {
    const played = closing()
    assert.strictEqual(played.state.phase, "closing")
    played.now += CLOSING_MS
    step(played.state, { _tag: "Tick" }, played.now)
    assert.deepStrictEqual(
      played.state.writes.audits.map(({ action, subject }) => [action, subject]),
      [["season.doubt", played.state.id]]
    )
    keep(played)
    assert.strictEqual(played.state.phase, "closed")
    assertAsReplayed(played, FIRST)
    assert.isFalse(isDirty(played.state))
  })

  it("is awaited by a season that closes", () => {
    const played = closing()
    install(played)
    assert.strictEqual(played.state.phase, "closed")
    assertAsReplayed(played, { nano: 80, open: 90 })
  })
})

describe("the log of a round", () => {
  it("has each ladder's matches in their order, with those who joined between them", () => {
    const log = new RoundLog()
    const seat = (version: string, rank: number) => ({ version, rank, score: 0, strikes: 0, place: null, made: null, open: null })
    const of = (rated_n: number, ladder: "nano" | "open", ...versions: ReadonlyArray<string>) => ({
      id: `m${rated_n}`,
      rated_n,
      ladder,
      round: 0,
      seats: versions.map((version, i) => seat(version, i + 1))
    })
    const seed = { ladder: "open", version: "c", of: "a", ord: 3, round: 0, n: 1, mu: 0, sigma: 100 } as const
    log.add({ matches: [of(1, "nano", "a", "b"), of(2, "open", "b", "c")], seeds: [seed], points: [] })
    assert.deepStrictEqual(log.of("nano"), [{ seats: [0, 1], ranks: [1, 2] }])
    assert.deepStrictEqual(log.of("open"), [
      { seats: [0, 1], ranks: [1, 2] },
      { of: 0, joins: 2 },
      { seats: [1, 2], ranks: [1, 2] }
    ])
    assert.deepStrictEqual([log.matches, log.last], [2, 2])
  })
})
