import { assert, describe, it } from "@effect/vitest"
import type { Command } from "../Command.ts"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { finish, lease, model, owner, season, submission, version } from "../testing/testSeason.ts"

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
