import { assert, it } from "@effect/vitest"
import { makePagesUnderWay } from "./PagesUnderWay.ts"

it("an address has a part of the pages under way, all addresses together so many, and who leaves makes room", () => {
  const { enter, leave } = makePagesUnderWay()
  const entered: Array<string> = []
  const fill = (address: string) => {
    for (;;) {
      const outcome = enter(address)
      if (outcome !== "entered") return outcome
      entered.push(address)
    }
  }
  assert.strictEqual(fill("a"), "busy_address")
  assert.lengthOf(entered, 32)
  for (const address of "bcdefgh") assert.strictEqual(fill(address), "busy_address")
  assert.lengthOf(entered, 256)
  assert.strictEqual(enter("i"), "busy")
  leave("a")
  assert.strictEqual(enter("i"), "entered")
  assert.strictEqual(enter("a"), "busy")
  for (const address of entered) leave(address)
  assert.strictEqual(enter("a"), "entered")
})
