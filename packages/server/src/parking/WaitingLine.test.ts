import { assert, describe, it } from "@effect/vitest"
import { type InLine, WaitingLine } from "./WaitingLine.ts"

interface One extends InLine {
  readonly name: string
}
const one = (name: string, since: number): One => ({ name, since })

/** Everybody in the line, from both ends; takes everybody out. */
const inOrder = (line: WaitingLine<One>): ReadonlyArray<string> => {
  const found: Array<string> = []
  while (line.first !== undefined) {
    assert.isUndefined(line.first.previous)
    found.push(line.first.name)
    line.leave(line.first)
  }
  return found
}

describe("WaitingLine", () => {
  it("sorts by the signal that was seen last, and equals by arrival", () => {
    const line = new WaitingLine<One>()
    for (const each of [one("a", 1), one("b", 3), one("c", 1), one("d", 0), one("e", 3), one("f", 2)]) line.enter(each)
    assert.deepStrictEqual(inOrder(line), ["d", "a", "c", "f", "b", "e"])
  })

  it("lets anybody leave: the first, the last, one between, and the only one", () => {
    const line = new WaitingLine<One>()
    const [a, b, c, d] = [one("a", 1), one("b", 1), one("c", 1), one("d", 1)]
    for (const each of [a, b, c, d]) line.enter(each)
    line.leave(b)
    line.leave(d)
    line.leave(a)
    assert.strictEqual(line.first, c)
    line.leave(c)
    assert.isUndefined(line.first)
    line.enter(a)
    line.enter(d)
    assert.deepStrictEqual(inOrder(line), ["a", "d"])
  })

  it("holds the same as a sorted list, whoever comes and goes", () => {
    for (let seed = 0; seed < 10; seed++) {
      const line = new WaitingLine<One>()
      const list: Array<One> = []
      for (let n = 0; n < 200; n++) {
        const drawn = (seed * 7_919 + n * 104_729) % 1_009
        if (drawn % 3 === 0 && list.length > 0) line.leave(list.splice(drawn % list.length, 1)[0]!)
        else {
          const came = one(`${n}`, Math.floor(n / 10) - (drawn % 4))
          line.enter(came)
          const after = list.findIndex(({ since }) => since > came.since)
          list.splice(after < 0 ? list.length : after, 0, came)
        }
        assert.strictEqual(line.first, list[0])
      }
      assert.deepStrictEqual(
        inOrder(line),
        list.map(({ name }) => name)
      )
    }
  })
})
