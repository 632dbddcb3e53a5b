import { assert, describe, it } from "@effect/vitest"
import { trusting } from "./ClientAddress.ts"

describe("the client's address", () => {
  it("is the peer's where no proxy is trusted, whatever the header says", () => {
    assert.strictEqual(trusting([])("10.0.0.1", "1.2.3.4"), "10.0.0.1")
  })

  it("is the last one in the header that is no trusted proxy", () => {
    const of = trusting(["10.0.0.0/8", "::1"])
    assert.strictEqual(of("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.9.9.9"), "1.2.3.4")
    assert.strictEqual(of("::ffff:10.0.0.1", "1.2.3.4"), "1.2.3.4")
    assert.strictEqual(of("::1", "2001:db8::1"), "2001:db8::1")
    assert.strictEqual(of("9.9.9.9", "1.2.3.4"), "9.9.9.9")
    assert.strictEqual(of("10.0.0.1", undefined), "10.0.0.1")
    assert.strictEqual(of("10.0.0.1", "not an address"), "10.0.0.1")
  })
})
