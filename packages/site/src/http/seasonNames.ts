/** Seasons of a list by their names, where its rows have their slugs. */
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import type { Asked } from "./Route.ts"

/** The name of a season of the list. */
export type SeasonNames = (game: string, season: string) => string

interface InSeason {
  readonly game: string
  readonly season: string
}

const keyOf = (game: string, season: string) => `${game}/${season}`

/** Each season of the rows is asked for once; those that the page has read, as `known`, not at all. */
export const seasonNames = Effect.fnUntraced(function* (
  { client, names }: Pick<Asked, "client" | "names">,
  rows: ReadonlyArray<InSeason>,
  known: ReadonlyArray<Pick<Season, "game" | "slug" | "name">> = []
) {
  const found = new Map(known.map(({ game, name, slug }) => [keyOf(game, slug), name]))
  const missing = new Map(
    rows.flatMap((row) => (found.has(keyOf(row.game, row.season)) ? [] : [[keyOf(row.game, row.season), row] as const]))
  )
  yield* Effect.forEach(
    missing,
    ([key, { game, season }]) => Effect.map(names.season(client, game, season), (name) => found.set(key, name)),
    { concurrency: "unbounded", discard: true }
  )
  return ((game, season) => found.get(keyOf(game, season)) ?? season) satisfies SeasonNames
})
