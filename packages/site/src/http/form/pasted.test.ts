import { assert, describe, it } from "@effect/vitest"
import { pastedBoard, pastedId, pastedUsername } from "./pasted.ts"

const ID = "0198f2a4-7c1d-7000-8000-00000000002a"
const OTHER = "0198f2a4-7c1d-7000-8000-00000000002b"

describe("what people paste", () => {
  it("is the id of a match, or an address of the site or the API that has it", () => {
    for (const text of [
      ID,
      ` ${ID.toUpperCase()}\n`,
      `https://agon.example/matches/${ID}`,
      `https://agon.example:8443/private/matches/${ID}?cursor=50#turn=7`,
      `agon.example/me/matches/${ID}/`,
      `/v1/matches/${ID}`,
      `matches/${ID}`,
      `http://127.0.0.1:8080/games/snakes/seasons/demo/admin/matches?cursor=50&match=${ID}#void`,
      `/me/comments?match=${ID}`,
      `/replays/${ID}/sha256-ab.json`
    ])
      assert.strictEqual(pastedId(text, "match"), ID, text)
  })

  it("names the thing of the kind that is asked for, and nothing else", () => {
    const both = `https://agon.example/me/comments/${OTHER}?match=${ID}`
    assert.strictEqual(pastedId(both, "match"), ID)
    for (const text of [
      "",
      "Ada – Bob",
      `https://agon.example/models/${ID}`,
      `https://agon.example/matches/${ID}0`,
      `https://agon.example/matches/${ID}-1`,
      `https://agon.example/rematches/${ID}`,
      `${ID} ${OTHER}`,
      `/matches/${ID}`.padStart(3_000, "x")
    ])
      assert.isUndefined(pastedId(text, "match"), text)
    assert.strictEqual(pastedId(`/models/${ID}?season=demo#v3`, "model"), ID)
    assert.strictEqual(pastedId(`/me/versions/${ID}`, "version"), ID)
    assert.isUndefined(pastedId(`/models/${ID}?season=demo#v3`, "version"))
  })

  it("is a username or a board's id, or the address of its page", () => {
    for (const text of ["ada", " ada ", "https://agon.example/people/ada", "/people/ada?cursor=50", "/people/ada/"])
      assert.strictEqual(pastedUsername(text), "ada", text)
    assert.strictEqual(pastedUsername("nobody at all"), "nobody at all")
    assert.strictEqual(pastedBoard("https://agon.example/games/snakes/seasons/demo/boards/open-7"), "open-7")
  })
})
