import { createHmac, randomBytes } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { hmacSha256 } from "./hmacSha256.ts"

it("is node's HMAC, whatever the lengths of key and text, and whatever came before", () => {
  const texts = ["", "GET\nreplays/m1\n2000", "é✓🂡", "a".repeat(1_365), "✓".repeat(1_365), "✓".repeat(1_366), "a".repeat(20_000), "short"]
  for (const bytes of [0, 1, 32, 63, 64, 65, 200]) {
    const key = randomBytes(bytes)
    const mac = hmacSha256(key)
    for (const text of [...texts, ...texts]) {
      assert.strictEqual(mac(text), createHmac("sha256", key).update(text).digest("hex"), `${bytes} bytes, ${text.length} characters`)
    }
  }
  assert.strictEqual(hmacSha256("secret")("text"), createHmac("sha256", "secret").update("text").digest("hex"))
})
