import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { Mulberry32 } from "./Mulberry32.ts"
import { computedSha256Hex, sha256Hex } from "./sha256.ts"

const byNode = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex")

describe("SHA-256", () => {
  it("agrees with the examples of the standard", () => {
    for (const hash of [sha256Hex, computedSha256Hex]) {
      assert.strictEqual(hash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
      assert.strictEqual(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
  })

  it("is computed like Node's for every length around the ends of blocks, and for long inputs", () => {
    const random = new Mulberry32(7)
    for (const length of [...Array(200).keys(), 5_000, 70_001]) {
      const bytes = Uint8Array.from({ length }, () => random.below(256))
      assert.strictEqual(computedSha256Hex(bytes), byNode(bytes), `${length} bytes`)
      assert.strictEqual(sha256Hex(bytes), byNode(bytes), `${length} bytes`)
    }
  })

  it("hashes a string as UTF-8, half a surrogate pair included", () => {
    for (const text of ["é", "日本", "🐍", "\ud83d"]) assert.strictEqual(computedSha256Hex(text), byNode(text))
  })
})
