/** A model of the visitor's. */
import type { Client } from "@agon/api/Client.ts"
import { Effect } from "effect"
import { notFound } from "../http/refuse.ts"

/** With the versions that the visitor may see. Fails where it is nobody's, or somebody else's. */
export const ownModel = Effect.fnUntraced(function* (client: Client, id: string) {
  const [model, { username }] = yield* Effect.all([client.model.privateModel({ params: { id } }), client.account.me()], {
    concurrency: "unbounded"
  })
  return model?.owner === username ? model : yield* notFound
})
