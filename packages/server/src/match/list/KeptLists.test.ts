/** Kept lists against the same list found anew, over seasons that go on and lose matches. */
import { assert, describe, it } from "@effect/vitest"
import { type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Came, inOrder, type Kept, KeptLists, type Listed, type ListStore, type Row, type Since } from "./KeptLists.ts"

const ROWS = 4

interface Match extends Row {
  readonly season_id: string
}

/** Two seasons; matches of one end in the order in which they are added. */
class World {
  readonly matches: Array<Match> = []
  readonly now = new Map([
    ["a", 0],
    ["b", 0]
  ])
  readonly voided = new Map([
    ["a", 0],
    ["b", 0]
  ])
  hidden: string | undefined
  /** Matches that were looked at. */
  looked = 0

  play(season_id: string, later_ms: number, figure: number | null) {
    const now = this.now.get(season_id)! + later_ms
    this.now.set(season_id, now)
    this.matches.push({
      season_id,
      figure,
      ended_us: now * 1_000,
      id: String(this.matches.length + this.voided.get(season_id)!).padStart(6, "0")
    })
  }

  void(n: number) {
    const [gone] = this.matches.splice(n % Math.max(1, this.matches.length), 1)
    if (gone !== undefined) this.voided.set(gone.season_id, this.voided.get(gone.season_id)! + 1)
  }

  read = (since: Since): Effect.Effect<ReadonlyArray<Came>> =>
    Effect.sync(() =>
      [...this.now.keys()].filter((season_id) => season_id !== this.hidden).map((season_id) => this.came(season_id, since.get(season_id)))
    )

  came(season_id: string, since: Date | undefined): Came {
    const all = this.matches.filter((match) => match.season_id === season_id)
    const edge = all.length === 0 ? null : new Date(Math.max(...all.map(({ ended_us }) => ended_us / 1_000)))
    const found = all.filter(({ ended_us }) => since === undefined || ended_us >= since.getTime() * 1_000).toSorted(inOrder)
    this.looked += found.length
    return {
      season_id,
      marks: String(this.voided.get(season_id)),
      edge,
      total: found.length,
      early: found.filter(({ ended_us }) => ended_us < edge!.getTime() * 1_000).length,
      rows: found.slice(0, ROWS),
      whole: found.length < ROWS,
      last_trial: null
    }
  }

  /** As many rows as the kept list knows are those that come first. */
  agrees({ rows, total, whole }: Listed) {
    const all = this.matches.filter(({ season_id }) => season_id !== this.hidden).toSorted(inOrder)
    assert.strictEqual(total, all.length)
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      all.slice(0, rows.length).map(({ id }) => id)
    )
    if (whole) assert.strictEqual(rows.length, all.length)
    return rows.length
  }
}

/** Processes with one store, whose reads take a while where everything is read. */
const processes = () => {
  const stored = new Map<string, ReadonlyMap<string, Kept>>()
  let saved = 0
  const store: ListStore = {
    slow_ms: 50,
    load: (name) => Effect.sync(() => stored.get(name) ?? new Map()),
    save: (name, seasons) =>
      Effect.sync(() => {
        saved++
        stored.set(name, seasons)
      })
  }
  const process = () => {
    const kept = new KeptLists({ rows: ROWS, all: 1_000, store })
    return (world: World, takes: Duration.Input) =>
      kept.read(
        "list",
        (since) => Effect.tap(world.read(since), () => (since.size === 0 ? TestClock.adjust(takes) : Effect.void)),
        (everything) => everything
      )
  }
  return { process, saved: () => saved }
}

const whileReading = (kept: KeptLists, world: World) => Effect.runSync(kept.read("list", world.read, (everything) => everything))

const SEEDS = 300
const ACTS = 60

/** Whole numbers below a limit that follow from the seed. */
const drawing = (seed: number) => {
  let state = seed * 2_654_435_761
  return (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) % limit
  }
}

/** One act of four reads the list; others play, void or hide a season. */
const act = (kept: KeptLists, world: World, draw: (limit: number) => number) => {
  const [what, figure] = [draw(16), draw(6)]
  if (what < 9) world.play(what % 2 === 0 ? "a" : "b", draw(2), figure === 5 ? null : figure)
  else if (what < 10) world.void(draw(50))
  else if (what < 11) world.hidden = ["a", "b", undefined][draw(3)]
  else world.agrees(whileReading(kept, world))
}

