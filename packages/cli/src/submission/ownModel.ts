/** The caller's models by name. */
import type { Client } from "@agon/api/Client.ts"
import { named } from "@agon/api/Name.ts"
import { firstPage, pageAfter } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { Effect } from "effect"

const PAGE = 100

/** Undefined where the caller has no model of this name in the game, however its letters are composed. */
export const findModel = Effect.fnUntraced(function* (client: Client, game: string, name: string) {
  const wanted = named(name)
  for (let page = firstPage(PAGE); ; ) {
    const { models, next_cursor } = yield* retryRefused(client.model.ownModels({ query: { game, ...page } }))
    const found = models.find((model) => named(model.name) === wanted)
    if (found !== undefined || next_cursor === null) return found
    page = pageAfter(next_cursor, PAGE)
  }
})

export const findOrCreateModel = Effect.fnUntraced(function* (client: Client, game: string, name: string) {
  const known = yield* findModel(client, game, name)
  return known ?? (yield* retryRefused(client.model.createModel({ params: { game }, payload: { name } })))
})
