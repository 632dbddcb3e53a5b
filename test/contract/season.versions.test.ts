/**
 * A season's candidates and entries out of play, as its administrators list them
 * (docs/contract.md#versions-of-a-season).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import { call } from "../support/Web.ts"

const BECAUSE = "It was trained on the boards of the finals."

/** A candidate of an account that has no other, whose files are there. */
const candidate = Effect.fnUntraced(function* (season_id: string, n: number) {
  const [model] = yield* A.rows<{ readonly id: string; readonly owner: string }>`
    WITH a AS (INSERT INTO account (id, username, display_name, created_at)
      VALUES (gen_random_uuid(), ${`candidate-${n}`}, 'Candidate', now()) RETURNING id)
    INSERT INTO model (id, game, owner_id, name, created_at)
    SELECT gen_random_uuid(), 'snakes', id, 'candidate', now() FROM a RETURNING id, owner_id AS owner`
  return yield* A.enter(season_id, n, model!.id, model!.owner, false, `sha256:${String(n).padStart(64, "0")}`)
})

layer(A.layer, A.options)("versions of a season, for its administrators", (it) => {
  it.effect("are its candidates, the newest first, page by page, with what each waits for", () =>
    Effect.gen(function* () {
      const { id, url } = yield* A.season("crowd", { admins: ["ada"] })
      const entered = yield* A.entry(id, 801)
      const [first, second, third] = yield* Effect.forEach([811, 812, 813], (n) => candidate(id, n))
      const listed = (query = "") => Effect.map(A.read(url(`/versions${query}`), "ada"), ({ json }) => json)
      const whole = yield* listed()
      assert.deepStrictEqual(
        whole.versions.map(({ owner, phase, status, version_id }: any) => [version_id, owner, status, phase]),
        [third, second, first].map((version, i) => [version, `candidate-${813 - i}`, "testing", "review"])
      )
      assert.deepStrictEqual(
        whole.versions.map(({ waiting }: any) => waiting),
        [2, 1, 0].map((ahead) => ({ reason: "no_admitter", ahead, eta_s: null }))
      )
      assert.isNull(whole.next_cursor)
      const page = yield* listed("?limit=2")
      assert.deepStrictEqual([page.versions, page.next_cursor], [whole.versions.slice(0, 2), "2"])
      assert.deepStrictEqual(yield* listed("?limit=2&cursor=2"), { versions: whole.versions.slice(2), next_cursor: null })
      assert.deepStrictEqual(yield* listed("?limit=3"), whole, "a page that is just full is the last")
      assert.deepStrictEqual(yield* listed("?cursor=3"), { versions: [], next_cursor: null })

      for (const state of ["suspended", "disqualified"]) assert.deepStrictEqual((yield* listed(`?state=${state}`)).versions, [])
      for (const state of ["superseded", "", "testing&state=testing"])
        assert.deepStrictEqual(A.refusal(yield* A.read(url(`/versions?state=${state}`), "ada")), [400, "invalid_request"], state)
      assert.deepStrictEqual(A.refusal(yield* A.read(url("/versions"), "bob")), [403, "season_admin_only"])
      assert.deepStrictEqual(A.refusal(yield* call(url("/versions"))), [401, "unauthenticated"])
      const other = yield* A.season("quiet", { admins: ["bob"] })
      assert.deepStrictEqual((yield* A.read(other.url("/versions"), "bob")).json, { versions: [], next_cursor: null })
      const shown = (yield* A.read(`/v1/versions/${entered}`)).json
      for (const field of ["disqualified", "owner_removed", "reject_detail"]) assert.notProperty(shown, field)
    })
  )

  it.effect("are entries out of play, and by whose doing, until they play again", () =>
    Effect.gen(function* () {
      const { id, url } = yield* A.season("fouls", { admins: ["ada"] })
      const [decided, removed, suspended] = yield* Effect.forEach([821, 822, 823], (n) => A.entry(id, n))
      const listed = (state: string) =>
        Effect.map(A.read(url(`/versions?state=${state}`), "ada"), ({ json }) =>
          json.versions.map(({ disqualified, owner_removed, reject_detail, version_id }: any) => ({
            version_id,
            disqualified,
            owner_removed,
            reject_detail
          }))
        )
      const suspend = (flag: boolean) => A.patch("/v1/admin/users/entrant-822", { suspended: flag })
      const byDecision = { version_id: decided, disqualified: true, owner_removed: false, reject_detail: BECAUSE }
      yield* A.post(url(`/versions/${decided}/disqualify`), { reason: BECAUSE, void_matches: false }, "ada")
      assert.deepStrictEqual(yield* listed("disqualified"), [byDecision])
      yield* suspend(true)
      yield* eventually(
        "the owner's entry is out",
        Effect.map(listed("disqualified"), ({ length }) => length === 2)
      )
      const withOwner = yield* listed("disqualified")
      assert.deepInclude(withOwner[0], { version_id: removed, disqualified: false, owner_removed: true })
      assert.deepStrictEqual(withOwner[1], byDecision)
      yield* A.post(url(`/versions/${removed}/reinstate`), undefined, "ada")
      assert.lengthOf(yield* listed("disqualified"), 2, "it is not back without its owner")
      yield* suspend(false)
      yield* eventually(
        "the owner's entry is back",
        Effect.map(listed("disqualified"), ({ length }) => length === 1)
      )
      yield* A.post(url(`/versions/${decided}/reinstate`), undefined, "ada")
      assert.deepStrictEqual(yield* listed("disqualified"), [])

      yield* A.rows`UPDATE version SET phase = 'suspended' WHERE id = ${suspended!}`
      const [row] = (yield* A.read(url("/versions?state=suspended"), "ada")).json.versions
      assert.deepInclude(row, { version_id: suspended, status: "entered", phase: "suspended" })
    })
  )

  it.effect("are found by the beginning of their model's name or their owner's username, and no character is a wildcard", () =>
    Effect.gen(function* () {
      const { id, url } = yield* A.season("names", { admins: ["ada"] })
      const [first, second, third] = yield* Effect.forEach([831, 832, 833], (n) => A.entry(id, n))
      const elsewhere = yield* A.season("elsewhere", { admins: ["ada"] })
      yield* A.entry(elsewhere.id, 834)
      yield* candidate(id, 835)
      yield* A.rows`UPDATE model SET name = 'Anaconda 100%' WHERE id = (SELECT model_id FROM version WHERE id = ${second!})`
      const found = (query: string) =>
        Effect.map(A.read(url(`/versions?${query}`), "ada"), ({ json }) => [
          json.versions.map((one: any) => one.version_id),
          json.next_cursor
        ])
      const entered = (name: string) => found(`state=entered&name=${encodeURIComponent(name)}`)
      assert.deepStrictEqual(yield* found("state=entered"), [[third, second, first], null])
      assert.deepStrictEqual(yield* entered("anaCON"), [[second], null])
      assert.deepStrictEqual(yield* entered(" Anaconda 100% "), [[second], null])
      assert.deepStrictEqual(yield* entered("entrant-83"), [[third, second, first], null], "each once, by its owner, in this season alone")
      assert.deepStrictEqual(yield* entered("ENTRANT-833"), [[third], null])
      assert.deepStrictEqual(yield* entered(" "), [[third, second, first], null])
      assert.deepStrictEqual(yield* found("state=entered&name=entrant&limit=2"), [[third, second], "2"])
      assert.deepStrictEqual(yield* found("state=entered&name=entrant&limit=2&cursor=2"), [[first], null])
      assert.lengthOf((yield* found("name=cand"))[0], 1, "candidates as well")
      assert.deepStrictEqual(yield* found("state=disqualified&name=entrant"), [[], null])
      for (const nobody of ["naconda", "%", "_", "a%", "Anaconda 100_", ".*", "\\", "\0", "'\"; --"])
        assert.deepStrictEqual(yield* entered(nobody), [[], null], nobody)
      assert.strictEqual((yield* A.read(url(`/versions?name=${"x".repeat(101)}`), "ada")).status, 400)
    })
  )
})