describe("kept lists", () => {
  it("answer as if they were read anew, whatever is played, voided and hidden", () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const [kept, world, draw] = [new KeptLists({ rows: ROWS, all: 1_000 }), new World(), drawing(seed)]
      try {
        for (let n = 0; n < ACTS; n++) act(kept, world, draw)
        world.hidden = undefined
        world.agrees(whileReading(kept, world))
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
    }
  })

  it("look at what has come since, and know as many rows as before", () => {
    const [kept, world] = [new KeptLists({ rows: ROWS, all: 1_000 }), new World()]
    for (let i = 0; i < 500; i++) world.play(i % 2 === 0 ? "a" : "b", 1, i % 7)
    whileReading(kept, world)
    for (let i = 0; i < 50; i++) {
      world.play("a", i % 3, i % 7)
      world.looked = 0
      assert.strictEqual(world.agrees(whileReading(kept, world)), ROWS)
      assert.isBelow(world.looked, 6)
    }
  })

  it("are read anew once a match was voided, beside the reads that ask for it", () => {
    const [kept, world] = [new KeptLists({ rows: ROWS, all: 1_000 }), new World()]
    for (let i = 0; i < 20; i++) world.play("a", 1, i)
    let anew = 0
    const read = () =>
      Effect.runSync(
        kept.read("list", world.read, (everything) => {
          anew++
          return everything
        })
      )
    world.agrees(read())
    world.agrees(read())
    assert.strictEqual(anew, 1)
    world.void(19)
    world.agrees(read())
    assert.strictEqual(anew, 2)
    world.agrees(read())
    assert.strictEqual(anew, 2)
  })

  it("are so many and no more: the list that was read longest ago leaves", () => {
    const [kept, world] = [new KeptLists({ rows: ROWS, all: 20 }), new World()]
    for (let i = 0; i < 20; i++) world.play("a", 1, i)
    for (const name of ["1", "2", "3", "1", "4", "5"]) Effect.runSync(kept.read(name, world.read, (everything) => everything))
    assert.isAtMost(kept.rows, 20)
    let anew = 0
    const read = (name: string) =>
      Effect.runSync(kept.read(name, world.read, (everything) => Effect.sync(() => anew++).pipe(Effect.andThen(everything))))
    read("5")
    assert.strictEqual(anew, 0)
    read("2")
    assert.strictEqual(anew, 1)
  })

  it.effect("are brought up to date beside the reads as well where nobody has read them for long", () =>
    Effect.gen(function* () {
      const [kept, world] = [new KeptLists({ rows: ROWS, all: 1_000 }), new World()]
      for (let i = 0; i < 20; i++) world.play("a", 1, i)
      let anew = 0
      const read = kept.read("list", world.read, (everything) =>
        Effect.andThen(
          Effect.sync(() => void anew++),
          everything
        )
      )
      world.agrees(yield* read)
      yield* TestClock.adjust("9 minutes")
      world.agrees(yield* read)
      assert.strictEqual(anew, 1)
      world.play("a", 1, 1)
      world.looked = 0
      yield* TestClock.adjust("11 minutes")
      world.agrees(yield* read)
      assert.deepStrictEqual([anew, world.looked], [2, 2])
    })
  )

  it.effect("are stored once they took long to find, and the next process goes on from there", () =>
    Effect.gen(function* () {
      const world = new World()
      for (let i = 0; i < 20; i++) world.play("a", 1, i)
      const { process, saved } = processes()
      const slow = process()
      world.agrees(yield* slow(world, "1 minute"))
      assert.strictEqual(saved(), 1)
      const read = yield* Effect.map(process()(world, 0), (listed) => world.agrees(listed))
      assert.deepStrictEqual([read, world.looked], [ROWS, 21], "what is stored is not looked at again")

      world.void(3)
      yield* slow(world, "1 minute")
      assert.strictEqual(saved(), 3, "what had to be found again is stored again")
      world.looked = 0
      world.agrees(yield* process()(world, 0))
      assert.strictEqual(world.looked, 1)

      world.void(3)
      world.agrees(yield* process()(world, 0))
    })
  )

  it.effect("are stored again while they are read, once an hour, and not at all where they were found soon", () =>
    Effect.gen(function* () {
      const world = new World()
      for (let i = 0; i < 20; i++) world.play("a", 1, i)
      const { process, saved } = processes()
      const quick = process()
      world.agrees(yield* quick(world, 0))
      assert.strictEqual(saved(), 0)
      const slow = process()
      yield* slow(world, "1 minute")
      for (let minute = 0; minute < 120; minute += 5) {
        world.play("a", 1, 0)
        yield* TestClock.adjust("5 minutes")
        world.agrees(yield* slow(world, 0))
        world.agrees(yield* quick(world, 0))
      }
      assert.strictEqual(saved(), 3)
    })
  )

  it("keep what the later of two reads found that overlap", () => {
    const [kept, world] = [new KeptLists({ rows: ROWS, all: 1_000 }), new World()]
    for (let i = 0; i < 20; i++) world.play("a", 1, i)
    whileReading(kept, world)
    let inner = false
    const slow = (since: Since) =>
      Effect.map(world.read(since), (came) => {
        if (!inner) {
          inner = true
          for (let i = 0; i < 5; i++) world.play("a", 1, i)
          world.agrees(whileReading(kept, world))
        }
        return came
      })
    Effect.runSync(kept.read("list", slow, (everything) => everything))
    world.looked = 0
    world.agrees(whileReading(kept, world))
    assert.isBelow(world.looked, 3)
  })
})
