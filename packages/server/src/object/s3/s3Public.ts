/**
 * A public bucket would show every competitor's weights and the replays of private seasons, so the start
 * checks for one and refuses it.
 */

import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { ObjectsUnavailable } from "../ObjectStore.ts"
import { discard, removeObject, type S3Requests } from "./s3Requests.ts"

/** Puts an object there and requests it without a signature. No answer to that request counts as not public. */
export const refusePublic = Effect.fnUntraced(function* (requests: S3Requests) {
  const key = `probes/${randomUUID()}`
  yield* Effect.flatMap(requests.send({ operation: "bucket", method: "PUT", key, body: new TextEncoder().encode("probe") }), discard)
  const status = yield* Effect.ensuring(requests.unsigned(key), Effect.ignore(removeObject(requests, key)))
  if (status !== 200) return
  const detail = "it answers requests that nobody has signed; make it private"
  return yield* new ObjectsUnavailable({ operation: "bucket", key: "", detail })
})
