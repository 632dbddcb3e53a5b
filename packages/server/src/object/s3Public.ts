/** A bucket that anybody may read from shows every competitor's weights and the replays of private seasons. The start looks before it uses one. */
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ObjectsUnavailable } from "./ObjectStore.ts"
import { discard, removeObject, type S3Requests } from "./s3Requests.ts"

/** Puts an object there and asks for it as a stranger would. A server that cannot be asked so has shown nothing. */
export const refusePublic = Effect.fnUntraced(function* (requests: S3Requests) {
  const key = `probes/${randomUUID()}`
  yield* Effect.flatMap(requests.send({ operation: "bucket", method: "PUT", key, body: new TextEncoder().encode("probe") }), discard)
  const status = yield* Effect.ensuring(requests.unsigned(key), Effect.ignore(removeObject(requests, key)))
  if (status !== 200) return
  const detail = "it answers requests that nobody has signed; make it private"
  return yield* new ObjectsUnavailable({ operation: "bucket", key: "", detail })
})
