import { assert, describe, it } from "@effect/vitest"
import { type Rating, rated, START, takenOver } from "../../rating/Rating.ts"
import { isDirty } from "../isDirty.ts"
import type { LogPage } from "../Log.ts"
import { mix } from "../Random.ts"
import * as Fold from "../rating/Fold.ts"
import { TAIL_MATCHES_MAX } from "../rating/Installing.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import * as testLog from "../testing/testLog.ts"
import { finish, lease, outcome, RUNNER, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"
import type { Ended } from "./Match.ts"
import { VOIDING_MAX } from "./Voiding.ts"

interface Played {
  readonly state: State
  readonly books: testLog.Books
  now: number
}

const keep = ({ books, state }: Played) => {
  testLog.write(books, state)
  committed(state)
}
const play = (played: Played, matches: number) => {
  for (let i = 0; i < matches; i++) {
    const { state } = played
    for (const work of lease(state, ++played.now)) finish(state, work, played.now, mix(played.now) % 2)
    keep(played)
  }
}
const supersede = (played: Played, n: number, number: number) => {
  const next = { version: version(n, number), number, weights_hash: `sha256:${n}-${number}` }
  step(played.state, submission(n, next), ++played.now)
  keep(played)
}
const start = (entries: number, boards: ReadonlyArray<number>): Played => {
  const { now, state } = season(entries, boards)
  const played = { state, now, books: testLog.books() }
  keep(played)
  return played
}
const voided = ({ books, state }: Played, match: string, now: number) =>
  step(state, { _tag: "VoidMatch", match, detail: "It was not so.", found: testLog.endedOf(books, match) ?? null }, now)
/** Voids and folds: nothing is played in between. */
const voiding = (played: Played, match: string) => {
  const reply = voided(played, match, ++played.now)
  keep(played)
  if (reply.voided && played.state.voiding.size > 0)
    assert.deepStrictEqual(testLog.refold(played.state, played.books, ++played.now), { installed: true, stale: false })
  return reply
}
const countedOf = ({ books, state }: Played): ReadonlyArray<Ended> =>
  [...books.ended.values()].filter((row) => row.rated_n !== null && row.round === state.round).sort((a, b) => a.rated_n! - b.rated_n!)

/** Every rating from the seed, by the matches that count, in their order: a season that never had the others. */
const replayed = (played: Played): ReadonlyMap<string, Rating> => {
  const ratings = new Map<string, Rating>()
  const seeds = [...played.books.seeds.values()]
    .filter(({ round }) => round === played.state.round)
    .sort((a, b) => a.n - b.n || a.ord - b.ord)
  const applySeeds = (until: number) => {
    while (seeds.length > 0 && seeds[0]!.n < until) {
      const { ladder, of, version } = seeds.shift()!
      ratings.set(`${ladder} ${version}`, takenOver(ratings.get(`${ladder} ${of}`) ?? START))
    }
  }
  for (const { ladder, rated_n, seats } of countedOf(played)) {
    applySeeds(rated_n!)
    for (const each of new Set([ladder!, "open"])) {
      const keys = seats.map(({ version }) => `${each} ${version}`)
      const after = rated(
        keys.map((key) => ratings.get(key) ?? START),
        seats.map(({ rank }) => rank)
      )
      keys.forEach((key, i) => ratings.set(key, after[i]!))
    }
  }
  applySeeds(Infinity)
  return ratings
}

const assertAsReplayed = (played: Played) => {
  const expected = replayed(played)
  for (const [key, { mu, sigma }] of played.books.ratings) {
    assert.deepStrictEqual({ key, mu, sigma }, { key, ...(expected.get(key) ?? START) })
  }
  const last = new Map<string, Rating>()
  const matches = new Map<string, number>()
  for (const { ladder, seats } of countedOf(played)) {
    for (const { made, open, version } of seats) {
      last.set(`${ladder} ${version}`, made!)
      if (open !== null) last.set(`open ${version}`, open)
      for (const each of new Set([ladder!, "open"])) matches.set(`${each} ${version}`, (matches.get(`${each} ${version}`) ?? 0) + 1)
    }
  }
  for (const [key, { mu, sigma }] of last) assert.deepStrictEqual({ key, mu, sigma }, { key, ...expected.get(key)! })
  for (const [key, row] of played.books.ratings) {
    assert.strictEqual(row.round_matches, matches.get(key) ?? 0)
    assert.strictEqual(row.history.at(-1), row.mu)
    assert.isAtMost(row.history.length, 12)
  }
}

describe("a voided match", () => {
  for (const boards of [[2], [2, 3]]) {
    it(`leaves the ratings of a season that never had it, to the last bit (boards of ${boards.join()})`, () => {
      for (const at of [0, 0.1, 0.5, 0.9, 0.999]) {
        const played = start(7, boards)
        play(played, 60)
        supersede(played, 1, 2)
        play(played, 40)
        supersede(played, 1, 3)
        supersede(played, 2, 2)
        play(played, 60)
        const before = countedOf(played)
        const chosen = before[Math.floor(at * before.length)]!
        assert.deepStrictEqual(voiding(played, chosen.id), { voided: true })
        assert.strictEqual(played.state.rated, before.length - 1)
        keep(played)
        assert.deepInclude(played.books.ended.get(chosen.id), { ending: "failed", fault_reason: "replay_mismatch", rated_n: null })
        assertAsReplayed(played)
        play(played, 20)
        assertAsReplayed(played)
        const numbers = countedOf(played).map(({ rated_n }) => rated_n)
        assert.strictEqual(new Set(numbers).size, numbers.length)
      }
    })
  }
  it("is taken out though matches were rated in the batch that installs the fold, and a version entered", () => {
    const played = start(6, [2])
    play(played, 30)
    const { books, state } = played
    const chosen = countedOf(played)[10]!
    assert.deepStrictEqual(voided(played, chosen.id, ++played.now), { voided: true })
    keep(played)
    for (let i = 0; i < 5; i++) for (const work of lease(state, ++played.now)) finish(state, work, played.now)
    step(state, submission(3, { version: version(3, 2), number: 2, weights_hash: "sha256:new" }), ++played.now)
    for (let i = 0; i < 8; i++) for (const work of lease(state, ++played.now)) finish(state, work, played.now)
    assert.isAbove(state.writes.seeds.length, 0)
    assert.deepStrictEqual(testLog.refold(state, books, ++played.now), { installed: true, stale: false })
    for (const work of lease(state, ++played.now)) finish(state, work, played.now)
    keep(played)
    assertAsReplayed(played)
  })
  it("leaves the rating of a superseded version whose last match is given back in the batch that installs the fold", () => {
    const played = start(6, [2])
    play(played, 30)
    const { books, state } = played
    const [work] = lease(state, ++played.now)
    const n = [1, 2, 3, 4, 5, 6].find((each) => state.live.get(work!.lease.split(".")[0]!)!.versions.includes(version(each)))!
    supersede(played, n, 2)
    for (let i = 0; i < 2; i++) for (const next of lease(state, ++played.now)) finish(state, next, played.now)
    assert.strictEqual(state.versions_by_id.get(version(n))!.status, "superseded")
    keep(played)
    voided(played, countedOf(played).find(({ versions }) => versions.includes(version(n)))!.id, ++played.now)
    keep(played)
    const install = testLog.folded(state, books)
    step(state, { _tag: "Release", key: RUNNER.key, lease: work!.lease }, ++played.now)
    assert.isUndefined(state.versions_by_id.get(version(n)), "it is let go")
    assert.deepStrictEqual(step(state, install, ++played.now), { installed: true, stale: false })
    keep(played)
    assertAsReplayed(played)
  })
  it("makes a fold stale that has it already: the next leaves both out", () => {
    const played = start(6, [2])
    play(played, 60)
    const { books, state } = played
    const [a, b] = [countedOf(played)[10]!, countedOf(played)[20]!]
    voided(played, a.id, ++played.now)
    keep(played)
    const to = Fold.begin(testLog.placeOf(books, 0), [])
    testLog.writeChanges(books, Fold.fold(to, testLog.pageOf(books, to, 30, false), 3))
    voided(played, b.id, ++played.now)
    keep(played)
    play(played, 5)
    const versions = [...to.courses.values()].map(({ version }) => version)
    for (let page: LogPage; (page = testLog.pageOf(books, { ...to, after: to.n }, 30, false)).matches.length > 0; )
      testLog.writeChanges(books, Fold.fold(to, page, 3))
    const rows = { tail: testLog.pageOf(books, { ...to, after: to.n }, 100, true), left: testLog.leftOf(books, versions) }
    assert.deepStrictEqual(
      step(state, { _tag: "InstallFold", fold: to, voiding: new Set([a.id]), earlier: [], tail_max: 100, rows }, ++played.now),
      {
        installed: false,
        stale: true
      }
    )
    keep(played)
    assert.deepStrictEqual([...state.voiding.keys()], [a.id, b.id])
    play(played, 5)
    assert.deepStrictEqual(testLog.refold(state, books, ++played.now), { installed: true, stale: false })
    keep(played)
    assert.strictEqual(state.voiding.size, 0)
    assertAsReplayed(played)
  })
  it("is rated again at the next try where more was rated since than one commit takes", () => {
    const played = start(6, [2])
    play(played, 30)
    voided(played, countedOf(played)[10]!.id, ++played.now)
    keep(played)
    const tail = {
      ...testLog.pageOf(played.books, { round: 0, after: 0 }, 1, true),
      matches: Array.from({ length: TAIL_MATCHES_MAX + 1 }, () => countedOf(played)[20] as never)
    }
    const command = {
      _tag: "InstallFold",
      fold: Fold.begin({ round: 0, after: 0 }, []),
      voiding: new Set<string>(),
      earlier: [],
      tail_max: TAIL_MATCHES_MAX,
      rows: { tail, left: [] }
    } as const
    assert.deepStrictEqual(step(played.state, command, ++played.now), { installed: false, stale: false })
    assert.isFalse(isDirty(played.state))
    assert.strictEqual(played.state.voiding.size, 1)
  })
  it("is owed again: in a round every entry still gets its games", () => {
    const played = start(4, [2])
    step(played.state, { _tag: "PlanRound", kind: "round", games: 3, starts_at: played.now + 10 }, played.now)
    played.now += 20
    play(played, 60)
    const [first] = countedOf(played)
    const gamesOf = () => [...played.state.ladders[5]!.ratings.values()].map(({ virtual_games }) => virtual_games)
    assert.isTrue(gamesOf().every((games) => games >= 3))
    assert.deepStrictEqual(lease(played.state, ++played.now), [])
    voiding(played, first!.id)
    keep(played)
    play(played, 20)
    const made = [...played.state.ladders].flatMap(({ ratings }) => [...ratings.values()].map(({ virtual_games }) => virtual_games))
    assert.isTrue(made.every((games) => games >= 3))
    assertAsReplayed(played)
  })
  it("of a round that is over moves nothing, and counts no more", () => {
    const played = start(4, [2])
    play(played, 20)
    const [chosen] = countedOf(played)
    step(played.state, { _tag: "PlanRound", kind: "round", games: 3, starts_at: played.now + 10 }, played.now)
    played.now += 20
    play(played, 6)
    const before = snapshot(played.state).ratings.map(({ mu, sigma, round_matches }) => ({ mu, sigma, round_matches }))
    const { rated } = played.state
    assert.deepStrictEqual(voiding(played, chosen!.id), { voided: true })
    assert.deepStrictEqual(
      snapshot(played.state).ratings.map(({ mu, sigma, round_matches }) => ({ mu, sigma, round_matches })),
      before
    )
    assert.strictEqual(played.state.rated, rated - 1)
  })
  it("of a round that is over leaves what the current one has come to, be it the same to the last bit", () => {
    const played = start(2, [2])
    const winsAgain = () => {
      const [work] = lease(played.state, ++played.now)
      finish(played.state, work!, played.now, work?.kind === "match" ? work.versions.indexOf(version(1)) : 0)
      keep(played)
    }
    const rows = () => snapshot(played.state).ratings.map(({ mu, round_matches, sigma }) => ({ mu, sigma, round_matches }))
    winsAgain()
    const [first] = countedOf(played)
    step(played.state, { _tag: "PlanRound", kind: "round", games: 1, starts_at: played.now + 10 }, played.now)
    played.now += 20
    winsAgain()
    const before = rows()
    assert.isTrue(before.some(({ mu, round_matches }) => round_matches === 1 && mu !== 0))
    assert.deepStrictEqual(voiding(played, first!.id), { voided: true })
    assert.deepStrictEqual(rows(), before)
  })
  it("is voided once, and two in one commit are left out together", () => {
    const played = start(4, [2])
    play(played, 20)
    const [a, b] = countedOf(played)
    assert.deepStrictEqual(voided(played, a!.id, ++played.now), { voided: true })
    assert.deepStrictEqual(voided(played, a!.id, ++played.now), { voided: false, reason: "already" })
    assert.deepStrictEqual(voided(played, b!.id, ++played.now), { voided: true })
    keep(played)
    assert.deepStrictEqual(voided(played, a!.id, ++played.now), { voided: false, reason: "already" })
    assert.deepStrictEqual(voided(played, version(99), ++played.now), { voided: false, reason: "unknown" })
    assert.deepStrictEqual(testLog.refold(played.state, played.books, ++played.now), { installed: true, stale: false })
    keep(played)
    assert.strictEqual(played.state.voiding.size, 0)
    assertAsReplayed(played)
  })
  it("with a disqualified version stands once that is reinstated", () => {
    const played = start(6, [2])
    play(played, 10)
    const [first, second] = countedOf(played)
    const { versions } = played.books.ended.get(first!.id)!
    const disqualified = versions[0]!
    const ordered = ({ id: match }: Ended) =>
      step(
        played.state,
        { _tag: "VoidMatch", match, detail: "It was not so.", disqualified, found: testLog.endedOf(played.books, match)! },
        ++played.now
      )
    assert.deepStrictEqual(ordered(first!), { voided: false, reason: "reinstated" })
    step(played.state, { _tag: "Disqualify", version: disqualified, reason: "It cheated." }, ++played.now)
    assert.deepStrictEqual(ordered(first!), { voided: true })
    step(played.state, { _tag: "Reinstate", version: disqualified }, ++played.now)
    assert.deepStrictEqual(ordered(second!), { voided: false, reason: "reinstated" })
  })

  it("waits with so many others at most", () => {
    const played = start(4, [2])
    play(played, 20)
    const [a, b] = countedOf(played)
    voided(played, a!.id, ++played.now)
    const [one] = played.state.voiding.values()
    for (let n = 1; n < VOIDING_MAX; n++) played.state.voiding.set(version(1_000 + n), one!)
    keep(played)
    assert.deepStrictEqual(voided(played, b!.id, ++played.now), { voided: false, reason: "again" })
    assert.isFalse(isDirty(played.state))
  })
  it("leaves a state that its rows restore", () => {
    const played = start(6, [2])
    play(played, 50)
    voiding(played, countedOf(played)[7]!.id)
    keep(played)
    const twin = restore(structuredClone(snapshot(played.state)))
    for (let i = 0; i < 30; i++) {
      const now = ++played.now
      const [a, b] = [played.state, twin].map((state) => lease(state, now, 2))
      assert.deepStrictEqual(
        a!.map(({ lease }) => lease),
        b!.map(({ lease }) => lease)
      )
      for (const work of a!) for (const state of [played.state, twin]) finish(state, work, played.now)
    }
  })
  it("of a trial is played again while the candidate is being tried", () => {
    const { now, state } = season(0, [2], { trial: { matches: 2 } })
    const played = { state, now, books: testLog.books() }
    step(state, submission(1), ++played.now)
    finish(state, lease(state, ++played.now)[0]!, played.now)
    const [trial] = lease(state, ++played.now)
    step(state, { _tag: "ReportMatch", key: RUNNER.key, lease: trial!.lease, outcome: outcome(2) }, ++played.now)
    keep(played)
    const [first] = [...played.books.ended.keys()]
    assert.deepStrictEqual(voiding(played, first!), { voided: true })
    assert.deepInclude(state.versions_by_id.get(version(1)), { trial_played: 0, trial_void: 1 })
    keep(played)
    play(played, 3)
    assert.strictEqual(state.versions_by_id.get(version(1))!.status, "entered")
  })

  describe("of a trial that has failed", () => {
    const COOLDOWN_S = 3_600
    const struck = { ...outcome(2), seats: [0, 1].map((score) => ({ score, rank: 2 - score, strikes: 100 * (1 - score) })) }
    /** A candidate that reached the strike limit in so many of its two trial matches, which are the first that the books hold. */
    const failedIn = (matches: number) => {
      const { now, state } = season(0, [2], { trial: { matches: 2 }, cooldown_s: COOLDOWN_S })
      const played = { state, now, books: testLog.books() }
      step(state, submission(1), ++played.now)
      finish(state, lease(state, ++played.now)[0]!, played.now)
      for (let n = 0; n < 2; n++) {
        const [trial] = lease(state, ++played.now)
        const result = n < matches ? struck : outcome(2)
        step(state, { _tag: "ReportMatch", key: RUNNER.key, lease: trial!.lease, outcome: result }, ++played.now)
      }
      keep(played)
      return { ...played, row: () => played.books.versions.get(version(1))! }
    }
    const trialsOf = ({ books }: Played) => [...books.ended.values()].filter(({ candidate }) => candidate !== null).map(({ id }) => id)
    const again = ({ state, now }: Played) =>
      step(state, submission(1, { version: version(1, 2), number: 2, weights_hash: "sha256:other" }), now + 1)

    it("clears the candidate where it failed no other, and its owner may submit at once", () => {
      const played = failedIn(1)
      assert.deepInclude(played.row(), { status: "rejected", reject_reason: "trial_failed", trial_played: 2, trial_failed: 1 })
      assert.deepNestedInclude(again(played), { "refused[0].code": "cooldown" })
      voided(played, trialsOf(played)[0]!, ++played.now)
      assert.deepInclude(
        played.state.events.find(({ _tag }) => _tag === "VersionMoved"),
        { change: "rejected", reject_reason: "admission_unavailable" }
      )
      keep(played)
      assert.deepInclude(played.row(), {
        status: "rejected",
        reject_reason: "admission_unavailable",
        trial_played: 1,
        trial_failed: 0,
        trial_void: 1
      })
      assert.include(played.row().reject_detail, "submit it again")
      assert.propertyVal(again(played), "fresh", true)
    })

    it("leaves it rejected for the others that it failed, until these are voided as well", () => {
      const played = failedIn(2)
      const [first, second] = trialsOf(played)
      voided(played, first!, ++played.now)
      assert.isFalse(played.state.events.some(({ _tag }) => _tag === "VersionMoved"))
      voided(played, second!, ++played.now) // in the same batch: the row of the last commit still names two
      keep(played)
      assert.deepInclude(played.row(), { reject_reason: "admission_unavailable", trial_played: 0, trial_failed: 0, trial_void: 2 })
      const one = failedIn(2)
      voided(one, trialsOf(one)[1]!, ++one.now)
      keep(one)
      assert.deepInclude(one.row(), { reject_reason: "trial_failed", trial_failed: 1 })
      assert.include(one.row().reject_detail, "in 1 of its 1 trial matches")
    })

    it("leaves it rejected where the match was not among those that it failed", () => {
      const played = failedIn(1)
      voided(played, trialsOf(played)[1]!, ++played.now)
      keep(played)
      assert.deepInclude(played.row(), { reject_reason: "trial_failed", trial_failed: 1, trial_played: 1 })
    })
  })
})
