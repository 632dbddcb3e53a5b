import { assert, describe, it } from "@effect/vitest"
import { makeSignInStates, STATE_LIFETIME_S } from "./SignInState.ts"

const about = { provider: "hub", return_to: "/", link_to: null }
const now = 1_000_000

describe("the state of a sign-in", () => {
  it("comes back as it left, with the checks that it left with", () => {
    const states = makeSignInStates("secret")
    const { checks, cookie } = states.begin(about, now)
    const read = states.read(cookie, "hub", now + STATE_LIFETIME_S * 1000 - 1)!
    assert.deepInclude(read.state, about)
    assert.deepStrictEqual(read.checks, checks)
  })

  it("is nothing after ten minutes, of another provider, or signed with another secret", () => {
    const states = makeSignInStates("secret")
    const { cookie } = states.begin(about, now)
    assert.isUndefined(states.read(cookie, "hub", now + STATE_LIFETIME_S * 1000))
    assert.isUndefined(states.read(cookie, "dev", now))
    assert.isUndefined(makeSignInStates("other").read(cookie, "hub", now))
    assert.isDefined(states.read(cookie, "hub", now))
  })

  it("is nothing once any character of it is another, one is missing, or one is added", () => {
    const states = makeSignInStates("secret")
    const { cookie } = states.begin(about, now)
    for (let i = 0; i < cookie.length; i++) {
      const other = `${cookie.slice(0, i)}${cookie[i] === "A" ? "B" : "A"}${cookie.slice(i + 1)}`
      assert.isUndefined(states.read(other, "hub", now), `at ${i}`)
      assert.isUndefined(states.read(cookie.slice(0, i), "hub", now), `up to ${i}`)
    }
    for (const added of [".", ".x", "A", " "]) assert.isUndefined(states.read(cookie + added, "hub", now), added)
    const wide = `${cookie.slice(0, -1)}\u00e9` // the same length in characters, one byte more
    for (const junk of [wide, "", ".", "..", "é.é", "\0.\0", "e30.e30", "x".repeat(20_000)])
      assert.isUndefined(states.read(junk, "hub", now), junk)
    assert.isDefined(states.read(cookie, "hub", now))
  })

  it("shows neither the verifier nor the nonce, and no two are alike", () => {
    const states = makeSignInStates("secret")
    const [one, other] = [states.begin(about, now), states.begin(about, now)]
    const shown = Buffer.from(one.cookie.split(".")[0]!, "base64url").toString()
    for (const hidden of [one.checks.verifier, one.checks.nonce]) assert.notInclude(shown, hidden)
    const all = [one, other].flatMap(({ checks }) => [checks.state, checks.verifier, checks.nonce])
    assert.strictEqual(new Set(all).size, 6)
  })
})
