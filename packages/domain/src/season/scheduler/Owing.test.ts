import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../Command.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { addBoard, finish, lease, model, outcome, owner, RUNNER, season, submission, version } from "../testing/testSeason.ts"

const GAMES = 3

/** Finals in which one match has been played, or none. */
const finals = (
  entries: number,
  boards: ReadonlyArray<number>,
  played: 0 | 1,
  prepared: (state: State, now: number) => void = () => {}
) => {
  const { now, state } = season(entries, boards)
  prepared(state, now)
  step(state, { _tag: "PlanRound", kind: "finals", games: GAMES, starts_at: now + 10 }, now)
  step(state, { _tag: "Tick" }, now + 10)
  const at = now + 20
  for (const work of lease(state, at, played)) finish(state, work, at)
  return { at, state: restore(structuredClone(snapshot(state))) }
}

/** Enters a version of a competitor's model: of the same class, or of the next with more bytes. */
const enter = (state: State, now: number, n: number, number: number, weights_bytes = 500) => {
  const files = { weights_bytes, manifest_bytes: 100 }
  step(state, submission(n, { version: version(n, number), number, weights_hash: `${n} ${number}`, files }), now)
  playCandidates(state, now)
}

const playCandidates = (state: State, now: number) => {
  for (let at = now; state.testing > 0; at++) for (const work of lease(state, at)) finish(state, work, at)
}

const disqualify = (state: State, now: number, id: string) => step(state, { _tag: "Disqualify", version: id, reason: "r" }, now)

const switchBaseline = (state: State, now: number, enabled: boolean) =>
  step(state, { _tag: "SwitchBaseline", version: version(9), enabled }, now)

/** Reports that the weights of an entry are gone, by one of two keys in turn, until it is suspended. */
const suspend = (state: State, from: number, gone: string): number => {
  let at = from
  for (let n = 0; n < 100 && state.versions_by_id.get(gone)!.phase !== "suspended"; n++) {
    at += 31_000
    const key = `k${n % 2}`
    const [work] = step(state, { _tag: "LeaseWork", ...RUNNER, key, max: 1 }, at)
    if (work?.kind !== "match") continue
    const failed = { fault_reason: "weights_unavailable", version: gone, detail: "404" } as const
    if (work.versions.includes(gone)) step(state, { _tag: "ReportFault", key, lease: work.lease, ...failed }, at)
    else step(state, { _tag: "ReportMatch", key, lease: work.lease, outcome: outcome(work.versions.length) }, at)
  }
  return at
}

/** On a board of three: competitors, and a baseline in play, without which the finals' field is one short. */
const withBaseline = (competitors: number, played: 0 | 1, prepared: (state: State, now: number) => void) =>
  finals(competitors, [3], played, (state, now) => {
    step(state, submission(9, { owner: null }), now)
    playCandidates(state, now)
    switchBaseline(state, now, true)
    prepared(state, now)
  })

const playOn = (state: State, from: number): void => {
  for (let at = from; at < from + 200 && state.phase === "open"; at++) for (const work of lease(state, at)) finish(state, work, at)
}

const games = (state: State) => [...state.ladders.at(-1)!.ratings.values()].map(({ virtual_games }) => virtual_games)

