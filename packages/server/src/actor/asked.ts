/** A season's answer to a person's command: the machine's refusals become the API's own. */

import { Unavailable } from "@agon/api/Problem.ts"
import { SeasonClosed } from "@agon/api/version/refusals.ts"
import type { Command, ReplyTo } from "@agon/domain/season/Command.ts"
import { Effect } from "effect"
import type { SeasonActors } from "./SeasonActors.ts"

/**
 * Whether the command took effect is unknown, and repeating it is safe. The boundary adds
 * after how long (Retry-After).
 */
export const moving = new Unavailable({ detail: "The season is moving, or the database is away; try again in a second." })
const closed = new SeasonClosed({ detail: "The season is closed." })

export const askedByPerson = <C extends Command>(
  actors: SeasonActors["Service"],
  season: string,
  command: C
): Effect.Effect<ReplyTo<C>, SeasonClosed | Unavailable> =>
  actors.ask(season, command).pipe(Effect.catchTags({ SeasonClosed: () => Effect.fail(closed), Unavailable: () => Effect.fail(moving) }))
