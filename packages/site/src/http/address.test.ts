import { assert, it } from "@effect/vitest"
import { home } from "../game/home.ts"
import { knownOf, pageKeyOf } from "./address.ts"

const list = { path: "/list", query: ["sort", "cursor"] } as const
const address = (given: Readonly<Record<string, string | Array<string>>>) => pageKeyOf(list, {}, knownOf(list, given)!, true)

it("a page has one address, however its parameters are written, and whatever else the request's address has", () => {
  for (const same of [{ cursor: "7" }, { cursor: "007" }, { cursor: ["1", "7"] }, { cursor: " 7 ", sort: "" }, { x: "1", cursor: "7" }]) {
    assert.strictEqual(address(same), address({ cursor: "7" }), JSON.stringify(same))
  }
  for (const same of [{}, { cursor: "0" }, { cursor: "000" }, { cursor: "" }]) assert.strictEqual(address(same), address({}))
  assert.strictEqual(address({ cursor: "7", sort: "a" }), address({ sort: "a", cursor: "7" }))
  assert.notStrictEqual(address({ cursor: "70" }), address({ cursor: "7" }))
  assert.isUndefined(knownOf(list, { sort: "a".repeat(201) }))
})

it("a page that shows a way to sign in is another than one that shows none", () => {
  assert.notStrictEqual(pageKeyOf(list, {}, {}, true), pageKeyOf(list, {}, {}, false))
})

it("a sign-in error that nobody knows makes no front page of its own", () => {
  assert.deepStrictEqual(knownOf(home, { sign_in_error: "made-up" }), {})
  assert.deepStrictEqual(knownOf(home, { sign_in_error: "constructor" }), {})
  assert.deepStrictEqual(knownOf(home, { sign_in_error: "access_denied" }), { sign_in_error: "access_denied" })
})
