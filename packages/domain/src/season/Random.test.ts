import { assert, describe, it } from "@effect/vitest"
import { chaCha20 } from "./ChaCha20.ts"
import { drawUint32, hashText } from "./Random.ts"
import { restore, type State, snapshot } from "./State.ts"
import { finish, lease, SEASON, season } from "./testing/testSeason.ts"

const MATCHES = 40

/** The seeds of the next matches of a season, in their order. */
const seedsOf = (state: State, from: number): ReadonlyArray<number> => {
  const seeds: Array<number> = []
  for (let now = from; seeds.length < MATCHES; now++) {
    for (const work of lease(state, now)) {
      if (work.kind === "match") seeds.push(work.seed)
      finish(state, work, now, now % 2)
    }
  }
  return seeds
}

/** How many of the seeds are among the numbers that follow the first one, for whoever knows the season's id. */
const foretoldOf = ([first, ...others]: ReadonlyArray<number>): number => {
  const source = { hash: hashText(SEASON), draws: 0 }
  while (source.draws < 10_000 && drawUint32(source) !== first);
  const coming = new Set(Array.from({ length: 10_000 }, () => drawUint32(source)))
  return others.filter((seed) => coming.has(seed)).length
}

const seedsBy = (secret: string | null) => {
  const { now, state } = season(4)
  state.secret = secret
  return seedsOf(state, now)
}

describe("the seeds of matches", () => {
  it("are foretold by nobody who does not know the season's secret", () => {
    assert.strictEqual(foretoldOf(seedsBy(null)), MATCHES - 1) // of a season that has none
    const seeds = seedsBy("5e".repeat(32))
    assert.strictEqual(foretoldOf(seeds), 0)
    assert.strictEqual(new Set(seeds).size, MATCHES)
    assert.deepStrictEqual(seedsBy("5e".repeat(32)), seeds)
    assert.notDeepEqual(seedsBy(`${"5e".repeat(31)}5f`), seeds)
  })

  it("are the same in a season that is restored from its rows", () => {
    const { now, state } = season(4)
    state.secret = "5e".repeat(32)
    const copy = restore(structuredClone(snapshot(state)))
    assert.deepStrictEqual(seedsOf(copy, now), seedsOf(state, now))
  })
})

it("ChaCha20 answers the vectors of RFC 8439, A.1", () => {
  const none = Array.from({ length: 8 }, () => 0)
  const words = [chaCha20(none, 0), chaCha20(none, 1), chaCha20([...none.slice(1), 0x01000000], 1)]
  assert.deepStrictEqual(words, [0xade0b876, 0xbee7079f, 0x2452eb3a])
})
