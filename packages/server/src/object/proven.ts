/**
 * Objects under content addresses are what was put there, or the store is at fault: a wrong answer, the page of a proxy before a
 * bucket, a damaged disk. Nobody else is: such bytes prove nothing against a runner, and are in no dataset and no backup. So
 * they are no answer of the store, which may give the right ones later.
 */
import { hash } from "node:crypto"
import { Effect, Option } from "effect"
import { hashInKey } from "./keys.ts"
import { ObjectsUnavailable } from "./ObjectStore.ts"

export const proven = (key: string, found: Option.Option<Uint8Array>): Effect.Effect<Option.Option<Uint8Array>, ObjectsUnavailable> => {
  const expected = hashInKey(key)
  return Option.isNone(found) || expected === undefined || hash("sha256", found.value) === expected
    ? Effect.succeed(found)
    : Effect.fail(new ObjectsUnavailable({ operation: "get", key, detail: "the store answered other bytes than were put there" }))
}
