/** Announcements, posts and stories over the API, for tests that need some. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "./Administration.ts"

const made = (path: string, json: unknown) =>
  Effect.map(A.post(path, json), (answer) => {
    assert.strictEqual(answer.status, 201, answer.text)
    return answer.json
  })

/** One that is shown from now on, but for what is said otherwise. */
export const announce = (title: string, more: object = {}) => made("/v1/admin/announcements", { title, body: "Soon.", ...more })

/** One that is published, but for what is said otherwise. */
export const post = (slug: string, more: object = {}) =>
  made("/v1/admin/posts", { slug, title: `About ${slug}`, body: "Long ago.", published_at: A.past, ...more })

export const write = (as: string, model: string, body: string, submit = true) =>
  A.ask(`/v1/models/${model}/story`, { method: "PUT", as, json: { body, submit } })

export const decide = (model: string, state: "approved" | "rejected", more: object = {}) =>
  A.patch(`/v1/admin/stories/${model}`, { state, ...more })

/** A story that everybody may read. */
export const story = Effect.fnUntraced(function* (as: string, model: string, body: string, featured = false) {
  assert.strictEqual((yield* write(as, model, body)).status, 200)
  const { json, status, text } = yield* decide(model, "approved", { featured })
  assert.strictEqual(status, 200, text)
  return json
})
