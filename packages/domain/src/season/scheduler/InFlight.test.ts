import { assert, describe, it } from "@effect/vitest"
import type { Work } from "../Command.ts"
import { draw, hashText, type Source } from "../Random.ts"
import { restore, type State, snapshot } from "../State.ts"
import { finish, lease, season } from "../testing/testSeason.ts"
import { committed } from "../Writes.ts"

interface Met {
  readonly others: ReadonlyMap<string, ReadonlySet<string>> // whom each entry has met on the ladder of the class
  readonly seated: number // most seats that were in play there at once
}

/** A fleet that takes all it is given. Matches end in any order. */
const play = (state: State, from: number, matches: number): Met => {
  const source: Source = { hash: hashText("ends"), draws: 0 }
  const others = new Map<string, Set<string>>()
  const open: Array<Work & { readonly kind: "match" }> = []
  let seated = 0
  for (let now = from; now < from + matches; now++) {
    for (const work of lease(state, now, 64)) if (work.kind === "match") open.push(work)
    const inPlay = open.filter(({ ladder }) => ladder === "nano").flatMap(({ versions }) => versions)
    seated = Math.max(seated, inPlay.length)
    const [work] = open.splice(Math.floor(draw(source) * open.length), 1)
    for (const one of work!.ladder === "nano" ? work!.versions : []) {
      others.set(one, new Set([...(others.get(one) ?? []), ...work!.versions.filter((other) => other !== one)]))
    }
    finish(state, work!, now, now % work!.versions.length)
    committed(state)
  }
  return { others, seated }
}

describe("the matches in flight of a ladder, however large the fleet,", () => {
  it("leave a third of the entries to choose from, so that entries do not meet the same seven all season", () => {
    const { now, state } = season(24, [8])
    const { others, seated } = play(state, now + 1, 400)
    assert.strictEqual(seated, 16)
    for (const met of others.values()) assert.isAtLeast(met.size, 16)
  })

  it("are one for six entries where a board has two or four seats, as many as they may be", () => {
    for (const seats of [2, 4]) {
      const { now, state } = season(24, [seats])
      assert.strictEqual(play(state, now + 1, 50).seated, 4 * seats)
    }
  })

  it("are one at least, with all entries in it", () => {
    const { now, state } = season(8, [8])
    assert.strictEqual(play(state, now + 1, 20).seated, 8)
  })

  it("are as many in a restored season", () => {
    const { now, state } = season(24, [8])
    lease(state, now + 1)
    const copy = restore(structuredClone(snapshot(state)))
    assert.deepStrictEqual(lease(copy, now + 2, 64), lease(state, now + 2, 64))
  })
})
