import { assert, describe, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { addBoard, empty, finish, lease, model, OPENED, owner, submission, version } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

const LARGE = { weights_bytes: 500_000, manifest_bytes: 100 } // of class open: the season has one ladder
const SMALL = { weights_bytes: 500, manifest_bytes: 100 }

/** Plays on, one match at a time, until there is none or so many were played; answers the versions of each. */
const play = (state: State, from: number, matches = Infinity): ReadonlyArray<ReadonlyArray<string>> => {
  const played: Array<ReadonlyArray<string>> = []
  for (let now = from; played.length < matches; now++) {
    const [work] = lease(state, now)
    if (work === undefined) break
    if (work.kind === "match" && work.ladder !== null) played.push(work.versions)
    finish(state, work, now, now % 2)
    committed(state)
  }
  return played
}

/** A round of eight entries, each with one model. */
const round = (games: number) => {
  const state = empty({ trial: { matches: 1 } })
  addBoard(state, "pair", 2, OPENED)
  step(state, { _tag: "PlanRound", kind: "round", games, starts_at: OPENED + 1_000 }, OPENED)
  for (let n = 1; n <= 8; n++) {
    step(state, submission(n, { files: LARGE }), OPENED)
    for (const _ of ["review", "trial"]) finish(state, lease(state, OPENED)[0]!, OPENED)
  }
  return { state, now: OPENED + 1_000 }
}

/** The first competitor's next version; answers its id. */
const replace = (state: State, number: number, now: number, files = LARGE): string => {
  const id = version(1, number)
  const hash = `sha256:${id}`
  step(state, submission(1, { version: id, model: model(1), owner: owner(1), number, weights_hash: hash, files }), now)
  for (const _ of ["review", "trial"]) finish(state, lease(state, now)[0]!, now)
  assert.strictEqual(state.versions_by_id.get(id)?.status, "entered")
  return id
}

const gamesOf = (state: State, name = "open") => {
  const { ratings } = state.ladders.find(({ ladder }) => ladder === name)!
  return new Map([...ratings.values()].map((rating) => [rating.version, rating.virtual_games]))
}

describe("a version that enters during a round", () => {
  it("comes no sooner to its games than the version that it replaces would have, and gets them all", () => {
    const { now, state } = round(20)
    play(state, now, 40)
    const id = replace(state, 2, now + 100)
    const next = play(state, now + 200, 32).filter((versions) => versions.includes(id))
    assert.isAtMost(next.length, 10, "the others had had ten games each, and have eight more")
    assert.isAtLeast(next.length, 7)
    play(state, now + 300)
    for (const [version, games] of gamesOf(state)) assert.isAtLeast(games, 20, version)
  })

  it("keeps nobody from theirs, however often it is replaced", () => {
    const { now, state } = round(40)
    for (let n = 0; n < 16; n++) {
      play(state, now + n * 1_000, 8)
      replace(state, n + 2, now + n * 1_000 + 500)
    }
    const others = [...gamesOf(state)].filter(([id]) => state.versions_by_id.get(id)?.owner !== owner(1))
    for (const [id, games] of others) assert.isAtLeast(games, 30, id)
  })

  it("does not come sooner by way of another class", () => {
    const { now, state } = round(20)
    play(state, now, 40)
    step(state, submission(9, { files: SMALL }), now + 100)
    for (const _ of ["review", "trial"]) finish(state, lease(state, now + 100)[0]!, now + 100)
    const id = replace(state, 2, now + 200, SMALL)
    const { ratings } = state.ladders.find(({ ladder }) => ladder === "nano")!
    assert.deepInclude(ratings.get(id), { virtual_games: 0, failed: 10 })
  })

  it("does not make up for what others have played beyond their games", () => {
    const { now, state } = round(10)
    step(state, { _tag: "EditSettings", scheduledOnly: false, settings: { fill: { enabled: true, max_per_hour: null } } }, now)
    play(state, now, 400)
    step(state, submission(9, { files: LARGE }), now + 1_000)
    for (const _ of ["review", "trial"]) finish(state, lease(state, now + 1_000)[0]!, now + 1_000)
    const next = play(state, now + 2_000, 90).filter((versions) => versions.includes(version(9)))
    assert.isAtLeast(next.length, 10, "its games, first")
    assert.isAtMost(next.length, 32, "and its share")
  })

  it("stands where it stood in a restored season", () => {
    const { now, state } = round(20)
    play(state, now, 40)
    replace(state, 2, now + 100)
    const copy = restore(structuredClone(snapshot(state)))
    assert.deepStrictEqual(play(copy, now + 200), play(state, now + 200))
  })
})
