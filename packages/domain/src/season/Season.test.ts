import { assert, describe, it } from "@effect/vitest"
import type { Command } from "./Command.ts"
import { isDirty } from "./isDirty.ts"
import { LEASE_AGAIN_MS, RETURNS_MAX } from "./Lease.ts"
import { deadline, step } from "./Season.ts"
import { restore, type State, snapshot } from "./State.ts"
import type { Ended } from "./scheduler/Match.ts"
import {
  ADMITTED,
  addBoard,
  empty,
  finish,
  id,
  lease,
  model,
  OPENED,
  outcome,
  owner,
  RUNNER,
  season,
  submission,
  version
} from "./testing/testSeason.ts"
import { versionOf } from "./VersionCounts.ts"
import { committed } from "./Writes.ts"

const endings = (state: State) =>
  state.writes.ended.map(({ ending, fault_reason, withdrawn_reason }: Ended) => withdrawn_reason ?? fault_reason ?? ending)
const rated = (state: State) => state.writes.ended.filter(({ ending }) => ending === "rated")
const status = (state: State, n: number, number = 1) => {
  const found = versionOf(state, version(n, number))
  return found === undefined ? "gone" : (found.reject_reason ?? found.phase ?? found.status)
}
const report = (state: State, name: string, now: number, key: string = RUNNER.key) =>
  step(state, { _tag: "ReportMatch", key, lease: name, outcome: outcome(2) }, now)
/** Reports whatever is leased until nothing is left to do or time is up. */
const play = (state: State, from: number, until: number, max = 1) => {
  for (let now = from; now < until; now++) for (const work of lease(state, now, max)) finish(state, work, now, now % 2)
}

