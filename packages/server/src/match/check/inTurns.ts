/**
 * Checks seasons page by page, each in its turn, until none has another page. A failure does not hold up the others,
 * and is retried with the next look.
 */

import type { seldom } from "@agon/api/program/seldom.ts"
import { Effect } from "effect"

/** The matches of a season that are read at once. */
export const PAGE = 32
/** Failures in one look at a season after which the store or the database counts as away: the rest waits for the next look. */
export const FAILURES_MAX = 4

interface Season<E, R> {
  readonly id: string
  /** Checks a page; answers whether there is another. */
  readonly page: Effect.Effect<boolean, E, R>
}

export const inTurns = <E, R, F, S>(unchecked: ReturnType<typeof seldom>, seasons: Effect.Effect<ReadonlyArray<Season<E, R>>, F, S>) =>
  seasons.pipe(
    Effect.flatMap((all) =>
      Effect.forEach(all, ({ id, page }) =>
        Effect.catchCause(page, (cause) => Effect.as(unchecked({ reason: id, fields: { season: id }, cause }), false))
      )
    ),
    Effect.map((more) => more.includes(true)),
    Effect.catchCause((cause) => Effect.as(unchecked({ reason: "", fields: {}, cause }), false)),
    Effect.repeat({ while: (more) => more }),
    Effect.asVoid
  )
