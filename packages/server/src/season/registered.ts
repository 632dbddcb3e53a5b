/** The games that the service is built with; a name that is not among them is refused before any statement. */
import { Effect } from "effect"
import { UnknownGame } from "@agon/api/Authorization.ts"
import { engineOf, engines } from "@agon/engine/registry.ts"

/** Reads that name neither game nor season speak of this one. */
export const firstGame = engines[0]!.slug

/** Those that a season's slug without a game is looked for in before this one. */
export const gamesBefore = (game: string): ReadonlyArray<string> =>
  engines
    .slice(
      0,
      engines.findIndex(({ slug }) => slug === game)
    )
    .map(({ slug }) => slug)

export const registered = (game: string) => {
  const engine = engineOf(game)
  return engine === undefined ? Effect.fail(new UnknownGame({ detail: `There is no game ${game}.` })) : Effect.succeed(engine)
}
