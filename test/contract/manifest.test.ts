/** The sandbox reads manifests without the API's schemas; slugs and lengths are the same on both sides. */
import { isOfCharacters, Slug } from "@agon/api/Wire.ts"
import { readManifest } from "@agon/sandbox/Manifest.ts"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const isSlug = Schema.is(Slug)

const manifest = { format: "agon-manifest/1", game: "snakes", runtime: "onnx", opset: 17, memory: { flat: 0, cell: 0 } }
const isRead = (over: object) => readManifest(new TextEncoder().encode(JSON.stringify({ ...manifest, ...over }))).ok

/** All texts of these characters, up to a length. */
const texts = (characters: ReadonlyArray<string>, length_max: number): ReadonlyArray<string> =>
  length_max === 0 ? [""] : ["", ...texts(characters, length_max - 1).flatMap((text) => characters.map((one) => text + one))]

it("a manifest names a game by what the API takes as a slug", () => {
  const few = texts(["a", "7", "-", "A", "\n"], 4)
  assert.isAbove(few.filter(isSlug).length, 10)
  for (const game of [...few, "é", "a".repeat(64), "a".repeat(65), "a-".repeat(31), "a-".repeat(32)]) {
    assert.strictEqual(isRead({ game }), isSlug(game), JSON.stringify(game))
  }
})

it("a manifest's characters are counted as the API counts them", () => {
  const fits = isOfCharacters(0, 64)
  for (const character of ["a", "é", "😀"]) {
    for (const n of [0, 1, 32, 33, 63, 64, 65, 128, 129]) {
      const name = character.repeat(n)
      assert.deepStrictEqual([isRead({ name }), fits(name)], [n <= 64, n <= 64], `${n} of ${character}`)
    }
  }
})
