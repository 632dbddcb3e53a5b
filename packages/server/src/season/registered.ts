/** The games that the service is built with; any other name is refused before any statement. */

import { UnknownGame } from "@agon/api/Authorization.ts"
import { engineOf, engines } from "@agon/engine/registry.ts"
import { Effect } from "effect"

/** The game of reads that name neither game nor season. */
export const firstGame = engines[0]!.slug

const GAMES = engines.map(({ slug }) => slug).join(", ")

/** The games that are searched before this one for a season's slug given without a game. */
export const gamesBefore = (game: string): ReadonlyArray<string> =>
  engines
    .slice(
      0,
      engines.findIndex(({ slug }) => slug === game)
    )
    .map(({ slug }) => slug)

export const registered = (game: string) => {
  const engine = engineOf(game)
  return engine === undefined
    ? Effect.fail(new UnknownGame({ detail: `There is no game ${game}. There are: ${GAMES}.` }))
    : Effect.succeed(engine)
}
