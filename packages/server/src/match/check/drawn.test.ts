import { assert, it } from "@effect/vitest"
import { drawnBy } from "./drawn.ts"

const matches = Array.from({ length: 10_000 }, (_, n) => `01900001-0000-7000-8000-${n.toString(16).padStart(12, "0")}`)

it("draws a share of the matches, another for each use and by each secret, and the same one again", () => {
  const drawn = (secret: string, use: "replay" | "audit") => matches.filter((match) => drawnBy(secret)(0.1, use, match))
  const shares = [drawn("ours", "audit"), drawn("ours", "replay"), drawn("others'", "audit")]
  assert.deepStrictEqual(drawn("ours", "audit"), shares[0])
  for (const [n, share] of shares.entries()) {
    assert.closeTo(share.length, 1_000, 150)
    const others = new Set(shares[(n + 1) % 3])
    assert.closeTo(share.filter((match) => others.has(match)).length, 100, 50)
  }
})

it("draws none of no share, and all of the whole", () => {
  const drawn = drawnBy("ours")
  assert.isFalse(matches.some((match) => drawn(0, "audit", match)))
  assert.isTrue(matches.every((match) => drawn(1, "replay", match)))
})