describe("a candidate", () => {
  it("waits for its files, is reviewed, tried and entered on the ladder of its class and on open", () => {
    const { state } = season(0)
    step(state, submission(1, { files: null }), OPENED)
    assert.strictEqual(status(state, 1), "upload")
    step(state, { _tag: "ReceiveFiles", version: version(1), weights_bytes: 900, manifest_bytes: 101 }, OPENED + 1)
    assert.strictEqual(status(state, 1), "review")
    const [review] = lease(state, OPENED + 2)
    finish(state, review!, OPENED + 3)
    assert.strictEqual(status(state, 1), "trial")
    const [trial] = lease(state, OPENED + 4)
    assert.deepInclude(trial, { kind: "match", is_trial: true, versions: [version(1), version(1)] }) // against its own copy
    finish(state, trial!, OPENED + 5)
    assert.strictEqual(status(state, 1), "entered")
    assert.deepStrictEqual(
      state.ladders.filter(({ ratings }) => ratings.size > 0).map(({ ladder }) => ladder),
      ["micro", "open"]
    )
    assert.strictEqual(state.rated, 0)
  })
  it("is rejected when its upload window ends, and may come again at once", () => {
    const { state } = season(0, [2], { cooldown_s: 600 })
    step(state, submission(1, { files: null }), OPENED)
    const until = OPENED + 1_800_000
    assert.strictEqual(deadline(state), until)
    step(state, { _tag: "Tick" }, until)
    assert.strictEqual(status(state, 1), "upload_expired")
    assert.deepInclude(step(state, submission(1, { version: version(1, 2), number: 2 }), until + 1), { fresh: true })
  })
  it("is rejected when it reaches the strike limit in a trial", () => {
    const { state } = season(0)
    step(state, submission(1), OPENED)
    finish(state, lease(state, OPENED)[0]!, OPENED)
    const [trial] = lease(state, OPENED)
    const seats = [0, 1].map((seat) => ({ score: seat, rank: 2 - seat, strikes: seat === 0 ? 3 : 0 }))
    step(state, { _tag: "ReportMatch", key: "k1", lease: trial!.lease, outcome: { ...outcome(2), seats } }, OPENED)
    assert.strictEqual(status(state, 1), "trial_failed")
  })
  it("is given up after five failed reviews", () => {
    const { state } = season(0)
    step(state, submission(1), OPENED)
    for (let now = OPENED; now < OPENED + 5 * LEASE_AGAIN_MS; now += LEASE_AGAIN_MS) {
      const [work] = lease(state, now)
      const failed = { _tag: "ReportAdmission", key: "k1", lease: work!.lease, verdict: { verdict: "failed", detail: "" } } as const
      assert.deepStrictEqual(step(state, failed, now), { accepted: true })
    }
    assert.strictEqual(status(state, 1), "admission_unavailable")
  })
  it("is given up also where every runner gives it back, though a runner that stops gives it back at no cost", () => {
    const { state } = season(0)
    step(state, submission(1), OPENED)
    const { admit_failures } = state.versions_by_id.get(version(1))!
    for (let back = 1; back <= 5 * (RETURNS_MAX + 1); back++) {
      assert.strictEqual(status(state, 1), "review", `given back ${back - 1} times`)
      if (back === RETURNS_MAX + 1) assert.strictEqual(state.versions_by_id.get(version(1))!.admit_failures, admit_failures)
      const [work] = lease(state, OPENED)
      step(state, { _tag: "Release", key: "k1", lease: work!.lease }, OPENED)
    }
    assert.strictEqual(status(state, 1), "admission_unavailable")
  })
  it("answers the repeat of a failed review as the first, the last one from its row, and counts an attempt once", () => {
    const { state } = season(0)
    step(state, submission(1), OPENED)
    const failed = (lease: string) => ({ _tag: "ReportAdmission", key: "k1", lease, verdict: { verdict: "failed", detail: "" } }) as const
    const [late] = lease(state, OPENED)
    step(state, { _tag: "Tick" }, OPENED + 30_000) // its lease runs out, and counts as failed
    for (const _ of [1, 2]) assert.deepStrictEqual(step(state, failed(late!.lease), OPENED + 30_000), { accepted: true })
    assert.strictEqual(state.versions_by_id.get(version(1))!.admit_failures, 1)
    for (let attempt = 2; attempt <= 5; attempt++) {
      const now = OPENED + attempt * LEASE_AGAIN_MS
      const [work] = lease(state, now)
      assert.deepStrictEqual(step(state, failed(work!.lease), now), { accepted: true })
    }
    assert.deepInclude(state.writes.rejected.get(version(1)), { admit_attempt: 5, admit_key: "k1", reject_reason: "admission_unavailable" })
  })
  it("waits in trial while no board is in play", () => {
    const state = empty({ trial: { matches: 1 } })
    step(state, submission(1), OPENED)
    finish(state, lease(state, OPENED)[0]!, OPENED)
    assert.deepStrictEqual(lease(state, OPENED), [])
    addBoard(state, "late", 4, OPENED + 1)
    assert.strictEqual(lease(state, OPENED + 1)[0]!.kind, "match")
  })
  it("is judged by size, memory and time of the season's rules", () => {
    const { state } = season(0)
    const verdicts = [
      [{ weights_bytes: 1e9, manifest_bytes: 1 }, ADMITTED, "too_large"],
      [{ weights_bytes: 1, manifest_bytes: 1 }, { ...ADMITTED, memory: { flat: 0, cell: 5 } }, "memory_over_class"],
      [{ weights_bytes: 1, manifest_bytes: 1 }, { ...ADMITTED, infer_us: 20_001 }, "too_slow"]
    ] as const
    verdicts.forEach(([files, verdict, reason], i) => {
      step(state, submission(i + 1, { files }), OPENED)
      const [work] = lease(state, OPENED)
      step(state, { _tag: "ReportAdmission", key: "k1", lease: work!.lease, verdict }, OPENED)
      assert.strictEqual(status(state, i + 1), reason)
    })
  })
  it("gets one slot when two come at once, and the same pair of hashes gets the same answer", () => {
    const { state } = season(0)
    assert.deepInclude(step(state, submission(1), OPENED), { fresh: true })
    assert.deepInclude(step(state, submission(1, { version: version(1, 2) }), OPENED), { fresh: false, submitted: version(1) })
    const other = step(state, submission(1, { version: version(1, 2), weights_hash: "sha256:x" }), OPENED)
    assert.deepStrictEqual(other, { refused: [{ code: "candidate_in_flight", version: version(1) }] })
    const copy = step(state, submission(2, { weights_hash: submission(1).weights_hash }), OPENED)
    assert.deepStrictEqual(copy, { refused: [{ code: "weights_already_entered" }] })
  })
})

