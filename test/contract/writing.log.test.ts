/**
 * Each text that administrators write for the site leaves a row in the log in its own transaction: where the
 * row cannot be written, nothing is.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { call } from "../support/Web.ts"
import * as Writing from "../support/Writing.ts"
import { withoutLog } from "../support/withoutLog.ts"

const { alpha, beta, gamma } = Fixture.modelIds

const rowsOf = (table: string) =>
  A.rows`SELECT query_to_xml('SELECT * FROM ' || ${table} || ' x ORDER BY x::text', true, true, '')::text AS xml`
const fingerprint = Effect.map(Effect.forEach(["announcement", "post", "story", "notification"], rowsOf), (all) => JSON.stringify(all))
const logged = A.rows<{ readonly row: string }>`
  SELECT concat_ws(' ', a.username, l.action, l.subject, l.game, l.season_id) AS row FROM audit l JOIN account a ON a.id = l.actor ORDER BY l.id`

const writes = Effect.gen(function* () {
  const { id } = yield* Writing.announce("Soon")
  yield* Writing.post("kept")
  yield* Writing.write("ada", alpha, "Once.")
  yield* Writing.write("bob", beta, "Twice.")
  yield* Writing.story("bob", gamma, "Thrice.")
  const story = (model: string) => `/v1/admin/stories/${model}`
  return [
    ["POST", "/v1/admin/announcements", { title: "New", body: "x" }, "announcement.add", undefined],
    ["PATCH", `/v1/admin/announcements/${id}`, { title: "Now" }, "announcement.edit", id],
    ["DELETE", `/v1/admin/announcements/${id}`, undefined, "announcement.remove", id],
    ["POST", "/v1/admin/posts", { slug: "new", title: "x", body: "x" }, "post.add", "new"],
    ["PATCH", "/v1/admin/posts/kept", { slug: "moved" }, "post.edit", "kept"],
    ["DELETE", "/v1/admin/posts/moved", undefined, "post.remove", "moved"],
    ["PATCH", story(alpha), { state: "approved", featured: true }, "story.approve", alpha],
    ["PATCH", story(beta), { state: "rejected" }, "story.reject", beta],
    ["PATCH", story(gamma), { state: "approved", featured: true }, "story.feature", gamma],
    ["PATCH", story(gamma), { state: "approved", featured: false }, "story.unfeature", gamma],
    ["PATCH", story(gamma), { state: "rejected" }, "story.reject", gamma]
  ] as const
})

layer(Fixture.layer.pipe(Layer.provideMerge(A.layer)), A.options)("the log of what is written", (it) => {
  it.effect("has one row of every write, and a write whose row cannot be written does not happen", () =>
    Effect.gen(function* () {
      for (const [method, url, json, action, subject] of yield* writes) {
        const at = `${method} ${url}`
        const before = { log: yield* logged, state: yield* fingerprint }
        const given = { method, as: "root", ...(json === undefined ? {} : { json }) }
        assert.strictEqual((yield* withoutLog(call(url, given))).status, 500, at)
        assert.strictEqual(yield* fingerprint, before.state, `${at} is undone`)
        const written = yield* call(url, given)
        assert.isBelow(written.status, 300, `${at} ${written.text}`)
        assert.notStrictEqual(yield* fingerprint, before.state, `${at} changes something`)
        assert.deepStrictEqual(yield* logged, [...before.log, { row: `root ${action} ${subject ?? written.json.id}` }], at)
      }
    })
  )
})
