import { zoo } from "@agon/zoo/zoo.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { leftOut } from "../../../../test/support/slow.ts"
import { agonHere } from "../testing/here.ts"
import { estimate } from "./duel/Comparison.ts"
import { placeOf } from "./gauntlet.ts"

// The command plays matches in processes of its own, which takes minutes on a busy machine.
vi.setConfig({ testTimeout: 900_000 })

describe("agon gauntlet", () => {
  it.skipIf(leftOut("it plays the whole zoo: 10 s"))(
    "plays each model of the zoo of its game, and puts the model between those that it beats and those that beat it",
    async () => {
      const args = ["gauntlet", "zoo:grabber", "--pairs", "3", "--seed", "2"]
      const { err, out, status } = await agonHere([...args, "--json"])
      assert.strictEqual(status, 0, err)
      const { best, model, of, opponents, place, worst } = JSON.parse(out)
      const names = zoo.filter(({ game }) => game === "othello").map(({ name }) => `zoo:${name}`)
      assert.deepStrictEqual(
        opponents.map(({ name }: { name: string }) => name),
        names
      )
      assert.deepStrictEqual([model, of], ["zoo:grabber", names.length + 1])
      const score = (name: string): number => opponents.find((one: { name: string }) => one.name === name).score
      assert.strictEqual(score("zoo:grabber"), 0.5)
      assert.isTrue(best <= place && place <= worst && worst <= of)
      assert.strictEqual(place, 1 + opponents.filter((one: { score: number }) => one.score < 0.5).length)

      const shown = (await agonHere(args)).out.trim().split("\n")
      assert.lengthOf(shown, names.length + 1)
      assert.strictEqual(shown.at(-1), `zoo:grabber: place ${place} of ${of} (${best} to ${worst})`)
    }
  )

  it("knows its place no better than the intervals do", () => {
    const met = (
      [
        [0, 0, 0, 0, 20],
        [1, 1, 2, 1, 1],
        [0, 1, 1, 1, 0],
        [3, 1, 1, 0, 0],
        [20, 0, 0, 0, 0]
      ] as const
    ).map((pairs) => ({
      found: estimate(pairs)
    }))
    assert.deepStrictEqual(placeOf(met), { place: 3, best: 3, worst: 5, of: 6 })
  })
})