describe("a newer version", () => {
  it("takes over the rating, supersedes the old one, and withdraws what it was queued for", () => {
    const { state, now } = season(4)
    play(state, now, now + 60)
    const open = state.ladders[5]!
    const before = { ...open.ratings.get(version(1))! }
    step(state, submission(1, { version: version(1, 2), number: 2, weights_hash: "sha256:new" }), now + 60)
    finish(state, lease(state, now + 60)[0]!, now + 60)
    committed(state)
    let work = lease(state, now + 61)[0]!
    while (work.kind === "match" && !work.is_trial) work = lease(state, now + 61)[0]!
    finish(state, work, now + 62)
    assert.deepInclude(versionOf(state, version(1)), { status: "superseded", successor: 2 })
    const after = open.ratings.get(version(1, 2))!
    assert.deepInclude(after, { mu: before.mu, sigma: Math.max(before.sigma, 100), matches: 0 })
    for (const match of state.live.values()) if (match.until === null) assert.notInclude(match.versions, version(1))
    play(state, now + 63, now + 100)
    assert.isAbove(after.matches, 0)
  })
})

it("the ratings of a superseded version are let go with its last match, be it another's trial", () => {
  const { state, now } = season(1)
  step(state, submission(2), now)
  finish(state, lease(state, now)[0]!, now)
  const [trial] = lease(state, now) // version 1 sits in it
  step(state, submission(1, { version: version(1, 2), number: 2, weights_hash: "sha256:new" }), now)
  for (const _ of ["review", "trial"]) finish(state, lease(state, now)[0]!, now)
  const open = state.ladders[5]!
  assert.strictEqual(state.versions_by_id.get(version(1))!.status, "superseded")
  assert.isTrue(open.ratings.has(version(1)))
  finish(state, trial!, now)
  assert.isFalse(open.ratings.has(version(1)))
})

const HOLDS_NONE = { _tag: "HoldOnly", runner: "r1", holds: [] } as const
const another = (at: number) => [{ _tag: "LeaseWork", ...RUNNER, max: 9, key: "k2" }, at] as const

