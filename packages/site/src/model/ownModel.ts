/** A model of the visitor's. */
import type { Client } from "@agon/api/Client.ts"
import type { Model } from "@agon/api/model/api.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { Effect } from "effect"
import { found } from "../http/refuse.ts"

/** A competitor has few in each game. */
export const OWN_MODELS = 100

/** Fails where it is nobody's, or somebody else's. */
export const ownModel = (client: Client, id: string): Effect.Effect<Model, unknown> =>
  Effect.flatMap(client.model.ownModels({ query: firstPage(OWN_MODELS) }), ({ models }) => found(models.find((one) => one.id === id)))
