import { assert, describe, it } from "@effect/vitest"
import { Fairness, GAP_MAX, HOME_LEAD, QUIET_LEASES, SEASONS_MAX, TOLD_LEAD_MAX } from "./Fairness.ts"

const seasons = ["a", "b", "c"].map((id) => ({ id }))

/** Serves the first in order that has work; answers how often each was served. */
const serve = (fairness: Fairness, times: number, has: (id: string, turn: number) => boolean) => {
  const served = new Map(seasons.map(({ id }) => [id, 0]))
  for (let turn = 0; turn < times; turn++) {
    for (const { id } of fairness.order(seasons)) {
      if (!has(id, turn)) {
        fairness.idle(id)
        continue
      }
      fairness.served(id, 1)
      served.set(id, served.get(id)! + 1)
      break
    }
  }
  return served
}

describe("Fairness", () => {
  it("serves seasons with work alike", () => {
    assert.deepStrictEqual([...serve(new Fairness(), 300, () => true).values()], [100, 100, 100])
  })
  it("gives nobody twice another's share while both have work", () => {
    const served = serve(new Fairness(), 1_000, (id, turn) => id !== "c" || turn % 3 === 0)
    assert.isBelow(served.get("a")! / served.get("b")!, 1.1)
  })
  it("lets a season that had nothing to do save nothing up", () => {
    const fairness = new Fairness()
    serve(fairness, 100, (id) => id !== "c")
    const after = serve(fairness, 30, () => true)
    assert.isAtMost(after.get("c")!, 12)
    assert.isAtLeast(after.get("c")!, 9)
  })
  it("forgets seasons that were asked longest ago, and lets them resume as new ones", () => {
    const fairness = new Fairness()
    fairness.served("old", 1_000)
    const first = () => fairness.order([{ id: "other 0" }, { id: "old" }])[0]!.id
    fairness.served("other 0", 1)
    assert.strictEqual(first(), "other 0")
    for (let n = 1; n <= SEASONS_MAX; n++) fairness.served(`other ${n}`, 1)
    fairness.served("other 0", 1)
    assert.strictEqual(first(), "old")
  })
  it("serves thousands of seasons in turn", () => {
    const fairness = new Fairness()
    const many = Array.from({ length: 6_000 }, (_, n) => ({ id: String(n) }))
    const served = new Set<string>()
    for (let turn = 0; turn < 12; turn++)
      for (const { id } of fairness.order(many).slice(0, 500)) {
        fairness.served(id, 1)
        served.add(id)
      }
    assert.strictEqual(served.size, many.length)
  })
  it("gives each season with work its share of the room, and those without leave theirs to the others", () => {
    const fairness = new Fairness()
    assert.strictEqual(fairness.share(seasons, 6), 2)
    fairness.idle("c")
    assert.strictEqual(fairness.share(seasons, 6), 3)
    for (const { id } of seasons) fairness.idle(id)
    assert.strictEqual(fairness.share(seasons, 6), 6)
    fairness.served("a", 1)
    fairness.served("b", 1)
    assert.deepStrictEqual([fairness.share(seasons, 7), fairness.share(seasons, 1)], [4, 1])
  })
  it("asks the seasons of its node first, until they are ahead of the others by their lead", () => {
    const fairness = new Fairness()
    const isHome = (id: string) => id === "b"
    const first = () => fairness.order(seasons, isHome)[0]!.id
    const given: Array<string> = []
    for (let n = 0; n < HOME_LEAD + 6; n++) {
      given.push(first())
      fairness.served(given.at(-1)!, 1)
    }
    assert.deepStrictEqual(
      given.slice(0, HOME_LEAD),
      Array.from({ length: HOME_LEAD }, () => "b")
    )
    assert.sameMembers(given.slice(HOME_LEAD), ["a", "b", "c", "a", "b", "c"])
  })
  it("asks a season that is told results first in a busy fleet, until it is ahead by what makes the fleet busy", () => {
    const fairness = new Fairness()
    const streak = (most: number) => {
      let n = 0
      while (n < most && fairness.order(seasons, undefined, (id) => id === "c")[0]!.id === "c") {
        fairness.served("c", 1)
        n++
      }
      return n
    }
    assert.isAtMost(streak(9), 1, "none were given yet")
    fairness.second()
    const give = (leases: number) => {
      for (let n = 0; n < leases; n++) fairness.served(fairness.order(seasons)[0]!.id, 1)
      fairness.second()
    }
    give(QUIET_LEASES)
    assert.isAtMost(streak(9), 1, "few were given")
    give(QUIET_LEASES + 30)
    assert.approximately(streak(99), 30, 2)
    fairness.served("a", TOLD_LEAD_MAX * 2)
    fairness.second()
    const before = fairness.order(seasons)[0]!.id
    assert.notStrictEqual(before, "a")
    assert.approximately(streak(999), TOLD_LEAD_MAX, 32)
  })
  it("lets a lead end in the course of seconds once the fleet is less busy, so that those behind do not catch up all at once", () => {
    for (const stays of [true, false]) {
      const fairness = new Fairness()
      const isHome = (id: string) => stays && id === "a"
      const streak = () => {
        let n = 0
        while (n < 999 && fairness.order(seasons, isHome, (id) => !stays && id === "a")[0]!.id === "a") {
          fairness.served("a", 1)
          n++
        }
        for (const id of ["b", "c"]) fairness.served(id, n)
        return n
      }
      fairness.served("a", QUIET_LEASES + 100)
      for (const id of ["b", "c"]) fairness.served(id, QUIET_LEASES + 100)
      fairness.came(stays)
      fairness.second()
      const full = streak()
      assert.isAbove(full, 100)
      for (let n = 0; n < 3; n++) fairness.second() // the first of them with the leases of the streak
      assert.isAbove(streak(), full * 0.6)
      for (let n = 0; n < 60; n++) fairness.second()
      assert.isAtMost(streak(), HOME_LEAD + 1)
    }
  })
  it("lets no season starve for what only it could use: runners of its engine alone, or those of a node that is gone", () => {
    const fairness = new Fairness()
    const given = new Map(seasons.map(({ id }) => [id, 0]))
    const give = () => {
      const { id } = fairness.order(seasons, (id) => id === "b")[0]!
      fairness.served(id, 1)
      given.set(id, given.get(id)! + 1)
    }
    for (let second = 0; second < 1_000; second++) {
      fairness.served("a", 500)
      for (let n = 0; n < 10; n++) give()
      fairness.narrow()
    }
    assert.strictEqual(given.get("a"), 0, "it has more than its share of what all can use")
    assert.isAtMost(Math.abs(given.get("b")! - given.get("c")!), HOME_LEAD)
    fairness.served("a", 1e9)
    fairness.narrow()
    for (let n = 0; n < 2 * GAP_MAX + 3 * HOME_LEAD; n++) give()
    assert.isAbove(given.get("a")!, 0)
    for (const id of given.keys()) given.set(id, 0)
    for (let n = 0; n < 300; n++) give()
    for (const times of given.values()) assert.approximately(times, 100, 1)
  })
})
