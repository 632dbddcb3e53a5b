import { assert, describe, it } from "vitest"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import { dying, fault, honest, LOST, type Machine, type Match, play } from "../testing/failingMachines.ts"
import { finish, OPENED, owner, RUNNER, season, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"
import { FAULTS_RUNNING } from "./Faults.ts"

/** Whoever has been submitted enters; when that was. */
const enter = (state: State): number => {
  let now = OPENED
  const works = () =>
    step(state, { _tag: "LeaseWork", ...RUNNER, max: 9 }, now).filter((work) => work.kind === "admission" || work.is_trial)
  for (let found = works(); found.length > 0; found = works(), now++) for (const work of found) finish(state, work, now)
  for (const key of ["k1", "k2"]) step(state, { _tag: "HoldOnly", runner: key, holds: [] }, now)
  return now
}

/** Models 1, 2, … of these owners, one after another, since an owner has one candidate at a time. */
const enterOf = (state: State, owners: ReadonlyArray<number>): number => {
  owners.forEach((of, i) => {
    step(state, submission(i + 1, { owner: owner(of) }), state.now)
    enter(state)
  })
  return state.now
}

const games = (state: State, n: number) => state.ladders.at(-1)!.ratings.get(version(n))!.ladder_games
const phase = (state: State, id = LOST) => state.versions_by_id.get(id)!.phase
const failed = (state: State) => state.writes.ended.filter(({ ending }) => ending === "failed").length
const told = (state: State) => state.events.flatMap((event) => (event._tag === "VersionMoved" ? [`${event.change} ${event.version}`] : []))

describe("an entry whose weights are lost", () => {
  for (const entries of [4, 8, 11, 100]) {
    it(`does not keep the others of a ladder of ${entries} from playing, with one machine and one slot`, () => {
      const { now, state } = season(entries)
      play(state, [honest("k1", false)], now, 1_200)
      const others = Array.from({ length: entries - 1 }, (_, i) => games(state, i + 2))
      assert.isAtLeast(Math.min(...others), (1_000 * 2) / entries / 2)
      assert.isAtMost(Math.max(...others) - Math.min(...others), 4)
      assert.isBelow(failed(state), 20)
    })
  }

  it("is suspended after five of its matches running, keeps its place, and is told of once", () => {
    const { now, state } = season(6)
    play(state, [honest("k1"), honest("k2")], now, 2_000, (state) => phase(state) === "suspended")
    assert.strictEqual(phase(state), "suspended")
    assert.strictEqual(failed(state), FAULTS_RUNNING)
    assert.include([...state.ladders.at(-1)!.ratings.keys()], LOST)
    assert.isTrue(state.ladders.at(-1)!.ratings.get(LOST)!.active)
    assert.deepStrictEqual(
      told(state).filter((each) => each.startsWith("suspended")),
      [`suspended ${LOST}`]
    )
    const before = state.matches
    play(state, [honest("k1"), honest("k2")], now + 2_000_000, 200)
    const since = state.writes.ended.filter(({ n }) => n > before)
    assert.isAbove(since.length, 100)
    assert.isFalse(since.some(({ versions }) => versions.includes(LOST)))
  })

  it("plays again when an administrator lets it, owed no more than the others", () => {
    const { now, state } = season(6)
    const at = play(state, [honest("k1"), honest("k2")], now, 2_000, (state) => phase(state) === "suspended")
    play(state, [honest("k1"), honest("k2")], at, 300)
    assert.deepStrictEqual(step(state, { _tag: "Reinstate", version: LOST }, at + 300_000), { status: "entered", phase: null })
    assert.deepStrictEqual(step(state, { _tag: "Reinstate", version: LOST }, at + 300_000), { status: "entered", phase: null })
    assert.deepStrictEqual(step(state, { _tag: "Reinstate", version: version(99) }, at + 300_000), { refused: "not_found" })
    const rating = state.ladders.at(-1)!.ratings.get(LOST)!
    assert.deepStrictEqual([rating.virtual_games, rating.failed], [state.clock.at(-1), 0])
    play(state, [{ key: "k1", says: () => "played" }], at + 301_000, 90)
    assert.isAbove(games(state, 1), 5)
  })

  it("is suspended beside another whose weights are lost, where few are left to play", () => {
    const { now, state } = season(4)
    const lost = [version(1), version(2)]
    const says: Machine["says"] = ({ versions }) => (versions.some((id) => lost.includes(id)) ? "weights_unavailable" : "played")
    const machines = ["k1", "k2"].map((key) => ({ key, says }))
    play(state, machines, now, 4_000)
    for (const id of lost) assert.strictEqual(phase(state, id), "suspended")
    for (const n of [3, 4]) assert.isAbove(games(state, n), 100)
  })

  it("does not keep three others from playing each other, where a second is named beside it in matches of three", () => {
    const { state } = season(0, [3])
    const micro = { files: { weights_bytes: 2_000, manifest_bytes: 100 } }
    for (const n of [1, 2, 3, 4, 5]) step(state, submission(n, n === 2 || n === 5 ? micro : {}), OPENED) // so that all in nano meet it
    const lost = [version(1), version(2)]
    const lostIn = ({ versions }: Match) => versions.find((id) => lost.includes(id))
    const says: Machine["says"] = (match) => (match.ladder === null || lostIn(match) === undefined ? "played" : "weights_unavailable")
    const now = enter(state)
    step(state, { _tag: "PlanRound", kind: "finals", games: 4, starts_at: now + 1_000 }, now)
    const machines = ["k1", "k2"].map((key) => ({ key, says, names: (match: Match) => lostIn(match)! }))
    play(state, machines, now + 2_000, 4_000)
    for (const n of [3, 4, 5]) assert.isAtLeast(state.ladders.at(-1)!.ratings.get(version(n))!.virtual_games, 4)
  })

  it("gives way to a newer version of its model, which plays", () => {
    const { now, state } = season(6)
    const at = play(state, [honest("k1"), honest("k2")], now, 2_000, (state) => phase(state) === "suspended")
    step(state, submission(1, { version: version(1, 2), number: 2, weights_hash: "sha256:other" }), at)
    const [review] = step(state, { _tag: "LeaseWork", ...RUNNER, max: 1 }, at)
    finish(state, review!, at)
    const [trial] = step(state, { _tag: "LeaseWork", ...RUNNER, max: 1 }, at)
    assert.isFalse((trial as Match).versions.includes(LOST)) // nor is it anybody's opponent in a trial
    finish(state, trial!, at)
    assert.deepInclude(state.writes.left.get(LOST), { status: "superseded", phase: null })
    assert.strictEqual(state.ladders.at(-1)!.active, 6)
  })

  it("does not hold up finals: everybody else has their games, and the season closes", () => {
    const { now, state } = season(5)
    step(state, { _tag: "PlanRound", kind: "finals", games: 4, starts_at: now + 1_000 }, now)
    play(state, [honest("k1"), honest("k2")], now + 2_000, 3_000, (state) => state.phase === "closed")
    assert.strictEqual(state.phase, "closed")
    for (const n of [2, 3, 4, 5]) assert.isAtLeast(state.ladders.at(-1)!.ratings.get(version(n))!.virtual_games, 4)
  })

  it("does not hold up finals beside others like it, where nothing else is left to play", () => {
    for (const [entries, games, others] of [
      [5, 1, 1],
      [12, 4, 1],
      [12, 4, 2]
    ] as const) {
      const { now, state } = season(entries)
      const lost = [1, 2, 3].slice(0, others + 1).map((n) => version(n))
      const lostIn = ({ versions }: Match) => versions.find((id) => lost.includes(id))
      const says: Machine["says"] = (match) => (lostIn(match) === undefined ? "played" : "weights_unavailable")
      step(state, { _tag: "PlanRound", kind: "finals", games, starts_at: now + 1_000 }, now)
      const machines = ["k1", "k2"].map((key) => ({ key, says, names: (match: Match) => lostIn(match)! }))
      play(state, machines, now + 2_000, 3_000, (state) => state.phase === "closed")
      assert.strictEqual(state.phase, "closed")
      for (const id of lost) assert.strictEqual(phase(state, id), "suspended")
      assert.isAtMost(failed(state), 2 * FAULTS_RUNNING * lost.length)
    }
  })
})

describe("finals of four in which half cannot be played", () => {
  const DAY_MS = 86_400_000
  const halfOf = (entries: number, games: number) => {
    const { now, state } = season(entries)
    step(state, { _tag: "PlanRound", kind: "finals", games, starts_at: now + 1_000 }, now)
    return { at: now + 2_000, state }
  }
  const suspended = (state: State) => [...state.versions_by_id.values()].filter((each) => each.phase === "suspended")
  const bad = [version(1), version(2)]
  const isBad = ({ versions }: Match) => versions.some((id) => bad.includes(id))
  const named = ({ versions }: Match) => versions.find((id) => bad.includes(id))!
  const machines = (says: Machine["says"], names: Machine["names"] = false) => ["k1", "k2"].map((key) => ({ key, says, names }))

  for (const [what, games, fleet] of [
    [
      "because their weights are lost, in finals of one game",
      1,
      machines((match) => (isBad(match) ? "weights_unavailable" : "played"), named)
    ],
    ["because nobody says why, in finals of one game", 1, machines((match) => (isBad(match) ? "weights_unavailable" : "played"))],
    ["because they kill runners, in finals of one game", 1, machines((match) => (isBad(match) ? undefined : "played"))],
    ["because the engine cannot play them", 1, machines((match) => (isBad(match) ? "engine_fault" : "played"))]
  ] as const) {
    it(`${what}, end a day after the first match that failed since the last result, and nobody is suspended`, () => {
      const { at, state } = halfOf(4, games)
      const later = play(state, fleet, at, 6_000)
      for (const n of [3, 4]) assert.isAtLeast(state.ladders.at(-1)!.ratings.get(version(n))!.virtual_games, games)
      assert.isAtLeast(state.failing!.n!, 20)
      const end = state.failing!.since! + DAY_MS
      assert.isBelow(later, end)
      step(state, { _tag: "Tick" }, end - 1)
      assert.strictEqual(state.phase, "open")
      assert.lengthOf(suspended(state), 0)
      step(state, { _tag: "Tick" }, end)
      step(state, { _tag: "Tick" }, end + 60_000)
      assert.strictEqual(state.phase, "closed")
    })
  }

  it("because both runners have failed in the middle wait for them, and nobody is suspended", () => {
    const { at, state } = halfOf(4, 4)
    const playing = play(
      state,
      machines(() => "played"),
      at,
      4
    )
    const dead = machines(
      () => "weights_unavailable",
      ({ versions }) => versions[0]!
    )
    let later = play(state, dead, playing, 3_000)
    assert.isAtLeast(state.failing!.n!, 20)
    later = play(state, dead, later + 7 * DAY_MS, 3_000)
    assert.strictEqual(state.phase, "open")
    assert.lengthOf(suspended(state), 0)
    play(
      state,
      machines(() => "played"),
      later,
      3_000,
      ({ phase }) => phase === "closed"
    )
    for (const n of [1, 2, 3, 4]) assert.isAtLeast(state.ladders.at(-1)!.ratings.get(version(n))!.virtual_games, 4)
  })
})

it("a fault of the engine between failures of an entry neither blames nor clears it", () => {
  const { now, state } = season(8)
  const at = play(state, [honest("k1"), honest("k2")], now, 20)
  let failures = 0
  const broken = (key: string): Machine => ({
    ...honest(key),
    says: (match) => (!match.versions.includes(LOST) ? undefined : failures++ === 0 ? "engine_fault" : "weights_unavailable")
  })
  play(state, [broken("k1"), broken("k2")], at, 9_000, (state) => phase(state) === "suspended")
  assert.strictEqual(phase(state), "suspended")
  assert.lengthOf(
    [...state.versions_by_id.values()].filter((each) => each.phase === "suspended"),
    1
  )
})

describe("finals in which more than half cannot be played", () => {
  const DAY_MS = 86_400_000
  const finals = (entries: number, games: number) => {
    const { now, state } = season(entries)
    step(state, { _tag: "PlanRound", kind: "finals", games, starts_at: now + 1_000 }, now)
    return { at: now + 2_000, state }
  }
  const machines = (dead: ReadonlyArray<string>) => {
    const lost = ({ versions }: Match) => versions.find((id) => dead.includes(id))
    const says: Machine["says"] = (match) => (lost(match) === undefined ? "played" : "weights_unavailable")
    return ["k1", "k2"].map((key): Machine => ({ key, says, names: (match) => lost(match)! }))
  }

  it("end where the others play on for long enough: the dead are suspended one by one", () => {
    const { at, state } = finals(12, 20)
    const dead = [1, 2, 3, 4, 5, 6, 7].map((n) => version(n))
    play(state, machines(dead), at, 20_000, ({ phase }) => phase === "closed")
    assert.strictEqual(state.phase, "closed")
    for (const id of dead) assert.strictEqual(phase(state, id), "suspended")
  })

  it("wait for an administrator where the others have had their games before that, and are closed as they are", () => {
    const { at, state } = finals(5, 1)
    const dead = [1, 2, 3].map((n) => version(n))
    let later = play(state, machines(dead), at, 3_000)
    later = play(state, machines(dead), later + 7 * DAY_MS, 3_000)
    const served = [...state.ladders.at(-1)!.ratings.values()]
      .filter(({ virtual_games }) => virtual_games >= 1)
      .map(({ version }) => version)
    assert.sameMembers(served, [version(4), version(5)])
    assert.strictEqual(state.phase, "open")
    step(state, { _tag: "CloseSeason" }, later)
    step(state, { _tag: "Tick" }, later + 60_000)
    assert.strictEqual(state.phase, "closed")
    assert.sameMembers([...state.podium!.open!], served)
  })
})

describe("an entry that kills runners", () => {
  it("is suspended where it alone sat in the matches that were lost", () => {
    const { now, state } = season(6)
    play(state, [dying("k1"), dying("k2"), dying("k1"), dying("k2")], now, 6_000, (state) => phase(state) === "suspended")
    assert.strictEqual(phase(state), "suspended")
    for (const n of [2, 3, 4, 5, 6]) assert.isNull(phase(state, version(n)))
  })

  it("is suspended in finals beside a second, which nobody names either, and the finals end", () => {
    const { now, state } = season(12)
    const killers = [version(1), version(2)]
    const says: Machine["says"] = ({ versions }) => (versions.some((id) => killers.includes(id)) ? undefined : "played")
    step(state, { _tag: "PlanRound", kind: "finals", games: 4, starts_at: now + 1_000 }, now)
    const machines = ["k1", "k2"].map((key) => ({ key, says }))
    play(state, machines, now + 2_000, 6_000, (state) => state.phase === "closed")
    assert.strictEqual(state.phase, "closed")
    const suspended = [...state.versions_by_id.values()].filter((each) => each.phase === "suspended").map(({ id }) => id)
    assert.sameMembers(suspended, killers)
  })

  it("takes nobody with it that has played with it alone", () => {
    const { now, state } = season(2)
    play(state, [dying("k1"), dying("k2")], now, 4_000)
    assert.isAbove(failed(state), FAULTS_RUNNING)
    assert.deepStrictEqual([phase(state), phase(state, version(2))], [null, null])
  })

  it("does not keep the same stranger from playing its owner's other entry", () => {
    for (const games of [1, 2, 3, 4, 5]) {
      const { state } = season(0)
      const now = enterOf(state, [1, 1, 2, 2])
      step(state, { _tag: "PlanRound", kind: "round", games, starts_at: now + 1_000 }, now)
      const machines = ["k1", "k2"].map(dying)
      const others = ({ ladders }: State) =>
        [ladders[0]!, ladders.at(-1)!].flatMap(({ ratings }) => [2, 3, 4].map((n) => ratings.get(version(n))!.virtual_games))
      const areServed = (state: State) => state.round === 1 && others(state).every((virtual_games) => virtual_games >= games)
      play(state, machines, now + 2_000, 4_000, areServed)
      assert.isTrue(areServed(state), `${games} games: ${others(state)}`)
    }
  })

  it("takes nobody with it that has met the entries of its owner alone", () => {
    const { state } = season(0)
    const now = enterOf(state, [1, 2, 2, 2, 2])
    assert.strictEqual(state.active, 5)
    const all: Machine["says"] = ({ ladder }) => (ladder === null ? "played" : undefined)
    play(
      state,
      [
        { key: "k1", says: all },
        { key: "k2", says: all }
      ],
      now,
      4_000
    )
    assert.isAbove(failed(state), FAULTS_RUNNING)
    assert.isNull(phase(state))
  })
})

describe("an honest entry is not suspended", () => {
  it("while the whole fleet cannot play, whatever it says", () => {
    const all: ReadonlyArray<Machine["says"]> = [() => "weights_unavailable", () => "engine_fault", () => undefined]
    for (const says of all) {
      const { now, state } = season(8)
      const at = play(
        state,
        [
          { key: "k1", says: () => "played" },
          { key: "k2", says: () => "played" }
        ],
        now,
        50
      )
      play(
        state,
        [
          { key: "k1", says },
          { key: "k2", says }
        ],
        at,
        6_000
      )
      assert.isAbove(failed(state), 40)
      assert.isFalse([...state.versions_by_id.values()].some((each) => each.phase === "suspended"))
    }
  })

  it("while nobody's weights can be had, and runners name one after another", () => {
    const { now, state } = season(8)
    const machines = ["k1", "k2"].map((key): Machine => ({ key, says: () => "weights_unavailable", names: ({ versions }) => versions[0]! }))
    play(state, machines, now, 6_000)
    assert.isAbove(failed(state), 40)
    assert.isFalse([...state.versions_by_id.values()].some((each) => each.phase === "suspended"))
  })

  it("by a runner that lies about it, while another plays it", () => {
    const { now, state } = season(8)
    const liar: Machine = { key: "k1", names: true, says: ({ versions }) => (versions.includes(LOST) ? "weights_unavailable" : "played") }
    play(state, [liar, liar, liar, { key: "k2", says: () => "played" }], now, 4_000)
    assert.isNull(phase(state))
    assert.isAbove(games(state, 1), 100)
  })

  it("by the word of one key, where a second has played within the day", () => {
    const { now, state } = season(8)
    const at = play(state, [{ key: "k2", says: () => "played" }], now, 20)
    const later = play(state, [honest("k1")], at, 3_000)
    assert.isAbove(failed(state), 2 * FAULTS_RUNNING)
    assert.isNull(phase(state))
    play(state, [honest("k1")], later + 86_400_000, 3_000) // and where it has not, there is nobody else's word
    assert.strictEqual(phase(state), "suspended")
  })

  it("by the word of two keys that bring nothing else, where a third has played within the day", () => {
    const { now, state } = season(8)
    const at = play(state, [{ key: "k3", says: () => "played" }], now, 20)
    const broken = (key: string): Machine => ({
      ...{ key, names: true },
      says: ({ versions }) => (versions.includes(LOST) ? "weights_unavailable" : "engine_fault")
    })
    const turns = 9_000
    const ended = play(state, [broken("k1"), broken("k2")], at, turns)
    assert.isAbove(state.versions_by_id.get(LOST)!.streak!.n, FAULTS_RUNNING)
    assert.isNull(phase(state))
    play(state, [honest("k1"), honest("k2")], ended, turns) // once they bring results they are believed
    assert.strictEqual(phase(state), "suspended")
  })
})

describe("failed attempts, as a batch counts them", () => {
  const leased = (state: State, now: number) => {
    const [work] = step(state, { _tag: "LeaseWork", ...RUNNER, max: 1 }, now)
    assert.strictEqual(work?.kind, "match")
    committed(state)
    return work as Match
  }

  it("are those whose lease ran out, whenever that is noticed", () => {
    const { now, state } = season(4)
    leased(state, now)
    step(state, { _tag: "Tick" }, now + 1_000_000)
    assert.deepStrictEqual(state.writes.failedTries, ["runner_lost"])
  })

  it("are counted once each, also where the match is withdrawn later", () => {
    const { now, state } = season(4)
    state.keys = [...state.keys, { key: "another", at: now }]
    const { lease } = leased(state, now)
    step(state, fault({ key: RUNNER.key, lease }, "engine_fault", null), now + 1)
    assert.deepStrictEqual(state.writes.failedTries, ["engine_fault"])
    committed(state)
    step(state, { _tag: "CloseSeason" }, now + 2)
    assert.isTrue(state.writes.ended.some(({ fault_reason }) => fault_reason === "engine_fault"))
    assert.deepStrictEqual(state.writes.failedTries, [])
  })
})
