import { assert, describe, it } from "@effect/vitest"
import { makeDevSignInStore } from "./devSignInStore.ts"

describe("what the development sign-in remembers", () => {
  it("is bounded, however many sign-ins are begun: the oldest go", async () => {
    const store = makeDevSignInStore()("Interaction")
    for (let n = 0; n < 10_010; n++) await store.upsert(String(n), { uid: `u${n}` }, 600)
    assert.isUndefined(await store.find("0"))
    assert.isUndefined(await store.findByUid("u9"))
    assert.deepStrictEqual(await store.find("10"), { uid: "u10" })
    assert.deepStrictEqual(await store.findByUid("u10009"), { uid: "u10009" })
  })

  it("is told apart by its kind, used up once, and gone with its grant", async () => {
    const storeOf = makeDevSignInStore()
    const [codes, tokens] = [storeOf("AuthorizationCode"), storeOf("AccessToken")]
    await codes.upsert("a", { grantId: "g" }, 60)
    await tokens.upsert("a", { grantId: "other" }, 60)
    await codes.consume("a")
    assert.deepStrictEqual([(await codes.find("a"))?.["consumed"], (await tokens.find("a"))?.["consumed"]], [true, undefined])
    await codes.revokeByGrantId("g")
    assert.deepStrictEqual([await codes.find("a"), (await tokens.find("a"))?.grantId], [undefined, "other"])
  })
})