/** Given two entries and a leased match, when these happen, then its report at that time is answered so. */
const table: ReadonlyArray<readonly [string, ReadonlyArray<readonly [Command, number]>, number, unknown]> = [
  ["in time", [], 1, { accepted: true }],
  ["late, taken by nobody since", [], 31_000, { accepted: true }],
  ["late, taken by another", [another(30_000)], 31_000, { accepted: false, reason: "lost" }],
  ["its board switched off while it plays", [[{ _tag: "SwitchBoard", board: "b0", enabled: false }, 1]], 2, { accepted: true }],
  [
    "its board switched off, and late",
    [[{ _tag: "SwitchBoard", board: "b0", enabled: false }, 1]],
    31_000,
    { accepted: false, reason: "unknown" }
  ],
  ["given back", [[{ _tag: "Release", key: "k1", lease: "" }, 1]], 2, { accepted: false, reason: "released" }],
  ["its key revoked", [[{ _tag: "RevokeKey", key: "k1" }, 1]], 2, { accepted: false, reason: "released" }],
  ["not among what the runner holds", [[HOLDS_NONE, 1]], 2, { accepted: true }],
  ["not among what the runner holds, taken by another", [[HOLDS_NONE, 1], another(2)], 3, { accepted: false, reason: "lost" }],
  ["given since the runner said what it holds", [[{ ...HOLDS_NONE, among: [] }, 1], another(2)], 3, { accepted: true }],
  ["the season closing", [[{ _tag: "CloseSeason" }, 1]], 2, { accepted: true }],
  ["the season closed", [[{ _tag: "CloseSeason" }, 1]], 60_001, { accepted: false, reason: "unknown" }],
  ["a heartbeat before", [[{ _tag: "Heartbeat", key: "k1", leases: [""] }, 29_000], another(31_000)], 32_000, { accepted: true }]
]
it("a revoked key is given nothing that it asked for before, and no other key is passed over", () => {
  const { state, now } = season(4)
  lease(state, now)
  step(state, { _tag: "RevokeKey", key: "k1", stays: true }, now)
  assert.isNotEmpty(lease(state, now)) // it only gave back what it held
  step(state, { _tag: "RevokeKey", key: "k1" }, now + 1)
  assert.deepStrictEqual(step(state, { _tag: "LeaseWork", ...RUNNER, max: 9 }, now + 1), [])
  assert.isNotEmpty(step(state, { _tag: "LeaseWork", ...RUNNER, max: 1, key: "k2" }, now + 1) as ReadonlyArray<unknown>)
  step(state, { _tag: "RevokeKey", key: "k3" }, now + 119_000)
  assert.deepStrictEqual(step(state, { _tag: "LeaseWork", ...RUNNER, max: 9 }, now + 120_000), [])
  assert.isNotEmpty(step(state, { _tag: "LeaseWork", ...RUNNER, max: 1 }, now + 120_001) as ReadonlyArray<unknown>) // nobody asked so long ago
  step(state, { _tag: "RevokeKey", key: "k4" }, now + 120_002)
  assert.deepStrictEqual(state.revoked, [
    { key: "k3", at: now + 119_000 },
    { key: "k4", at: now + 120_002 }
  ]) // no longer kept than it matters
})

describe("a result reported", () => {
  for (const [when, events, at, answer] of table) {
    it(when, () => {
      const { state, now } = season(2)
      const [work] = lease(state, now)
      for (const [command, ms] of events) {
        const said =
          "lease" in command ? { ...command, lease: work!.lease } : "leases" in command ? { ...command, leases: [work!.lease] } : command
        step(state, said, now + ms)
      }
      assert.deepStrictEqual(report(state, work!.lease, now + at), answer as never)
    })
  }
  it("by another key is unknown", () => {
    const { state, now } = season(2)
    assert.deepStrictEqual(report(state, lease(state, now)[0]!.lease, now, "k9"), { accepted: false, reason: "unknown" })
  })
  it("that contradicts itself changes nothing", () => {
    const { state, now } = season(2)
    const [work] = lease(state, now)
    const seats = outcome(2).seats.map((seat) => ({ ...seat, rank: 1 }))
    const answer = step(state, { _tag: "ReportMatch", key: "k1", lease: work!.lease, outcome: { ...outcome(2), seats } }, now)
    assert.deepInclude(answer, { accepted: false, reason: "malformed" })
    assert.deepStrictEqual(report(state, work!.lease, now), { accepted: true })
  })
  it("moves a class ladder and open together, and seats remember both", () => {
    const { state, now } = season(2)
    committed(state)
    const work = lease(state, now, 2).filter((each) => each.kind === "match")
    assert.deepStrictEqual(
      work.map(({ ladder }) => ladder),
      ["nano", "open"]
    )
    finish(state, work[0]!, now)
    const [seat] = rated(state)[0]!.seats
    assert.isAbove(seat!.made!.change, 0)
    assert.isAbove(seat!.open!.change, 0)
    assert.strictEqual(seat!.place, 1)
    finish(state, work[1]!, now)
    assert.isNull(rated(state)[1]!.seats[0]!.open)
  })
})

