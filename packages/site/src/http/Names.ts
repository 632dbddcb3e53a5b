/**
 * Names of games and seasons, which never change. A page that shows one is not out of date when another figure of the record changes, so
 * the read is none of the page's own; a name that everybody may see is read once in a while, since a season that was removed may be made
 * anew with another name.
 */
import type { Client } from "@agon/api/Client.ts"
import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Clock, Effect } from "effect"
import { aside } from "./Reads.ts"

/** Reads with the client of the page. The slug stands for a name that cannot be read. */
export interface Names {
  readonly game: (client: Client, slug: string) => Effect.Effect<string>
  readonly season: (client: Client, game: string, slug: string) => Effect.Effect<string>
}

/** Names kept; the oldest goes first. */
export const NAMES_MAX = 1_000
const KEPT_MS = 60_000

interface Named {
  readonly name: string
  readonly isPublic: boolean
}

export const makeNames = (): Names => {
  const kept = new CappedMap<string, { readonly name: string; readonly until_ms: number }>(NAMES_MAX)
  /** Slugs have no slash, so that each address is one game's or one season's. */
  const named = (address: string, slug: string, read: Effect.Effect<Named, unknown>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
      const known = kept.get(address)
      if (known !== undefined && now_ms < known.until_ms) return Effect.succeed(known.name)
      const name = Effect.map(read, ({ isPublic, name }) => {
        if (isPublic) kept.set(address, { name, until_ms: now_ms + KEPT_MS })
        return name
      })
      return aside(name, slug)
    })

  return {
    game: (client, slug) =>
      named(
        slug,
        slug,
        Effect.map(client.game.game({ params: { game: slug } }), ({ name }) => ({ name, isPublic: true }))
      ),
    season: (client, game, slug) =>
      named(
        `${game}/${slug}`,
        slug,
        Effect.map(client.season.season({ params: { game, slug } }), ({ name, visibility }) => ({
          name,
          isPublic: visibility === "public"
        }))
      )
  }
}
