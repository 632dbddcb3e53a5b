/**
 * Whether a season has the board, baseline, version, match, webhook or round that a path names: checked
 * before the request's body is read.
 */
import { isSlug, isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import type { NameInSeason } from "../http/Lookups.ts"
import { makeQueries } from "./inSeasonQueries.ts"

/** Rounds are numbered from 1, and no season has a million. */
const roundNumber = /^[1-9]\d{0,5}$/

export const makeInSeason = Effect.map(makeQueries, (queries) => (season_id: string, name: NameInSeason): Effect.Effect<boolean> => {
  if ("n" in name) return roundNumber.test(name.n) ? isFound(queries.round({ season_id, name: name.n })) : Effect.succeed(false)
  if ("version" in name) return isUuid(name.version) ? isFound(queries.version({ season_id, name: name.version })) : Effect.succeed(false)
  if ("match" in name) return isUuid(name.match) ? isFound(queries.match({ season_id, name: name.match })) : Effect.succeed(false)
  if ("webhook" in name) return isUuid(name.webhook) ? isFound(queries.webhook({ season_id, name: name.webhook })) : Effect.succeed(false)
  const slug = "map_id" in name ? name.map_id : name.baseline
  if (!isSlug(slug)) return Effect.succeed(false)
  return isFound("map_id" in name ? queries.board({ season_id, name: slug }) : queries.baseline({ season_id, name: slug }))
})

const isFound = <E, R>(row: Effect.Effect<{ readonly found: boolean }, E, R>) => Effect.orDie(row).pipe(Effect.map(({ found }) => found))