it("a match fails at the third lost lease, and its entries play on", () => {
  const { state, now } = season(2)
  committed(state)
  const [work] = lease(state, now)
  for (let loss = 1; loss <= 3; loss++) {
    step(state, { _tag: "Tick" }, now + loss * 30_000)
    if (loss < 3) assert.strictEqual(lease(state, now + loss * 30_000)[0]!.lease, work!.lease.replace(/1$/, String(loss + 1)))
  }
  assert.deepStrictEqual(endings(state), ["runner_lost"])
  assert.strictEqual(lease(state, now + 90_000).length, 1)
})

it("a match that is given back over and over fails at last, also by runners that only do not name it", () => {
  const { state, now } = season(2)
  committed(state)
  let leases = 0
  for (const [work] = lease(state, now); endings(state).length === 0; lease(state, now)) {
    leases++
    const id = work!.lease.replace(/\d+$/, "")
    if (leases % 2 === 0) step(state, { _tag: "HoldOnly", runner: RUNNER.runner, holds: [] }, now)
    else step(state, { _tag: "Release", key: RUNNER.key, lease: `${id}${leases}` }, now)
    assert.isAtMost(leases, 3 * (RETURNS_MAX + 1))
  }
  assert.deepStrictEqual(endings(state), ["runner_lost"])
  assert.strictEqual(leases, 3 * (RETURNS_MAX + 1))
})

