import { assert, describe, it } from "@effect/vitest"
import { likenessesOf, SHOWN_LIKENESSES_MAX } from "./Likenesses.ts"

const model = (id: string, owner: string, weights_hash: string) => ({ id, owner, weights_hash })

describe("likenesses", () => {
  it("are versions of different owners with the same network, the earlier first, one of each two owners", () => {
    const versions = [
      model("1", "amy", "x"),
      model("2", "amy", "x"),
      model("3", "bob", "y"),
      model("4", "cat", "x"),
      model("5", "cat", "x")
    ]
    assert.deepStrictEqual(likenessesOf(versions, new Set()), [{ earlier: "1", later: "4" }])
  })

  it("are not copies of a baseline", () => {
    const versions = [model("1", "amy", "base"), model("2", "bob", "base"), model("3", "amy", "x"), model("4", "bob", "x")]
    assert.deepStrictEqual(likenessesOf(versions, new Set(["base"])), [{ earlier: "3", later: "4" }])
  })

  it("are shown up to a number where all are the same", () => {
    const versions = Array.from({ length: 1_000 }, (_, n) => model(String(n), `owner ${n % 100}`, "x"))
    assert.lengthOf(likenessesOf(versions, new Set()), SHOWN_LIKENESSES_MAX)
  })
})
