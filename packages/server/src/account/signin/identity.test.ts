import { assert, describe, it } from "@effect/vitest"
import { identityOf } from "./identity.ts"

const of = (user: Readonly<Record<string, unknown>>, claim = "login") =>
  identityOf("hub", user["sub"] ?? "s", user, { subject_claim: "sub", login_claim: claim })

describe("who signed in", () => {
  it("is the subject, the login and the name that the provider gives", () => {
    assert.deepStrictEqual(of({ sub: 7, login: "Ada", name: " Ada  Lovelace " }), {
      provider: "hub",
      subject: "7",
      login: "Ada",
      name: "Ada Lovelace",
      email: undefined
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
      assert.throws(
        () => identityOf("hub", subject, {}, { subject_claim: "id", login_claim: "login" }),
        /no subject/,
        JSON.stringify(subject)
      )
    }
  })

  it("has a name that can be shown: of 64 characters, none of them control characters or halves of others", () => {
    assert.strictEqual(of({ name: "A\0d\ud800a\u0007\nL" }).name, "A d a L")
    assert.strictEqual(of({ name: "\u202eA\u200bda\u2066 Zoe\u0308\ue000" }).name, "Ada Zoë")
    assert.isUndefined(of({ name: "\u3164\u200d\ufe0f" }).name)
    assert.strictEqual(of({ name: "x".repeat(1e6) }).name, "x".repeat(64))
    assert.strictEqual(of({ name: `${"x".repeat(63)}🐍` }).name, "x".repeat(63))
    assert.strictEqual(of({ name: "🐍".repeat(40) }).name, "🐍".repeat(32))
  })

  it("has a name without what nothing shows, before it is cut to 64 characters and where the cut has left some at its end", () => {
    assert.strictEqual(of({ name: `${"\u202e".repeat(70)}Ada` }).name, "Ada")
    const before = `${"x".repeat(61)}🐍`
    assert.strictEqual(of({ name: `${before}\u200d` }).name, before)
    assert.strictEqual(of({ name: `${before}\u200d🐍` }).name, before)
  })

  it("can be mailed where the provider has verified an address, and it is one that mail servers take", () => {
    const email = "Ada.L+agon@mail.agon.example"
    for (const email_verified of [true, "true"]) assert.strictEqual(of({ email, email_verified }).email, email)
    for (const email_verified of [undefined, false, "false", null, 0, 1]) assert.isUndefined(of({ email, email_verified }).email)
    const ill = [
      "",
      "ada",
      "ada@",
      "@b",
      "a b@c",
      "a@b\r\nBcc: c@d",
      "a@b>",
      "<a@b",
      "a@b,c@d",
      "a@b..c",
      '"a"@b',
      `${"a".repeat(65)}@b`,
      7,
      null
    ]
    for (const email of ill) assert.isUndefined(of({ email, email_verified: true }).email, String(email))
    assert.isUndefined(of({ email: `a@${"b".repeat(254)}`, email_verified: true }).email)
  })

  it("is known by an address only where the provider says that it is verified", () => {
    const email = "boss@agon.example"
    for (const email_verified of [true, "true"]) assert.strictEqual(of({ email, email_verified }, "email").login, email)
    for (const email_verified of [undefined, false, "false", null, 0, 1, "yes"])
      assert.strictEqual(of({ email, email_verified }, "email").login, "s", String(email_verified))
  })

  it("is not known by it under another name either", () => {
    const user = { email: "boss@agon.example", login: " Boss@Agon.example" }
    assert.strictEqual(of(user).login, "s")
    assert.strictEqual(of({ ...user, email_verified: true }).login, "Boss@Agon.example")
    assert.strictEqual(of({ ...user, login: "boss" }).login, "boss")
  })

  it("is nobody where the subject itself is an address that is not verified", () => {
    const email = "boss@agon.example"
    const identity = (claim: string, user: Readonly<Record<string, unknown>>) =>
      identityOf("hub", user[claim], user, { subject_claim: claim, login_claim: "login" })
    assert.throws(() => identity("email", { email, login: "ada" }), /not verified/)
    assert.throws(() => identity("id", { id: "BOSS@agon.example", email, login: "ada" }), /not verified/)
    assert.strictEqual(identity("email", { email, login: "ada", email_verified: true }).subject, email)
  })
})
