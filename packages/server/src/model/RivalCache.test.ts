import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Asked, RivalCache, type RivalStore, SEATS_MAX, VERSIONS_MAX } from "./RivalCache.ts"
import type { Counted, Stored } from "./rivalCounts.ts"

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

const readOne = (kept: RivalCache, version: string, count: CountOne) =>
  Effect.map(
    kept.read([version], ([asked]) => Effect.map(count(asked!.from, asked!.seats), (counted) => new Map([[version, counted]]))),
    (all) => all.get(version)!
  )

const playedOf = (tallies: ReadonlyMap<string, { readonly played: number }>) =>
  Object.fromEntries([...tallies].map(([rival, { played }]) => [rival, played]).toSorted())

describe("the cache of rivals", () => {
  it.effect("are counted once, a statement's worth at a time, and from then on by what came since", () =>
    Effect.gen(function* () {
      const { count, season } = makeSeason(Array.from({ length: 10_000 }, (_, i) => ({ at: i >> 1, rival: `r${i % 3}` })))
      const kept = new RivalCache(makeStore().store)
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
      const kept = new RivalCache(makeStore().store)
      const late = (from: Date, seats: number) => Effect.andThen(Effect.yieldNow, count(from, seats))
      const all = yield* Effect.all([readOne(kept, "v", late), readOne(kept, "v", count), readOne(kept, "v", late)], {
        concurrency: "unbounded"
      })
      for (const one of all) assert.deepStrictEqual(playedOf(one), { r: 9_000 })
    })
  )

  it.effect("end, where more are later than the season's time than a statement takes, and that goes on", () =>
    Effect.gen(function* () {
      const { count } = makeSeason(Array.from({ length: 9_000 }, (_, i) => ({ at: i < 1_000 ? i : 100_000 + i, rival: "r" })))
      let [now, statements] = [1_000, 0]
      const bounded: CountOne = (from, seats) =>
        Effect.map(count(from, seats), ({ last, rivals, ...counted }) => {
          assert.isBelow(++statements, 10)
          const until = Math.min(last!.getTime(), now++)
          return { ...counted, last: new Date(until), rivals: rivals.map((rival) => ({ ...rival, newest: rival.last_ms >= until })) }
        })
      const kept = new RivalCache(makeStore().store)
      for (let i = 0; i < 3; i++) {
        statements = 0
        assert.deepStrictEqual(playedOf(yield* readOne(kept, "v", bounded)), { r: 9_000 })
      }
    })
  )

  it.effect("are counted anew once a match was voided, and let go of what was read longest ago", () =>
    Effect.gen(function* () {
      const { count, season } = makeSeason([1, 2, 3].map((at) => ({ at, rival: `r${at}` })))
      const kept = new RivalCache(makeStore().store, 3)
      yield* readOne(kept, "v", count)
      Object.assign(season, { seats: season.seats.slice(1), voided: 1 })
      assert.deepStrictEqual(playedOf(yield* readOne(kept, "v", count)), { r2: 1, r3: 1 })
      for (const name of ["a", "b", "c", "d"]) yield* readOne(kept, name, count)
      assert.isAtMost(kept.pairs, 3)
      assert.deepStrictEqual(playedOf(yield* readOne(kept, "v", count)), { r2: 1, r3: 1 })
    })
  )

  it.effect("let go of versions without a match as well", () =>
    Effect.gen(function* () {
      const { store } = makeStore()
      const loaded: Array<string> = []
      const load: RivalStore["load"] = (versions) =>
        Effect.andThen(
          Effect.sync(() => loaded.push(...versions)),
          store.load(versions)
        )
      const kept = new RivalCache({ ...store, load }, 3)
      for (const name of ["a", "b", "c", "d", "e", "e", "a"]) yield* readOne(kept, name, makeSeason([]).count)
      assert.deepStrictEqual(loaded, ["a", "b", "c", "d", "e", "a"])
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
      const kept = new RivalCache(makeStore().store)
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
      assert.deepStrictEqual(playedOf(yield* readOne(new RivalCache(store), "v", count)), all)
      season.counted.length = 0
      const other = new RivalCache(store)
      const both = yield* Effect.all([readOne(other, "v", count), readOne(other, "v", count)], { concurrency: "unbounded" })
      assert.deepStrictEqual(both.map(playedOf), [all, all])
      assert.deepStrictEqual(season.counted, [1, 1])
      Object.assign(season, { seats: season.seats.slice(3), voided: 3 })
      const less = { r0: 2_999, r1: 2_999, r2: 2_999 }
      assert.deepStrictEqual(playedOf(yield* readOne(new RivalCache(store), "v", count)), less)
      assert.deepStrictEqual([saved.get("v")!.voided, saved.get("v")!.from.getTime()], [3, 8_999])
    })
  )

  /** Versions of so many rivals each that an earlier process has counted and stored, and a count that answers later. */
  const makeLarge = (names: ReadonlyArray<string>, rivals: number) => {
    const season = makeSeason(Array.from({ length: rivals + 1 }, (_, i) => ({ at: i, rival: `r${i}` })))
    const { saved, store } = makeStore()
    const tallies = new Map(Array.from({ length: rivals }, (_, i) => [`r${i}`, { played: 1, wins: 1, draws: 0, losses: 0, last_ms: i }]))
    for (const name of names) saved.set(name, { from: new Date(rivals), voided: 0, tallies })
    const large = { store, statements: 0, loaded: [] as Array<string>, most: 20 }
    const load = store.load
    const counting: RivalStore = {
      ...store,
      load: (versions) =>
        Effect.andThen(
          Effect.sync(() => large.loaded.push(...versions)),
          load(versions)
        )
    }
    const count = Effect.fnUntraced(function* (asked: ReadonlyArray<Asked>) {
      if (++large.statements > large.most) return yield* Effect.die(new Error("no end"))
      const counted = yield* Effect.forEach(asked, ({ from, seats }) => season.count(from, seats))
      yield* Effect.yieldNow
      return new Map(asked.map(({ version }, i) => [version, counted[i]!]))
    })
    const all = Object.fromEntries(Array.from({ length: rivals + 1 }, (_, i) => [`r${i}`, 1]).toSorted())
    return { all, count, large, store: counting }
  }

  it.effect("of a version with more rivals than are kept at all are read all the same", () =>
    Effect.gen(function* () {
      const { all, count, large, store } = makeLarge(["v"], 10)
      const kept = new RivalCache(store, 5)
      assert.deepStrictEqual(playedOf((yield* kept.read(["v"], count)).get("v")!), all)
      assert.strictEqual(large.statements, 1)
      assert.isAtMost(kept.pairs, 5)
    })
  )

  it.effect("of reads that are too large to be kept together are read by one statement each, however they take turns", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 40 }, (_, i) => `v${i}`)
      const { all, count, large, store } = makeLarge(names, 10)
      const kept = new RivalCache(store, 100)
      const reads = [names.slice(0, 20), names.slice(20), names, names.toReversed()]
      const found = yield* Effect.forEach(reads, (versions) => kept.read(versions, count), { concurrency: "unbounded" })
      for (const [i, each] of found.entries()) {
        assert.sameMembers([...each.keys()], [...reads[i]!])
        for (const tallies of each.values()) assert.deepStrictEqual(playedOf(tallies), all)
      }
      assert.isAtMost(large.statements, 8)
      assert.isAtMost(kept.pairs, 100)
    })
  )

  it.effect("of a read that is too large leave half of the place to those of others, and are the same ones at its repeat", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 40 }, (_, i) => `v${i}`)
      const { count, large, store } = makeLarge([...names, "small"], 10)
      const kept = new RivalCache(store, 100)
      const read = (versions: ReadonlyArray<string>) =>
        Effect.sync(() => large.loaded.splice(0)).pipe(
          Effect.andThen(kept.read(versions, count)),
          Effect.map(() => large.loaded.splice(0))
        )
      yield* read(["small"])
      assert.lengthOf(yield* read(names), 40)
      assert.deepStrictEqual(yield* read(["small"]), [])
      const again = yield* read(names)
      assert.lengthOf(again, 40 - 5, "half of the hundred pairs are kept")
      assert.sameMembers(yield* read(names), again)
      assert.deepStrictEqual(yield* read(["small"]), [])
    })
  )

  it.effect("are answered of the asked ones alone", () =>
    Effect.gen(function* () {
      const { count, store } = makeLarge(["v"], 10)
      const kept = new RivalCache(store)
      const some = yield* kept.read(["v"], count, new Set(["r3", "r10", "else"])) // the second is of the last instant
      assert.deepStrictEqual(playedOf(some.get("v")!), { r10: 1, r3: 1 })
      assert.strictEqual(kept.pairs, 10)
    })
  )
})
