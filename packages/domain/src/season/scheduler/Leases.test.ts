import { assert, it } from "@effect/vitest"
import { step } from "../Season.ts"
import { restore, type State, snapshot } from "../State.ts"
import { finish, lease, OPENED, RUNNER, season, submission } from "../testing/testSeason.ts"
import { mayGiveWork } from "./Leases.ts"

/** The work that a runner would be given; the state stays as it was. */
const offered = (state: State, now: number) => lease(restore(structuredClone(snapshot(state))), now)

it("a season says that it may give work whenever it would, and that it gives none while its ladders have all their matches in play", () => {
  const { now: entered, state } = season(13)
  let now = entered
  const seen = { none: 0, some: 0 }
  const look = () => {
    const may = mayGiveWork(state)
    if (offered(state, now).length > 0) assert.isTrue(may)
    seen[may ? "some" : "none"]++
  }
  for (let n = 0; n < 40; n++) {
    const works = [...lease(state, ++now, 1 + (n % 4)), ...lease(state, now, 9)]
    assert.isNotEmpty(works)
    assert.isFalse(mayGiveWork(state), "all was taken")
    look()
    for (const work of works) {
      if (n % 5 === 0) step(state, { _tag: "Release", key: RUNNER.key, lease: work.lease }, ++now)
      else finish(state, work, ++now)
      assert.isTrue(mayGiveWork(state))
      look()
    }
  }
  assert.isAbove(seen.none, 9)
  assert.isAbove(seen.some, 9)
})

it("a match that was given back is work where no entry is free for another", () => {
  const { now, state } = season(2)
  const [work] = lease(state, now + 1, 9)
  assert.isFalse(mayGiveWork(state))
  step(state, { _tag: "Release", key: RUNNER.key, lease: work!.lease }, now + 2)
  assert.isTrue(mayGiveWork(state))
})

it("a candidate that waits for its review or its trial is work, and a season that closes has none", () => {
  const { state } = season(0)
  assert.isFalse(mayGiveWork(state))
  step(state, submission(1), OPENED + 1)
  assert.isTrue(mayGiveWork(state))
  const [review] = lease(state, OPENED + 2)
  assert.isFalse(mayGiveWork(state))
  finish(state, review!, OPENED + 3)
  assert.isTrue(mayGiveWork(state))
  step(state, { _tag: "CloseSeason" }, OPENED + 4)
  assert.isFalse(mayGiveWork(state))
})