describe("a round", () => {
  for (const [entries, games, boards] of [
    [6, 4, [2]],
    [7, 5, [2]],
    [2, 3, [2]],
    [9, 3, [2, 4]],
    [5, 4, [4]],
    [3, 2, [2, 8]]
  ] as const) {
    it(`of ${games} games gives each of ${entries} entries its games on boards of ${boards} and rests`, () => {
      const { state, now } = season(entries, boards)
      step(state, { _tag: "PlanRound", kind: "round", games, starts_at: now + 10 }, now)
      committed(state)
      play(state, now + 10, now + 800, 3)
      for (const ladder of state.ladders.filter(({ active }) => active > 0)) {
        for (const rating of ladder.ratings.values()) assert.isAtLeast(rating.virtual_games, games, ladder.ladder)
      }
      const owedSeats = new Map<string, number>()
      for (const match of rated(state)) {
        const played = match.versions.map((each) => owedSeats.get(`${match.ladder} ${each}`) ?? 0)
        assert.isBelow(Math.min(...played), games, "a match has a seat that is owed it")
        for (const each of match.versions) owedSeats.set(`${match.ladder} ${each}`, (owedSeats.get(`${match.ladder} ${each}`) ?? 0) + 1)
      }
      assert.deepStrictEqual([...state.live.values()], [])
    })
  }
  it("resets ratings, withdraws what is queued and rates nothing of before", () => {
    const { state, now } = season(4)
    const [work] = lease(state, now)
    step(state, { _tag: "PlanRound", kind: "round", games: 2, starts_at: now + 10 }, now)
    committed(state)
    finish(state, work!, now + 10)
    assert.deepStrictEqual(endings(state), ["round_reset", "finished"])
    assert.strictEqual(state.rated, 0)
  })
  it("of finals is for those who are in play when it starts: a baseline may leave and joins no more", () => {
    const { now, state } = season(3)
    const onOff = (n: number, enabled: boolean, at: number) => {
      const audit = { id: `${n} ${at}`, actor: "root", action: "baseline.switch", subject: `${n}`, detail: null } as const
      return step(state, { _tag: "SwitchBaseline", version: version(n), enabled, audit }, at)
    }
    for (const n of [4, 5]) {
      step(state, submission(n, { owner: null }), now)
      finish(state, lease(state, now).find(({ kind }) => kind === "admission")!, now)
    }
    assert.deepStrictEqual<unknown>(onOff(4, true, now), { enabled: true })
    step(state, { _tag: "PlanRound", kind: "finals", games: 3, starts_at: now + 10 }, now)
    assert.deepStrictEqual<unknown>([onOff(5, true, now + 5), onOff(5, false, now + 6)], [{ enabled: true }, { enabled: false }])
    step(state, { _tag: "Tick" }, now + 10)
    const logged = state.writes.audits.length
    assert.deepStrictEqual<unknown>(onOff(5, true, now + 11), { refused: "season_closed" })
    assert.deepStrictEqual<unknown>(onOff(4, true, now + 12), { enabled: true }, "it is in them")
    assert.strictEqual(state.writes.audits.length, logged)
    assert.deepStrictEqual<unknown>(onOff(4, false, now + 13), { enabled: false })
    assert.deepStrictEqual<unknown>(onOff(4, true, now + 14), { refused: "season_closed" })
    const plays = (n: number) => state.ladders.at(-1)!.ratings.get(version(n))?.active === true
    assert.deepStrictEqual([1, 2, 3, 4, 5].map(plays), [true, true, true, false, false])
  })

  it("of finals rejects candidates, ends with the last game and freezes the podium", () => {
    const { state, now } = season(4)
    step(state, submission(9, { files: null }), now)
    step(state, { _tag: "PlanRound", kind: "finals", games: 3, starts_at: now + 10 }, now)
    play(state, now + 10, now + 300, 2)
    assert.strictEqual(status(state, 9), "season_closed")
    assert.strictEqual(state.phase, "closed")
    assert.strictEqual(state.podium!.open!.length, 3)
    assert.strictEqual(deadline(state), Infinity)
  })
  it("of finals gives a place on the podium to nobody without a match in them", () => {
    for (const kind of ["finals", "round"] as const) {
      const { state, now } = season(4)
      play(state, now, now + 60, 2)
      step(state, { _tag: "PlanRound", kind, games: 3, starts_at: now + 70 }, now + 60)
      finish(state, lease(state, now + 71)[0]!, now + 71)
      const played = [...state.ladders[5]!.ratings.values()].filter(({ round_matches }) => round_matches > 0)
      assert.lengthOf(played, 2)
      step(state, { _tag: "CloseSeason" }, now + 73)
      assert.strictEqual(state.phase, "closed")
      const placed = state.podium!.open!
      if (kind === "round") assert.lengthOf(placed, 3)
      else
        assert.sameMembers(
          [...placed],
          played.map(({ version }) => version)
        )
    }
  })
  it("missed while the service was down starts at its own time, in order", () => {
    const { state, now } = season(4)
    for (const n of [1, 2]) step(state, { _tag: "PlanRound", kind: "round", games: n, starts_at: now + n * 1_000 }, now)
    step(state, { _tag: "Tick" }, now + 86_400_000)
    assert.deepStrictEqual(
      state.rounds.map(({ ended_at, started_at }) => [started_at, ended_at]),
      [
        [now + 1_000, now + 2_000],
        [now + 2_000, null]
      ]
    )
  })
})

it("closing withdraws what is queued, gives the rest a minute, and freezes the podium after the last", () => {
  const { state, now } = season(6)
  lease(state, now)
  committed(state)
  step(state, { _tag: "CloseSeason" }, now + 5)
  assert.strictEqual(state.phase, "closing")
  assert.deepStrictEqual(new Set(endings(state)), new Set(["season_closed"]))
  assert.strictEqual(state.live.size, 1)
  step(state, { _tag: "Tick" }, now + 30_000) // its lease runs out
  assert.strictEqual(state.phase, "closed")
  assert.deepStrictEqual(step(state, { _tag: "CloseSeason" }, now + 99_000), { close_requested_at: now + 5 })
})

