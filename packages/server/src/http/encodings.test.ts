import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { codingOf, compress } from "./encodings.ts"

describe("Accept-Encoding", () => {
  it("gets the coding that it welcomes most, and of several the smallest", () => {
    for (const [accept, coding] of [
      [undefined, "identity"],
      ["", "identity"],
      ["gzip, deflate", "gzip"],
      ["gzip, deflate, br, zstd", "br"],
      ["GZIP;Q=0.3", "gzip"],
      ["x-gzip", "gzip"],
      ["br;q=0.5, gzip", "gzip"],
      ["br;q=0.5, gzip;q=0.5", "br"],
      ["br; q=0.2 , identity;q=0.9", "identity"],
      ["gzip;q=0, br;q=0", "identity"],
      ["*", "br"],
      ["*;q=0.5, gzip;q=0.8", "gzip"],
      ["*, br;q=0", "gzip"],
      ["identity;q=0, *;q=0", "identity"],
      ["br;q=2, gzip;q=x", "identity"],
      ["deflate", "identity"],
      [`br,${" ".repeat(10_000)}gzip`, "identity"]
    ] as const) {
      assert.strictEqual(codingOf(accept), coding, accept)
    }
  })

  it("is read anew after many others have been", () => {
    for (let i = 0; i < 1_000; i++) assert.strictEqual(codingOf(`gzip, x-${i}`), "gzip")
    assert.strictEqual(codingOf("br"), "br")
  })
})

describe("compression", () => {
  it("is refused while sixteen are under way, and goes on after them", async () => {
    const body = Buffer.from("word ".repeat(100_000))
    const all = await Promise.all(Array.from({ length: 40 }, () => compress(body, "gzip")))
    assert.strictEqual(all.filter((one) => one !== undefined).length, 16)
    assert.isTrue(gunzipSync((await compress(body, "gzip"))!).equals(body))
  })
})
