import { assert, it } from "@effect/vitest"
import { inTheClear } from "./objects.ts"

it("a bucket in the clear is to be mended where browsers come under TLS, and nowhere else", () => {
  const found = (endpoint: string, origin: string) => inTheClear({ endpoint }, origin).map(({ state }) => state)
  assert.deepStrictEqual(found("http://objects.example:9000", "https://agon.example"), ["mend"])
  assert.deepStrictEqual(found("https://agon.example:9000", "https://agon.example"), [])
  assert.deepStrictEqual(found("http://localhost:9000", "http://localhost:8080"), [])
})
