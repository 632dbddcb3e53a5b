import { assert, describe, it } from "@effect/vitest"
import { JUDGED_MATCHES_MIN, SHOWN_PAIRS_MAX } from "./chance.ts"
import { type OwnedSeat, type OwnerPair, OwnerPairs } from "./OwnerPairs.ts"
import { playSeason } from "./testing/playSeason.ts"

const seat = (owner: string | null, rank: number, mu = 0, sigma = 50): OwnedSeat => ({ owner, rank, mu, sigma })
const repeated = (n: number, ...seats: ReadonlyArray<OwnedSeat>) => {
  const pairs = new OwnerPairs()
  for (let i = 0; i < n; i++) pairs.add(seats)
  return pairs.judge()
}

/**
 * A season of owners with known strengths who meet at random, two or more at once. In a share of the matches
 * between owners 0 and 1 the first of them lets the second have the better of their two places.
 */
const season = (seed: number, { entries = 12, matches = 1_000, seats = 2, thrown = 0 }) => {
  const pairs = new OwnerPairs()
  playSeason(
    seed,
    { entries, matches, seats, spread: 200 },
    (did, sitting, random) => {
      const [giver, gainer] = [sitting.indexOf(0), sitting.indexOf(1)]
      if (giver >= 0 && gainer >= 0 && did[giver]! > did[gainer]! && random() < thrown)
        Object.assign(did, { [giver]: did[gainer], [gainer]: did[giver] })
    },
    (match) => pairs.add(match)
  )
  return pairs.judge()
}

const SEASONS = 200
const seasons = (options: Parameters<typeof season>[1]) => Array.from({ length: SEASONS }, (_, i) => season(i + 1, options))

