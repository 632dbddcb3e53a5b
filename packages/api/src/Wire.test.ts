import { assert, describe, it } from "@effect/vitest"
import { isUuid } from "./Wire.ts"

describe("an id in a path", () => {
  it("is a UUID in lower case, and nothing else", () => {
    assert.isTrue(isUuid("0190a0b4-7f5e-7c3a-9d2e-000000000001"))
    for (const text of [
      "",
      "1",
      "0190A0B4-7F5E-7C3A-9D2E-000000000001",
      "0190a0b47f5e7c3a9d2e000000000001",
      "0190a0b4-7f5e-7c3a-9d2e-00000000000g",
      "0190a0b4-7f5e-7c3a-9d2e-000000000001\n"
    ])
      assert.isFalse(isUuid(text), JSON.stringify(text))
  })
})
