/**
 * Objects under content addresses are what was put there, or the store is at fault: a wrong answer, the page of a proxy before a
 * bucket, a damaged disk. Nobody else is: such bytes prove nothing against a runner, and are in no dataset and no backup. So
 * they are no answer of the store, which may give the right ones later.
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { hashInKey } from "./keys.ts"
import { ObjectsUnavailable } from "./ObjectStore.ts"

/** The bytes that a store has answered under a key. */
export const proven = (key: string, bytes: Uint8Array): Effect.Effect<Uint8Array, ObjectsUnavailable> => {
  const expected = hashInKey(key)
  return expected === undefined || hash("sha256", bytes) === expected
    ? Effect.succeed(bytes)
    : Effect.fail(new ObjectsUnavailable({ operation: "get", key, detail: "the store answered other bytes than were put there" }))
}
