import { assert, describe, it } from "@effect/vitest"
import { Companions } from "./Companions.ts"
import { JUDGED_MATCHES_MIN, SHOWN_PAIRS_MAX } from "./chance.ts"
import type { OwnedSeat } from "./OwnerPairs.ts"
import { playSeason } from "./testing/playSeason.ts"

const seat = (owner: string | null, rank: number, mu = 0): OwnedSeat => ({ owner, rank, mu, sigma: 50 })

/** `beside` matches of zoe beside amy, in which zoe comes last, and `apart` without amy, in which zoe comes first as often as last. */
const hindered = (beside: number, apart: number) => {
  const companions = new Companions()
  for (let n = 0; n < beside; n++)
    companions.add([seat("zoe", 4), seat("amy", 1 + (n % 3)), seat(null, 1 + ((n + 1) % 3)), seat("bob", 1 + ((n + 2) % 3))])
  for (let n = 0; n < apart; n++) companions.add([seat("zoe", n % 2 === 0 ? 1 : 3), seat(null, 2), seat("bob", n % 2 === 0 ? 3 : 1)])
  return companions.judge()
}

/**
 * A season of owners of known strengths who meet at random. In a share of the matches of owners 0 and 1 the second
 * of them is put last (`hinders`) or first (`helps`).
 */
const season = (seed: number, { entries = 16, matches = 1_200, plot = "hinders", seats = 4, share = 0, spread = 200 }) => {
  const companions = new Companions()
  playSeason(
    seed,
    { entries, matches, seats, spread },
    (did, sitting, random) => {
      const victim = sitting.indexOf(1)
      if (victim >= 0 && sitting.includes(0) && random() < share) did[victim] = plot === "hinders" ? -Infinity : Infinity
    },
    (match) => companions.add(match)
  )
  return companions.judge()
}
const SEASONS = 100
const seasons = (options: Parameters<typeof season>[1]) => Array.from({ length: SEASONS }, (_, i) => season(i + 1, options))
const shareOf = <A>(of: ReadonlyArray<A>, is: (one: A) => boolean) => of.filter(is).length / of.length

describe("companions", () => {
  it("say beside whom an owner was better than how many of the others, and how many were to be expected", () => {
    const { judged, pairs } = hindered(30, 60)
    assert.strictEqual(judged, 2) // zoe beside amy, and bob; the others sat together in all matches of one of them
    const [found] = pairs
    assert.deepInclude(found, { owner: "zoe", companion: "amy", matches: 30, points: 0 })
    assert.closeTo(found!.expected_points, 15, 1e-9)
    assert.isBelow(found!.z, -5)
    // A mean of two comparisons of equals varies by 1/6: they agree in a third of the orders on a win. Half as much comes from the 60 without amy.
    assert.closeTo(found!.z, -15 / Math.sqrt(30 * (1 / 6 + 1 / 12)), 1e-9)
    assert.isBelow(found!.chance, 1e-4)
  })

  it("are compared with the owner's matches without them: who always loses is hindered by nobody", () => {
    const companions = new Companions()
    for (let n = 0; n < 60; n++) companions.add([seat("zoe", 3), seat("amy", 1 + (n % 2)), seat("bob", 2 - (n % 2))])
    for (let n = 0; n < 60; n++) companions.add([seat("zoe", 3), seat("eve", 1 + (n % 2)), seat("bob", 2 - (n % 2))])
    assert.notInclude(
      companions.judge().pairs.map(({ owner }) => owner),
      "zoe"
    )
  })

  it("are judged from ten matches with and ten without on, and have no chance above one", () => {
    const least = JUDGED_MATCHES_MIN
    const ofZoe = ({ pairs }: ReturnType<typeof hindered>) => pairs.filter(({ companion, owner }) => owner === "zoe" && companion === "amy")
    assert.lengthOf(ofZoe(hindered(least, 200)), 1)
    assert.lengthOf(ofZoe(hindered(least - 1, 200)), 0)
    assert.lengthOf(ofZoe(hindered(200, least - 1)), 0)
    for (const { chance } of hindered(60, 60).pairs) assert.isTrue(chance >= 0 && chance <= 1)
  })

  it("are nobody in matches of two, nor of baselines, nor an owner with two seats", () => {
    const companions = new Companions()
    for (let n = 0; n < 40; n++) {
      companions.add([seat("zoe", 2), seat("amy", 1)])
      companions.add([seat("zoe", 3), seat(null, 1), seat(null, 2)])
      companions.add([seat("bob", 4), seat("bob", 3), seat("eve", 1), seat(null, 2)])
    }
    assert.deepStrictEqual(companions.judge(), { judged: 0, pairs: [] })
  })

  it("are found where one hinders or helps another in each of their matches, and told apart", () => {
    for (const plot of ["hinders", "helps"]) {
      const found = shareOf(seasons({ plot, share: 1 }), ({ pairs: [first] }) => {
        const sign = plot === "hinders" ? -1 : 1
        return first?.owner === "owner 1" && first.companion === "owner 0" && sign * first.z > 0
      })
      assert.isAtLeast(found, 0.9, plot)
    }
  })

  it("are listed in few seasons where nobody colludes, however far strengths lie apart and however many seats there are", () => {
    for (const options of [{}, { seats: 3 }, { seats: 8 }, { spread: 400 }, { entries: 40 }]) {
      const listed = shareOf(seasons(options), ({ pairs }) => pairs.length > 0)
      assert.isAtMost(listed, 0.05, JSON.stringify(options))
    }
  })

  it("are twenty at the most, the least likely first, the same in whatever order matches come", () => {
    const matches = Array.from({ length: 3_000 }, (_, n) => {
      const owner = `o${n % 30}`
      return n % 2 === 0 ? [seat(owner, 3), seat("king", 2), seat(null, 1)] : [seat(owner, 1), seat(null, 2), seat(null, 3)]
    })
    const judged = (of: typeof matches) => {
      const companions = new Companions()
      for (const match of of) companions.add(match)
      return companions.judge()
    }
    const { pairs } = judged(matches.map((match, n) => (n % 4 < 2 ? match : matches[(n + 31) % 3_000]!)))
    assert.isAtMost(pairs.length, SHOWN_PAIRS_MAX)
    assert.deepStrictEqual(
      pairs.map(({ chance }) => chance),
      pairs.map(({ chance }) => chance).toSorted((a, b) => a - b)
    )
    assert.deepStrictEqual(judged(matches), judged(matches.toReversed()))
  })
})
