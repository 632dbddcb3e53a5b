import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { gameOf } from "@agon/engine/registry.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { Instance, share } from "../worker/Instance.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { measure } from "./measure.ts"
import { extremes, type Kind, positions } from "./observations.ts"
import { boardSizes, linear, slowOnEmptyCells } from "./testing/testModels.ts"

boundedByEvents(vi)

/** The time of a model on these kinds of observation. */
const timeOn = async (weights: Uint8Array, kinds: ReadonlyArray<Kind>): Promise<number> => {
  const cap_bytes = memoryCapOf(weights.length)
  const seat = new Instance({
    module: await compiledRuntime,
    weights: share(weights),
    cap_bytes,
    boards: [boardSizes],
    arena: true,
    poison: 1
  })
  assert.strictEqual(await seat.answer(10_000), "answered")
  const time = await measure(seat, kinds, async () => {
    seat.channel.ask()
    const waited = await seat.answer(10_000)
    return waited === "answered" ? null : { waited }
  })
  await seat.stop()
  assert.isNumber(time)
  return time as number
}

const real = positions(gameOf("snakes")!, boardSizes)
const noise = extremes(boardSizes).filter(({ name }) => name === "noise")

describe("the time of a model", () => {
  it("is its time on the slowest kind of observation", async () => {
    const onNoise = await timeOn(slowOnEmptyCells(), noise)
    const onAll = await timeOn(slowOnEmptyCells(), [...real, ...extremes(boardSizes)])
    // Dense noise has no empty cell; a real board has more than a thousand.
    assert.isBelow(onNoise, 5_000)
    assert.isAbove(onAll, 20_000)
  })

  it("is not inflated for a plain model", async () => {
    assert.isBelow(await timeOn(linear(), [...real, ...extremes(boardSizes)]), 5_000)
  })
})

describe("the observations", () => {
  it("are of openings, middles and ends of real matches, and differ", () => {
    assert.deepStrictEqual(
      real.map(({ name }) => name),
      ["opening", "mid-game", "late game"]
    )
    const all = real.flatMap(({ observations }) => observations.map((values) => values.join()))
    assert.strictEqual(new Set(all).size, all.length)
    // A body grows with the match: plane 1 is one's own.
    const bodyOf = (kind: Kind) => kind.observations.map((values) => values.slice(121, 242).filter((value) => value > 0).length)
    assert.isAbove(Math.max(...bodyOf(real[1]!)), Math.max(...bodyOf(real[0]!)))
  })

  it("are the same every time, for every game, and for sizes without a board of the game", () => {
    for (const [slug, odd] of [
      ["snakes", { ...boardSizes, rows: 6, cols: 23 }],
      ["othello", { ...boardSizes, planes: 5, rows: 14, cols: 4 }]
    ] as const) {
      const game = gameOf(slug)!
      const [first, again] = [positions(game, odd), positions(game, odd)]
      assert.deepStrictEqual(first, again)
      for (const { observations } of first)
        for (const values of observations) assert.strictEqual(values.length, odd.planes * odd.rows * odd.cols)
    }
  })

  it("hold zeros and large values, nothing that slows the processor itself, and a model must accept only the real positions", () => {
    const kinds = new Map(extremes(boardSizes).map((kind) => [kind.name, kind]))
    assert.isTrue(kinds.get("zeros")!.observations[0]!.every((value) => value === 0))
    const isNormal = (value: number) => value === 0 || Math.abs(value) >= 1.1754943508222875e-38
    for (const { name, observations } of [...real, ...kinds.values()])
      assert.isTrue(
        observations.every((values) => values.every(isNormal)),
        name
      )
    assert.isAbove(Math.max(...kinds.get("large values")!.observations[0]!), 1e5)
    assert.isTrue(real.every((kind) => kind.real) && [...kinds.values()].every((kind) => !kind.real))
  })
})
