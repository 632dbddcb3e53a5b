/** Comments over the API, for tests that need some. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "./Administration.ts"

export interface About {
  readonly match?: string
  readonly model?: string
}

export const say = (as: string, about: About, body: string, parent_id: string | null = null) =>
  A.post("/v1/threads/comments", { ...about, body, parent_id }, as)

export const decide = (id: string, state: "approved" | "removed") => A.patch(`/v1/admin/comments/${id}`, { state })

/** One that is there to be read, whoever its author is: its id. */
export const published = Effect.fnUntraced(function* (as: string, about: About, body = "Well played.", parent_id: string | null = null) {
  const { json, status, text } = yield* say(as, about, body, parent_id)
  assert.strictEqual(status, 201, text)
  if (json.state === "pending") assert.strictEqual((yield* decide(json.id, "approved")).status, 200)
  return json.id as string
})