describe("pairs of owners", () => {
  it("say who gained from whom, in how many matches, and how many points were expected", () => {
    const { judged, pairs } = repeated(20, seat("zoe", 1), seat("amy", 2, 120))
    assert.strictEqual(judged, 1)
    assert.lengthOf(pairs, 1)
    const { chance, expected_points, gainer, giver, matches, points, z } = pairs[0]!
    assert.deepStrictEqual([gainer, giver, matches, points], ["zoe", "amy", 20, 20])
    assert.closeTo(expected_points, 20 * 0.337, 0.1)
    assert.closeTo(z, (20 - expected_points) / Math.sqrt(expected_points * (1 - expected_points / 20)), 1e-9)
    assert.closeTo(chance, 2 * (expected_points / 20) ** 20, 1e-12)
  })

  it("have the chance that a sum over every outcome has", () => {
    const even = (wins: number, n: number) => {
      const pairs = new OwnerPairs()
      for (let i = 0; i < n; i++) pairs.add([seat("amy", i < wins ? 1 : 2), seat("bob", i < wins ? 2 : 1)])
      return pairs.judge().pairs[0]!.chance
    }
    const summed = (wins: number, n: number) => {
      let ways = [1]
      for (let i = 0; i < n; i++) ways = [...ways, 0].map((way, k) => way / 2 + (ways[k - 1] ?? 0) / 2)
      return 2 * ways.slice(wins).reduce((sum, way) => sum + way, 0)
    }
    for (const [wins, n] of [
      [9, 10],
      [11, 12],
      [26, 32],
      [47, 60],
      [400, 700]
    ] as const)
      assert.closeTo(even(wins, n) / summed(wins, n), 1, 1e-9, `${wins} of ${n}`)
  })

  it("are the same in whatever order the seats and the matches come", () => {
    const matches = Array.from({ length: 60 }, (_, n) => [
      seat("a", n % 7 === 0 ? 2 : 1, n),
      seat("b", n % 7 === 0 ? 1 : 2, 60 - n),
      seat("c", 3, -n)
    ])
    const judged = (log: ReadonlyArray<ReadonlyArray<OwnedSeat>>) => {
      const pairs = new OwnerPairs()
      for (const match of log) pairs.add(match)
      return pairs.judge().pairs.map(({ expected_points, ...pair }) => ({ ...pair, z: pair.z.toFixed(9), chance: pair.chance.toFixed(9) }))
    }
    assert.isNotEmpty(judged(matches))
    assert.deepStrictEqual(judged(matches.map((seats) => [...seats].reverse()).reverse()), judged(matches))
  })

  it("have no baselines, and nobody with themselves", () => {
    assert.strictEqual(repeated(30, seat("amy", 1), seat(null, 2)).judged, 0)
    assert.strictEqual(repeated(30, seat("amy", 1), seat("amy", 2)).judged, 0)
  })

  it("are judged from ten matches on, and a match with several seats of an owner is one score", () => {
    assert.strictEqual(repeated(JUDGED_MATCHES_MIN - 1, seat("amy", 1), seat("bob", 2)).judged, 0)
    const { judged, pairs } = repeated(JUDGED_MATCHES_MIN, seat("amy", 1), seat("bob", 2), seat("amy", 3), seat("bob", 4))
    assert.strictEqual(judged, 1)
    assert.deepStrictEqual(pairs, [], "amy had 3 of 4 points in each of ten matches")
  })

  it("of unequal strength are not shown for a few upsets, which a normal approximation would find", () => {
    const pairs = new OwnerPairs()
    for (let n = 0; n < 12; n++)
      for (let of = 0; of < 20; of++) {
        const upset = of === 0 ? n < 3 : n < 0
        pairs.add([seat(`weak ${of}`, upset ? 1 : 2, -300), seat(`strong ${of}`, upset ? 2 : 1, 300)])
      }
    assert.deepStrictEqual(pairs.judge().pairs, [], "4.1 deviations, with a chance of 0.7 % for a pair")
  })

  it("are forgotten, those with the fewest matches first, where there are too many, and counted among those that were judged", () => {
    const pairs = new OwnerPairs(10)
    for (let n = 0; n < 40; n++) pairs.add([seat("amy", 1), seat("bob", 2)])
    for (let n = 0; n < 500; n++) pairs.add([seat(`x ${n}`, 1), seat("bob", 2)])
    const { judged, pairs: shown } = pairs.judge()
    assert.strictEqual(judged, 1)
    assert.deepStrictEqual(
      shown.map(({ gainer, matches }) => [gainer, matches]),
      [["amy", 40]]
    )
    for (let n = 0; n < 40; n++) for (let m = 0; m < JUDGED_MATCHES_MIN; m++) pairs.add([seat(`y ${n}`, 1), seat("bob", 2)])
    assert.isAbove(pairs.judge().judged, 30, "those that were forgotten are paid for")
  })

  it("are shown up to a number, the least likely first", () => {
    const pairs = new OwnerPairs()
    for (let pair = 0; pair < 100; pair++)
      for (let n = 0; n < 200; n++)
        pairs.add([seat(`a ${pair}`, pair < 40 ? 1 : 1 + (n % 2)), seat(`b ${pair}`, pair < 40 ? 2 : 2 - (n % 2))])
    const { pairs: shown } = pairs.judge()
    assert.lengthOf(shown, SHOWN_PAIRS_MAX)
    assert.deepStrictEqual(
      shown.map(({ chance }) => chance),
      shown.map(({ chance }) => chance).sort((a, b) => a - b)
    )
  })

  for (const seats of [2, 4])
    it(`of ${seats} seats are shown in at most one of twenty seasons where nobody colludes`, () => {
      const shown = seasons({ seats }).filter(({ pairs }) => pairs.length > 0).length
      assert.isAtMost(shown, SEASONS / 20)
    })

  for (const [what, options] of [
    ["in every match of 45", { matches: 3_000, thrown: 1 }],
    ["in every second match of 180", { entries: 6, matches: 2_700, thrown: 0.5 }]
  ] as const)
    it(`are found where one gives way to the other ${what}, and hardly a pair of others is`, () => {
      const shown = Array.from({ length: 40 }, (_, i) => season(i + 1, options).pairs)
      const isTheirs = ({ gainer, giver }: OwnerPair) => gainer === "owner 1" && giver === "owner 0"
      assert.isAtLeast(shown.filter((pairs) => pairs.some(isTheirs)).length, 38)
      const hasOne = ({ gainer, giver }: OwnerPair) => [gainer, giver].some((owner) => owner === "owner 0" || owner === "owner 1")
      assert.isAtMost(shown.filter((pairs) => !pairs.every(hasOne)).length, 2)
    })
})
