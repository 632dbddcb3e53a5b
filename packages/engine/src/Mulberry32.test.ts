import { assert, describe, it } from "vitest"
import { Mulberry32 } from "./Mulberry32.ts"

describe("Mulberry32", () => {
  it("gives the published sequence of mulberry32", () => {
    const random = new Mulberry32(0)
    assert.deepStrictEqual([random.next(), random.next(), random.next()], [1144304738, 1416247, 958946056])
  })

  it("starts its counter at the seed and adds one constant per number", () => {
    const random = new Mulberry32(0xffff_ffff)
    assert.strictEqual(random.counter, 0xffff_ffff)
    random.next()
    assert.strictEqual(random.counter, 0x6d2b79f4)
  })

  it("draws one number for below(1)", () => {
    const random = new Mulberry32(7)
    assert.strictEqual(random.below(1), 0)
    assert.strictEqual(random.counter, (7 + 0x6d2b79f5) >>> 0)
  })

  it("gives x mod n for the first x under the last whole multiple of n", () => {
    const n = 0x8000_0001
    const numbers = new Mulberry32(0)
    const random = new Mulberry32(0)
    let drawn_again = 0
    for (let draw = 0; draw < 50; draw++) {
      let x = numbers.next()
      for (; x >= n; x = numbers.next()) drawn_again++
      assert.strictEqual(random.below(n), x)
    }
    assert.isAbove(drawn_again, 20)
    assert.strictEqual(random.counter, numbers.counter)
  })

  it("stays in 0..n-1 and reaches all of it", () => {
    const random = new Mulberry32(42)
    const counts = new Array<number>(7).fill(0)
    for (let draw = 0; draw < 7000; draw++) counts[random.below(7)]!++
    for (const count of counts) assert.closeTo(count, 1000, 150)
  })
})
