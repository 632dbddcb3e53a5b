/** The games that the service is built with; a name that is not among them is refused before any statement. */
import { Effect } from "effect"
import { UnknownGame } from "@agon/api/Authorization.ts"
import { engineOf, engines } from "@agon/engine/registry.ts"

/** Reads that name neither game nor season speak of this one. */
export const firstGame = engines[0]!.slug

export const registered = (game: string) => {
  const engine = engineOf(game)
  return engine === undefined ? Effect.fail(new UnknownGame({ detail: `There is no game ${game}.` })) : Effect.succeed(engine)
}