it("one owner alone is never paired with itself, and two owners are", () => {
  const { state, now } = season(0)
  for (const n of [1, 2, 3]) step(state, submission(n, { owner: owner(n === 3 ? 2 : 1), version: version(n) }), now)
  // The second candidate of owner 1 is refused while the first is in flight: enter them in turn.
  play(state, now, now + 5)
  step(state, submission(2, { owner: owner(1) }), now + 6)
  play(state, now + 6, now + 30)
  committed(state)
  play(state, now + 30, now + 100)
  assert.isAbove(rated(state).length, 10)
  const ownerOf = (each: string) => state.versions_by_id.get(each)!.owner
  for (const { versions } of rated(state)) assert.notStrictEqual(ownerOf(versions[0]!), ownerOf(versions[1]!))
  assert.isTrue(state.versions_by_id.has(version(2)), model(2))
})

it("entries of one owner are not left over while others play each other", () => {
  const { state, now } = season(4)
  for (const n of [1, 2]) Object.assign(state.versions_by_id.get(version(n))!, { owner: owner(1) })
  step(state, { _tag: "PlanRound", kind: "round", games: 3, starts_at: now + 10 }, now)
  committed(state)
  play(state, now + 10, now + 100)
  const together = rated(state).map(({ versions }) => versions.filter((each) => [version(1), version(2)].includes(each)).length)
  assert.deepStrictEqual(new Set(together), new Set([1]))
  assert.strictEqual(together.length, 2 * 6) // both ladders: nobody needed a game more than owed
})

it("a request that comes to nothing changes nothing that has no row", () => {
  const { state, now } = season(2)
  for (const n of [1, 2]) Object.assign(state.versions_by_id.get(version(n))!, { owner: owner(1) })
  committed(state)
  const before = structuredClone(snapshot(state))
  assert.deepStrictEqual(lease(state, now), [])
  assert.isFalse(isDirty(state))
  assert.deepStrictEqual(snapshot(state), before)
})

it("a season announces its opening once, also if it is restored from its rows before anything else is written", () => {
  let rows = snapshot(empty())
  const restored = (now: number) => {
    const state = restore(structuredClone(rows))
    step(state, { _tag: "Tick" }, now)
    if (isDirty(state)) rows = structuredClone(snapshot(state))
    return state.events.map(({ _tag }) => _tag)
  }
  assert.deepStrictEqual(restored(OPENED - 1), [])
  assert.deepStrictEqual(restored(OPENED + 1), ["SeasonChanged", "WorkAppeared"])
  assert.deepStrictEqual(restored(OPENED + 2), [])
})

it("a season restored from its rows goes on as the one that was lost", () => {
  const { state, now } = season(9, [2, 3, 4])
  const copy = (from: State) => restore(structuredClone(snapshot(from)))
  let twin = copy(state)
  for (let i = 1; i < 3_000; i++) {
    const at = now + i * 700
    const leased = [...state.live.values()]
      .filter((match) => match.until !== null)
      .map((match) => [match, match.versions.length] as const)[0]
    const command: Command =
      i % 400 === 0
        ? { _tag: "PlanRound", kind: "round", games: 20, starts_at: at + 5_000 }
        : i % 91 === 0
          ? { _tag: "SwitchBoard", board: "b1", enabled: i % 2 === 0 }
          : i % 3 === 0 || leased === undefined
            ? { _tag: "LeaseWork", ...RUNNER, max: 2 }
            : { _tag: "ReportMatch", key: "k1", lease: `${leased[0].id}.${leased[0].lease_n}`, outcome: outcome(leased[1], i % leased[1]) }
    assert.deepStrictEqual(step(state, command, at), step(twin, command, at))
    assert.isAbove(deadline(state), at)
    committed(state)
    committed(twin)
    if (i % 50 === 0) twin = copy(state)
  }
  assert.deepStrictEqual(snapshot(twin), snapshot(state))
  assert.isAbove(state.rated, 300)
  assert.match([...state.live.keys()][0] ?? id("0", 0), /^[0-9a-f-]{36}$/)
})
