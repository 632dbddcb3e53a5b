import { assert, describe, it } from "@effect/vitest"
import { identityOf } from "./identity.ts"

const of = (user: Readonly<Record<string, unknown>>, claim = "login") => identityOf("hub", user["sub"] ?? "s", user, claim)

describe("who signed in", () => {
  it("is the subject, the login and the name that the provider gives", () => {
    assert.deepStrictEqual(of({ sub: 7, login: "Ada", name: " Ada  Lovelace " }), {
      provider: "hub",
      subject: "7",
      login: "Ada",
      name: "Ada Lovelace"
    })
  })

  it("has the subject as login, and no name, where the provider gives none that could be kept", () => {
    const unusable = [undefined, null, 1, {}, [], "", "  ", "a\0b", "a\nb", "\ud800", "x".repeat(201)]
    for (const login of unusable) assert.strictEqual(of({ login }).login, "s", JSON.stringify(login))
    for (const name of [undefined, null, 1, {}, [], "", "  ", "\0", "\ud800\ud800"])
      assert.isUndefined(of({ name }).name, JSON.stringify(name))
  })

  it("is nobody without a subject that can be kept, and told from everybody else's", () => {
    for (const subject of [null, "", " ", {}, [], true, 1.5, 2 ** 53, 1e300, Number.NaN, "a\0b", "\ud800", "x".repeat(256)]) {
      assert.throws(() => identityOf("hub", subject, {}, "login"), /no subject/, JSON.stringify(subject))
    }
  })

  it("has a name that can be shown: of 64 characters, none of them control characters or halves of others", () => {
    assert.strictEqual(of({ name: "A\0d\ud800a\u0007\nL" }).name, "A d a L")
    assert.strictEqual(of({ name: "x".repeat(1e6) }).name, "x".repeat(64))
    assert.strictEqual(of({ name: `${"x".repeat(63)}🐍` }).name, "x".repeat(63))
    assert.strictEqual(of({ name: "🐍".repeat(40) }).name, "🐍".repeat(32))
  })

  it("is not known by an address of which the provider says that it is not verified", () => {
    const email = "boss@agon.example"
    assert.strictEqual(of({ email }, "email").login, email)
    for (const email_verified of [true, "true"]) assert.strictEqual(of({ email, email_verified }, "email").login, email)
    for (const email_verified of [false, "false", null, 0]) assert.strictEqual(of({ email, email_verified }, "email").login, "s")
  })
})
