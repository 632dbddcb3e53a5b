/** The log of everything that administrators did, read by those of the platform (docs/contract.md#audit-log). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"

const read = (query = "") => A.read(`/v1/admin/audit${query}`)
const told = ({ json }: { readonly json: any }) =>
  json.audit.map(({ action, actor, game, season, subject }: any) => [actor, action, game, season, subject])

layer(A.layer, A.options)("the log of the platform", (it) => {
  it.effect("has what was done in every season, private ones too, and outside of all, newest first", () =>
    Effect.gen(function* () {
      const open = yield* A.season("open", { admins: ["ada"] })
      const hidden = yield* A.season("hidden", { visibility: "private" })
      yield* A.post(open.url("/participants"), { logins: ["eve"] }, "ada")
      yield* A.post(hidden.url("/participants"), { logins: ["eve"] })
      yield* A.post("/v1/runner-keys", { name: "rack" })
      yield* A.patch("/v1/admin/users/bob", { admin: true })
      yield* A.post("/v1/admin/words", { word: "darn" }, "bob")
      const all = yield* read()
      assert.deepStrictEqual(Object.keys(all.json), ["audit", "total", "next_cursor"])
      const rows = [
        ["bob", "word.add", null, null, "darn"],
        ["root", "user.edit", null, null, "bob"],
        ["root", "runner-key.create", null, null, "rack"],
        ["root", "participant.add", "snakes", "hidden", "hidden"],
        ["ada", "participant.add", "snakes", "open", "open"],
        ["root", "season.create", "snakes", "hidden", "hidden"],
        ["root", "season.create", "snakes", "open", "open"]
      ]
      assert.deepStrictEqual(told(all), rows)
      assert.deepStrictEqual([all.json.total, all.json.next_cursor], [7, null])
      assert.deepStrictEqual(all.json.audit[1].detail, { admin: true })
      const ofSeason = yield* A.read(hidden.url("/audit"))
      assert.deepStrictEqual(
        ofSeason.json.audit,
        all.json.audit.filter(({ season }: any) => season === "hidden")
      )
      const [first, last] = [yield* read("?limit=5"), yield* read("?limit=5&cursor=5")]
      assert.deepStrictEqual([...told(first), ...told(last)], rows)
      assert.deepStrictEqual([first.json.next_cursor, last.json.next_cursor, last.json.total], ["5", null, 7])
    })
  )

  it.effect("is read by pages as every list, and reading it writes nothing", () =>
    Effect.gen(function* () {
      const past = yield* read("?cursor=100")
      assert.deepStrictEqual([past.json.audit, past.json.total, past.json.next_cursor], [[], 7, null])
      assert.strictEqual((yield* read("?limit=99999")).status, 200)
      assert.deepStrictEqual(A.refusal(yield* read("?limit=0")), [400, "invalid_request"])
      assert.deepStrictEqual(A.refusal(yield* read("?cursor=x")), [400, "invalid_cursor"])
      assert.deepStrictEqual(A.refusal(yield* A.read("/v1/admin/audit", "ada")), [403, "admin_only"])
      assert.strictEqual((yield* read()).json.total, 7)
    })
  )
})
