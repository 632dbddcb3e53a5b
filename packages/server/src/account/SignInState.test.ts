import { assert, describe, it } from "@effect/vitest"
import { makeSignInStates, stateLifetime_s } from "./SignInState.ts"

const about = { provider: "hub", return_to: "/", link_to: null }
const now = 1_000_000

describe("the state of a sign-in", () => {
  it("comes back as it left, with the checks that it left with, and once", () => {
    const states = makeSignInStates("secret")
    const { checks, cookie } = states.begin(about, now)
    const used = states.use(cookie, "hub", now + stateLifetime_s * 1000 - 1)!
    assert.deepInclude(used.state, about)
    assert.deepStrictEqual(used.checks, checks)
    assert.isUndefined(states.use(cookie, "hub", now))
  })

  it("is nothing after ten minutes, of another provider, or signed with another secret", () => {
    const states = makeSignInStates("secret")
    const { cookie } = states.begin(about, now)
    assert.isUndefined(states.use(cookie, "hub", now + stateLifetime_s * 1000))
    assert.isUndefined(states.use(cookie, "dev", now))
    assert.isUndefined(makeSignInStates("other").use(cookie, "hub", now))
    assert.isDefined(states.use(cookie, "hub", now))
  })

  it("is nothing once any character of it is another, one is missing, or one is added", () => {
    const states = makeSignInStates("secret")
    const { cookie } = states.begin(about, now)
    for (let i = 0; i < cookie.length; i++) {
      const other = `${cookie.slice(0, i)}${cookie[i] === "A" ? "B" : "A"}${cookie.slice(i + 1)}`
      assert.isUndefined(states.use(other, "hub", now), `at ${i}`)
      assert.isUndefined(states.use(cookie.slice(0, i), "hub", now), `up to ${i}`)
    }
    for (const added of [".", ".x", "A", " "]) assert.isUndefined(states.use(cookie + added, "hub", now), added)
    const wide = `${cookie.slice(0, -1)}\u00e9` // as many characters, and a byte more
    for (const junk of [wide, "", ".", "..", "é.é", "\0.\0", "e30.e30", "x".repeat(20_000)])
      assert.isUndefined(states.use(junk, "hub", now), junk)
    assert.isDefined(states.use(cookie, "hub", now))
  })

  it("shows neither the verifier nor the nonce, and no two are alike", () => {
    const states = makeSignInStates("secret")
    const [one, other] = [states.begin(about, now), states.begin(about, now)]
    const shown = Buffer.from(one.cookie.split(".")[0]!, "base64url").toString()
    for (const hidden of [one.checks.verifier, one.checks.nonce]) assert.notInclude(shown, hidden)
    const all = [one, other].flatMap(({ checks }) => [checks.state, checks.verifier, checks.nonce])
    assert.strictEqual(new Set(all).size, 6)
  })

  it("remembers as used only as many as are worth it", () => {
    const states = makeSignInStates("secret", 10)
    const all = Array.from({ length: 11 }, () => states.begin(about, now).cookie)
    for (const cookie of all) assert.isDefined(states.use(cookie, "hub", now))
    assert.deepStrictEqual(
      [all[10]!, all[1]!, all[0]!].map((cookie) => states.use(cookie, "hub", now) === undefined),
      [true, true, false],
      "the oldest is forgotten"
    )
  })
})
