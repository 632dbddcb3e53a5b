/** Whether a season takes models now, which its state does not say: it is live until somebody closes it. */
import type { Season } from "@agon/api/season/Season.ts"
import { Clock, Effect } from "effect"

/** Whether no model enters any more, whatever the season's dates say. */
export const takesNoMore = ({ close_requested_at, round, state }: Season): boolean =>
  state === "closed" || close_requested_at !== null || round?.kind === "finals"

/**
 * Whether the time for models is over, by the clock or before it. A shared page that asks shows how many matches are being played besides:
 * nobody keeps that number, so the page is drawn anew each second and follows the clock.
 */
export const hasTaken = (season: Season): Effect.Effect<boolean> =>
  takesNoMore(season)
    ? Effect.succeed(true)
    : Effect.map(Clock.currentTimeMillis, (now_ms) => now_ms >= Date.parse(season.submissions_close_at))

/** Whether it takes models just now. */
export const isTaking = (season: Season): Effect.Effect<boolean> =>
  season.state === "live" ? Effect.map(hasTaken(season), (over) => !over) : Effect.succeed(false)
