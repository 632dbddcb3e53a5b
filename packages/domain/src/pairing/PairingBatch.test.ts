import { assert, describe, it } from "@effect/vitest"
import { type Entrant, groupsOf, shuffled } from "./PairingBatch.ts"

const lots = (seed: number) => () => {
  seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
  return ((seed ^ (seed >>> 13)) >>> 0) / 4294967296
}
interface Entry extends Entrant {
  readonly owner: string
}
const entry = (ord: number, over: Partial<Entry> = {}): Entry => ({ ord, mu: 0, sigma: 100, met: [], owner: `owner-${ord}`, ...over })
const field = (n: number, over: (ord: number) => Partial<Entry> = () => ({})) =>
  Array.from({ length: n }, (_, ord) => entry(ord, over(ord)))
const grouped = (entries: ReadonlyArray<Entry>, seats: number, seed: number) => groupsOf(entries, seats, ({ owner }) => owner, lots(seed))
const ords = (groups: ReadonlyArray<ReadonlyArray<Entry>>) => groups.map((group) => group.map(({ ord }) => ord).sort((a, b) => a - b))
const seeds = Array.from({ length: 100 }, (_, i) => i + 1)

describe("a pairing batch", () => {
  it("pairs neighbours in strength where strength is known", () => {
    for (const seed of seeds) {
      const pairs = ords(
        grouped(
          shuffled(
            field(20, (ord) => ({ mu: 100 * ord, sigma: 1 })),
            lots(seed)
          ),
          2,
          seed
        )
      )
      assert.strictEqual(pairs.length, 10)
      for (const [a, b] of pairs) assert.strictEqual(b! - a!, 1, `seed ${seed}`)
    }
  })
  it("spreads strength by a quarter of its deviation: entries unsure by 100 meet others than their neighbours in mean", () => {
    const widths = seeds.flatMap((seed) =>
      ords(
        grouped(
          field(20, (ord) => ({ mu: 10 * ord, sigma: 100 })),
          2,
          seed
        )
      ).map(([a, b]) => b! - a!)
    )
    const mean = widths.reduce((sum, width) => sum + width, 0) / widths.length
    assert.isAbove(mean, 2)
    assert.isBelow(mean, 4.5)
  })
  it("prefers, among the next six, whom an entry has not met", () => {
    for (const seed of seeds) {
      const met = (ord: number) => [ord ^ 1] // each has met its neighbour
      const pairs = ords(
        grouped(
          field(12, (ord) => ({ mu: 100 * ord, sigma: 1, met: met(ord) })),
          2,
          seed
        )
      )
      for (const [a, b] of pairs) {
        assert.notStrictEqual(a! ^ 1, b!, `seed ${seed}`)
        assert.isAtMost(b! - a!, 6)
      }
    }
  })
  it("re-matches two neighbouring pairs where the last of them had met", () => {
    // 2 and 3 have met, and are what is left once 0 and 1 are paired.
    const entries = field(4, (ord) => ({ mu: 100 * ord, sigma: 0, met: ord >= 2 ? [ord ^ 1] : [] }))
    for (const seed of seeds) for (const pair of ords(grouped(entries, 2, seed))) assert.notDeepEqual(pair, [2, 3], `seed ${seed}`)
  })
  it("repeats a meeting sooner than it lets an entry go without a match", () => {
    const entries = field(2, (ord) => ({ met: [1 - ord, 1 - ord, 1 - ord] }))
    assert.deepStrictEqual(ords(grouped(entries, 2, 1)), [[0, 1]])
  })
  it("never seats anybody twice, and leaves over fewer than a match seats", () => {
    for (const seats of [2, 3, 4, 8])
      for (const seed of seeds) {
        const draw = lots(seed)
        const n = seats + Math.floor(57 * draw())
        const entries = field(n, () => ({ mu: 400 * draw(), met: Array.from({ length: 12 }, () => Math.floor(draw() * n)) }))
        const groups = grouped(entries, seats, seed)
        const seated = ords(groups).flat()
        assert.strictEqual(new Set(seated).size, seated.length, `seed ${seed}`)
        assert.strictEqual(groups.length, Math.floor(n / seats))
        for (const group of groups) assert.strictEqual(group.length, seats)
      }
  })
  it("keeps entries of one owner apart in pairs, whatever that costs in strength", () => {
    for (const seed of seeds) {
      const draw = lots(seed)
      const entries = field(30, (ord) => ({ mu: 300 * draw(), owner: `owner-${ord % 5}` }))
      for (const [a, b] of grouped(entries, 2, seed)) assert.notStrictEqual(a!.owner, b!.owner, `seed ${seed}`)
    }
  })
  it("pairs everybody where each of five owners has a fifth of the field", () => {
    for (const seed of seeds) {
      const draw = lots(seed)
      const entries = field(30, (ord) => ({ mu: 300 * draw(), owner: `owner-${ord % 5}` }))
      assert.isAtLeast(grouped(entries, 2, seed).length, 15, `seed ${seed}`)
    }
  })
  it("does not trade a repeated meeting for a match within one owner", () => {
    // 0 and 1 have met, 2 and 3 too; crossing over would seat 0 with 2, both of one owner, or 1 with 2.
    const owners = ["a", "b", "a", "b"]
    const entries = field(4, (ord) => ({ mu: 100 * ord, sigma: 0, owner: owners[ord]!, met: [0, 1, 2, 3] }))
    for (const seed of seeds) assert.strictEqual(grouped(entries, 2, seed).length, 2, `seed ${seed}`)
    const forced = field(4, (ord) => ({ mu: 100 * ord, sigma: 0, owner: owners[ord]!, met: [ord ^ 1, ord ^ 3] }))
    for (const seed of seeds) assert.strictEqual(grouped(forced, 2, seed).length, 2, `seed ${seed}`)
  })
  it("lets now the strongest and now the weakest go without a match where one must", () => {
    const left = seeds.map((seed) => {
      const seated = new Set(
        ords(
          grouped(
            field(21, (ord) => ({ mu: 100 * ord, sigma: 1 })),
            2,
            seed
          )
        ).flat()
      )
      return Array.from({ length: 21 }, (_, ord) => ord).find((ord) => !seated.has(ord))!
    })
    assert.isAbove(left.filter((ord) => ord === 0).length, 30)
    assert.isAbove(left.filter((ord) => ord === 20).length, 30)
  })
  it("keeps them apart in larger matches while there are strangers enough", () => {
    for (const seed of seeds) {
      const entries = field(32, (ord) => ({ mu: 10 * ord, owner: `owner-${ord % 8}` }))
      const first = grouped(entries, 4, seed)
      const mixed = first.filter((group) => new Set(group.map(({ owner }) => owner)).size === 4)
      assert.isAtLeast(mixed.length, 6, `seed ${seed}`)
    }
  })
  it("seats in larger matches whom an entry has met least, of twice as many neighbours as it needs", () => {
    for (const seats of [3, 4, 8])
      for (const seed of seeds) {
        const first = (ord: number) => ord - (ord % seats) // the neighbours that sat together before
        const met = (ord: number) => Array.from({ length: seats }, (_, i) => first(ord) + i).filter((each) => each !== ord)
        const groups = ords(
          grouped(
            field(5 * seats, (ord) => ({ mu: 100 * ord, sigma: 1, met: met(ord) })),
            seats,
            seed
          )
        )
        const pairs = groups.flatMap((group) => group.flatMap((one, i) => group.slice(i + 1).map((other) => [one, other] as const)))
        const repeated = pairs.filter(([one, other]) => first(one) === first(other))
        assert.isBelow(repeated.length, pairs.length / 2, `${seats} seats, seed ${seed}`)
      }
  })
  it("makes no match of one owner alone", () => {
    for (const seats of [2, 4]) {
      assert.deepStrictEqual(
        grouped(
          field(8, () => ({ owner: "one" })),
          seats,
          1
        ),
        []
      )
    }
    const two = field(8, (ord) => ({ owner: ord === 0 ? "other" : "one" }))
    assert.strictEqual(grouped(two, 2, 1).length, 1)
  })
  it("gives the top no earlier match than the bottom", () => {
    const first = seeds.map((seed) =>
      Math.min(
        ...ords(
          grouped(
            field(40, (ord) => ({ mu: 100 * ord, sigma: 1 })),
            2,
            seed
          )
        )[0]!
      )
    )
    const mean = first.reduce((sum, ord) => sum + ord, 0) / first.length
    assert.isAbove(mean, 14)
    assert.isBelow(mean, 26)
  })
  it("is the same for the same draws, and leaves its entries as they were", () => {
    const entries = field(30, (ord) => ({ mu: ord, met: [ord % 7] }))
    const before = structuredClone(entries)
    assert.deepStrictEqual(ords(grouped(entries, 2, 5)), ords(grouped(entries, 2, 5)))
    assert.notDeepEqual(ords(grouped(entries, 2, 5)), ords(grouped(entries, 2, 6)))
    assert.deepStrictEqual(entries, before)
  })
})

describe("a shuffle", () => {
  it("puts everybody everywhere equally often", () => {
    const counts = [0, 1, 2, 3].map(() => [0, 0, 0, 0])
    const draw = lots(3)
    for (let i = 0; i < 8_000; i++) shuffled([0, 1, 2, 3], draw).forEach((item, at) => counts[item]![at]!++)
    for (const row of counts) for (const count of row) assert.closeTo(count, 2_000, 200)
  })
})
