import { assert, describe, it } from "@effect/vitest"
import { step } from "./Season.ts"
import type { State } from "./State.ts"
import { addBoard, empty, finish, lease, model, OPENED, outcome, owner, RUNNER, submission, version } from "./testing/testSeason.ts"
import { committed } from "./Writes.ts"

const ENTRIES = 12
const FILES = { weights_bytes: 500_000, manifest_bytes: 100 } // of class open: the season has one ladder

/** A round of twelve entries. */
const round = (games: number, seats: number, fill = false) => {
  const state = empty({ trial: { matches: 1 } })
  addBoard(state, "board", seats, OPENED)
  step(state, { _tag: "PlanRound", kind: "round", games, starts_at: OPENED + 1_000 }, OPENED)
  for (let n = 1; n <= ENTRIES; n++) enter(state, n, 1, OPENED)
  const settings = { fill: { enabled: fill, max_per_hour: null } }
  step(state, { _tag: "EditSettings", scheduledOnly: false, settings }, OPENED + 1_000)
  return { state, now: OPENED + 1_000 }
}

const enter = (state: State, n: number, number: number, now: number): string => {
  const id = version(n, number)
  const hash = `sha256:${id}`
  step(state, submission(n, { version: id, model: model(n), owner: owner(n), number, weights_hash: hash, files: FILES }), now)
  for (const _ of ["review", "trial"]) finish(state, lease(state, now)[0]!, now)
  assert.strictEqual(state.versions_by_id.get(id)?.status, "entered")
  return id
}

/** Plays so many matches; answers those that this entry was in. */
const play = (state: State, now: number, matches: number, of: string): number => {
  let seated = 0
  for (let n = 0; n < matches; n++) {
    const [work] = lease(state, now + n)
    if (work?.kind !== "match") throw new Error("nothing to play")
    if (work.versions.includes(of)) seated++
    finish(state, work, now + n, n % 2)
    committed(state)
  }
  return seated
}

/** Plays until the first entry is suspended, since two keys say that its weights are gone; answers when it is. */
const suspend = (state: State, from: number): number => {
  let at = from
  for (let n = 0; state.versions_by_id.get(version(1))!.phase !== "suspended"; n++) {
    at += 31_000
    const key = `k${n % 2}`
    const [work] = step(state, { _tag: "LeaseWork", ...RUNNER, key, max: 1 }, at)
    if (work?.kind !== "match") throw new Error("nothing to play")
    const gone = { fault_reason: "weights_unavailable", version: version(1), detail: "404" } as const
    if (work.versions.includes(version(1))) step(state, { _tag: "ReportFault", key, lease: work.lease, ...gone }, at)
    else step(state, { _tag: "ReportMatch", key, lease: work.lease, outcome: outcome(2) }, at)
    committed(state)
  }
  return at
}

const ways = {
  "whose account is let in again": (state: State, removed: boolean, now: number) =>
    void step(state, { _tag: "SwitchOwner", owner: owner(1), removed }, now),
  "that is reinstated": (state: State, removed: boolean, now: number, of = version(1)) =>
    void step(state, removed ? { _tag: "Disqualify", version: of, reason: "r" } : { _tag: "Reinstate", version: of }, now)
}

for (const [what, away] of Object.entries(ways)) {
  describe(`an entry ${what} in a round`, () => {
    for (const seats of [2, 4]) {
      it(`makes up for nothing that others had by idle fill, on boards of ${seats}`, () => {
        const { now, state } = round(10, seats, true)
        play(state, now, 60, version(1))
        away(state, true, now + 1_000)
        play(state, now + 2_000, 600, version(1))
        away(state, false, now + 3_000)
        const share = (120 * seats) / ENTRIES
        const had = play(state, now + 4_000, 120, version(1))
        assert.isAtMost(had, share + 4)
        assert.isAtLeast(had, share - 4)
      })
    }

    it("is owed the games that it missed", () => {
      const { now, state } = round(10, 2, true)
      play(state, now, 24, version(1))
      away(state, true, now + 1_000)
      play(state, now + 2_000, 400, version(1))
      const { virtual_games } = state.ladders.at(-1)!.ratings.get(version(1))!
      away(state, false, now + 3_000)
      assert.strictEqual(play(state, now + 4_000, 10 - virtual_games, version(1)), 10 - virtual_games)
      assert.isAtMost(play(state, now + 5_000, 60, version(1)), 14, "and no more than its share")
    })

    it("stands where it stood, though it has replaced another", () => {
      const { now, state } = round(40, 2)
      play(state, now, 120, version(1))
      const id = enter(state, 1, 2, now + 1_000)
      away(state, true, now + 2_000, id)
      away(state, false, now + 3_000, id)
      const had = play(state, now + 4_000, 60, id)
      assert.isAtMost(had, 12, "ten are its share")
      assert.isAtLeast(had, 8)
    })
  })
}

it("an entry that was suspended in a round makes up for nothing that others had by idle fill", () => {
  const { now, state } = round(10, 2, true)
  play(state, now, 60, version(1))
  const at = suspend(state, now)
  play(state, at, 600, version(1))
  step(state, { _tag: "Reinstate", version: version(1) }, at + 1_000)
  assert.isAtMost(play(state, at + 2_000, 120, version(1)), 24)
})