describe("finals in which nobody can be paired any more", () => {
  for (const [what, entries, boards, does, undoes] of [
    [
      "because an account is suspended",
      2,
      [2],
      { _tag: "SwitchOwner", owner: owner(1), removed: true },
      { _tag: "SwitchOwner", owner: owner(1), removed: false }
    ],
    [
      "because an entry is disqualified",
      4,
      [4],
      { _tag: "Disqualify", version: version(1), reason: "r" },
      { _tag: "Reinstate", version: version(1) }
    ],
    [
      "because a board is off",
      3,
      [2, 4],
      { _tag: "SwitchBoard", board: "b0", enabled: false },
      { _tag: "SwitchBoard", board: "b0", enabled: true }
    ]
  ] as ReadonlyArray<readonly [string, number, ReadonlyArray<number>, Command, Command]>) {
    it(`${what} wait, and go on once that is undone`, () => {
      for (const played of [0, 1] as const) {
        const { at, state } = finals(entries, boards, played)
        step(state, does, at + 1)
        assert.deepStrictEqual(lease(state, at + 2), [])
        step(state, { _tag: "Tick" }, at + 3 * 86_400_000)
        assert.strictEqual(state.phase, "open")
        step(state, undoes, at + 3 * 86_400_000)
        playOn(state, at + 3 * 86_400_000)
        assert.strictEqual(state.phase, "closed")
        for (const virtual_games of games(state)) assert.isAtLeast(virtual_games, GAMES)
      }
    })
  }

  it("are closed as they are by an administrator", () => {
    const { at, state } = finals(2, [2], 1)
    step(state, { _tag: "SwitchOwner", owner: owner(1), removed: true }, at + 1)
    step(state, { _tag: "CloseSeason" }, at + 2)
    assert.strictEqual(state.phase, "closed")
  })

  it("do not wait for a baseline that was switched off: it joins no more", () => {
    const { at, state } = finals(1, [2], 1, (state, now) => {
      step(state, submission(2, { owner: null }), now)
      finish(state, lease(state, now)[0]!, now)
      step(state, { _tag: "SwitchBaseline", version: version(2), enabled: true }, now)
    })
    assert.strictEqual(state.phase, "open", model(2))
    step(state, { _tag: "SwitchBaseline", version: version(2), enabled: false }, at + 1)
    assert.strictEqual(state.phase, "closed")
  })

  for (const [what, competitors, weights_bytes] of [
    ["plays", 2, 500],
    ["plays in another class", 3, 2_000]
  ] as const) {
    it(`do not wait for a disqualified version while a newer one of its model ${what}`, () => {
      const { at, state } = withBaseline(competitors, 1, (before, now) => {
        disqualify(before, now, version(2))
        enter(before, now, 2, 2, weights_bytes)
      })
      switchBaseline(state, at + 1, false)
      playOn(state, at + 2)
      assert.strictEqual(state.phase, "closed")
    })
  }

  it("do not wait for a disqualified version while a newer one of its model is suspended", () => {
    const { at, state } = withBaseline(2, 0, (before, now) => {
      addBoard(before, "two", 2, now)
      disqualify(before, now, version(2))
      enter(before, now, 2, 2)
    })
    const suspended_at = suspend(state, at, version(2, 2))
    assert.strictEqual(state.phase, "open")
    switchBaseline(state, suspended_at, false)
    assert.strictEqual(state.phase, "closed")
  })

  it("count the disqualified versions of a model as one", () => {
    const { at, state } = withBaseline(2, 1, (before, now) => {
      disqualify(before, now, version(2))
      enter(before, now, 2, 2)
    })
    disqualify(state, at + 1, version(2, 2))
    assert.strictEqual(state.phase, "open", "the baseline and two models could play")
    switchBaseline(state, at + 2, false)
    assert.strictEqual(state.phase, "closed")
  })

  it("wait for a disqualified version where a newer one of its model never entered: that one is rejected", () => {
    const { at, state } = withBaseline(3, 1, (before, now) => {
      step(before, submission(2, { version: version(2, 2), number: 2, weights_hash: "2 2" }), now)
      step(before, { _tag: "SwitchOwner", owner: owner(2), removed: true }, now)
      playCandidates(before, now)
    })
    assert.strictEqual(state.versions_by_id.get(version(2, 2))!.status, "disqualified")
    switchBaseline(state, at + 1, false)
    assert.strictEqual(state.phase, "open")
    step(state, { _tag: "SwitchOwner", owner: owner(2), removed: false }, at + 2)
    playOn(state, at + 3)
    assert.strictEqual(state.phase, "closed")
    for (const { active, virtual_games } of state.ladders.at(-1)!.ratings.values()) if (active) assert.isAtLeast(virtual_games, GAMES)
  })

  it("do not wait for a ladder on which nobody could be paired when they began", () => {
    const alone = finals(4, [2, 4], 1, (state, now) => {
      step(state, submission(9, { files: { weights_bytes: 2_000, manifest_bytes: 100 } }), now) // alone in micro
      for (let at = now; state.testing > 0; at++) for (const work of lease(state, at)) finish(state, work, at)
    })
    playOn(alone.state, alone.at)
    assert.strictEqual(alone.state.phase, "closed")
    const few = finals(3, [2, 4], 0, (state, now) => step(state, { _tag: "SwitchBoard", board: "b0", enabled: false }, now))
    assert.strictEqual(few.state.phase, "closed", "their board was off before")
  })

  it("wait for a board that they can fill, where none was in play as they began and a larger one comes first", () => {
    const { at, state } = finals(3, [2, 4], 0, (state, now) => {
      for (const board of ["b0", "b1"]) step(state, { _tag: "SwitchBoard", board, enabled: false }, now)
    })
    step(state, { _tag: "SwitchBoard", board: "b1", enabled: true }, at + 1)
    assert.strictEqual(state.phase, "open")
    step(state, { _tag: "SwitchBoard", board: "b0", enabled: true }, at + 2)
    playOn(state, at + 3)
    assert.strictEqual(state.phase, "closed")
    for (const virtual_games of games(state)) assert.isAtLeast(virtual_games, GAMES)
  })
})
