import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Asked, type Counted, KeptRivals, type RivalStore, SEATS_MAX, type Stored, VERSIONS_MAX } from "./KeptRivals.ts"

interface Seat {
  readonly at: number
  readonly rival: string
}

/** A version's seats, as the statement counts them. */
const makeSeason = (seats: Array<Seat>) => {
  const season = { seats, voided: 0, counted: [] as Array<number> }
  const count = (from: Date, most: number) =>
    Effect.sync((): Counted => {
      const next = season.seats
        .filter(({ at }) => at >= from.getTime())
        .toSorted((a, b) => a.at - b.at)
        .slice(0, most)
      const last = next.at(-1)?.at
      season.counted.push(next.length)
      const rivals = next.map(({ at, rival }) => ({
        ...{ model_id: rival, newest: at === last, played: 1, wins: 1, draws: 0, losses: 0 },
        last_ms: at
      }))
      return { seats: next.length, last: last === undefined ? null : new Date(last), voided: season.voided, rivals }
    })
  return { season, count }
}

/** A store that outlives a process, with its contents copied on saving. */
const makeStore = () => {
  const saved = new Map<string, Stored>()
  const store: RivalStore = {
    load: (versions) =>
      Effect.sync(() => new Map(versions.flatMap((version) => (saved.has(version) ? [[version, saved.get(version)!]] : [])))),
    save: (version, stored) => Effect.sync(() => void saved.set(version, { ...stored, tallies: new Map(stored.tallies) }))
  }
  return { saved, store }
}

type CountOne = (from: Date, seats: number) => Effect.Effect<Counted>

const readOne = (kept: KeptRivals, version: string, count: CountOne) =>
  Effect.map(
    kept.read([version], ([asked]) => Effect.map(count(asked!.from, asked!.seats), (counted) => new Map([[version, counted]]))),
    (all) => all.get(version)!
  )

const playedOf = (tallies: ReadonlyMap<string, { readonly played: number }>) =>
  Object.fromEntries([...tallies].map(([rival, { played }]) => [rival, played]).toSorted())

describe("kept rivals", () => {
  it.effect("are counted once, a statement's worth at a time, and from then on by what came since", () =>
    Effect.gen(function* () {
      const { count, season } = makeSeason(Array.from({ length: 10_000 }, (_, i) => ({ at: i >> 1, rival: `r${i % 3}` })))
      const kept = new KeptRivals(makeStore().store)
      const read = Effect.map(readOne(kept, "v", count), playedOf)
      assert.deepStrictEqual(yield* read, { r0: 3334, r1: 3333, r2: 3333 })
      assert.isAtMost(Math.max(...season.counted), SEATS_MAX)
      season.counted.length = 0
      season.seats.push({ at: 4_999, rival: "r0" }, { at: 5_000, rival: "new" }) // one more in the last instant, one after it
      assert.deepStrictEqual(yield* read, { new: 1, r0: 3335, r1: 3333, r2: 3333 })
      assert.deepStrictEqual(season.counted, [4])
      assert.deepStrictEqual(yield* read, { new: 1, r0: 3335, r1: 3333, r2: 3333 })
    })
  )

  it.effect("are right for those who read at the same time, and for more in one instant than a statement takes", () =>
    Effect.gen(function* () {
      const { count } = makeSeason(Array.from({ length: 9_000 }, (_, i) => ({ at: i < 7_000 ? 1 : i, rival: "r" })))
      const kept = new KeptRivals(makeStore().store)
      const late = (from: Date, seats: number) => Effect.andThen(Effect.yieldNow, count(from, seats))
      const all = yield* Effect.all([readOne(kept, "v", late), readOne(kept, "v", count), readOne(kept, "v", late)], {
        concurrency: "unbounded"
      })
      for (const one of all) assert.deepStrictEqual(playedOf(one), { r: 9_000 })
    })
  )

  it.effect("are counted anew once a match was voided, and let go of what was read longest ago", () =>
    Effect.gen(function* () {
      const { count, season } = makeSeason([1, 2, 3].map((at) => ({ at, rival: `r${at}` })))
      const kept = new KeptRivals(makeStore().store, 3)
      yield* readOne(kept, "v", count)
      Object.assign(season, { seats: season.seats.slice(1), voided: 1 })
      assert.deepStrictEqual(playedOf(yield* readOne(kept, "v", count)), { r2: 1, r3: 1 })
      for (const name of ["a", "b", "c", "d"]) yield* readOne(kept, name, count)
      assert.isAtMost(kept.pairs, 3)
      assert.deepStrictEqual(playedOf(yield* readOne(kept, "v", count)), { r2: 1, r3: 1 })
    })
  )

  it.effect("of many versions are counted together, some of them and so many seats by a statement", () =>
    Effect.gen(function* () {
      const season = makeSeason(Array.from({ length: 900 }, (_, i) => ({ at: i, rival: `r${i % 3}` })))
      const versions = Array.from({ length: VERSIONS_MAX + 60 }, (_, i) => `v${i}`)
      const statements: Array<ReadonlyArray<Asked>> = []
      const count = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>) {
        statements.push(asked)
        const counted = yield* Effect.forEach(asked, ({ from, seats }) => season.count(from, seats))
        return new Map(asked.map(({ version }, i) => [version, counted[i]!]))
      })
      const kept = new KeptRivals(makeStore().store)
      const together = yield* Effect.all([kept.read(versions, count), kept.read(versions.slice(0, 5), count)], { concurrency: "unbounded" })
      for (const all of together) for (const one of all.values()) assert.deepStrictEqual(playedOf(one), { r0: 300, r1: 300, r2: 300 })
      assert.deepStrictEqual(
        together.map(({ size }) => size),
        [VERSIONS_MAX + 60, 5]
      )
      assert.isAtMost(Math.max(...statements.map(({ length }) => length)), VERSIONS_MAX)
      assert.isAtMost(Math.max(...statements.map((asked) => asked.reduce((sum, { seats }) => sum + seats, 0))), 5_000)
      statements.length = 0
      yield* kept.read(versions, count)
      assert.deepStrictEqual(
        statements.map(({ length }) => length),
        [VERSIONS_MAX, 60],
        "two once they are counted"
      )
    })
  )

  it.effect("are not counted again by another process, unless a match was voided meanwhile", () =>
    Effect.gen(function* () {
      const { count, season } = makeSeason(Array.from({ length: 9_000 }, (_, i) => ({ at: i, rival: `r${i % 3}` })))
      const { saved, store } = makeStore()
      const all = { r0: 3_000, r1: 3_000, r2: 3_000 }
      assert.deepStrictEqual(playedOf(yield* readOne(new KeptRivals(store), "v", count)), all)
      season.counted.length = 0
      const other = new KeptRivals(store)
      const both = yield* Effect.all([readOne(other, "v", count), readOne(other, "v", count)], { concurrency: "unbounded" })
      assert.deepStrictEqual(both.map(playedOf), [all, all])
      assert.deepStrictEqual(season.counted, [1, 1])
      Object.assign(season, { seats: season.seats.slice(3), voided: 3 })
      const less = { r0: 2_999, r1: 2_999, r2: 2_999 }
      assert.deepStrictEqual(playedOf(yield* readOne(new KeptRivals(store), "v", count)), less)
      assert.deepStrictEqual([saved.get("v")!.voided, saved.get("v")!.from.getTime()], [3, 8_999])
    })
  )
})
