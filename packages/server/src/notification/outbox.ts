/**
 * The rules that webhooks and mails share: their deliveries are rows of one table, which are taken by any node, tried again ever more
 * rarely for a day, and belong to somebody who is switched off after a week of failures.
 */
import { type Duration, Effect, type Scope } from "effect"
import { seldomFailed } from "../process/seldom.ts"

const LOOK_EVERY = "2 seconds"
const FIRST_RETRY_MS = 30_000
const LAST_RETRY_MS = 4 * 3_600_000
export const RETRIED_FOR_MS = 24 * 3_600_000
export const FAILING_MAX_MS = 7 * 24 * 3_600_000

/** Twice as long after each attempt. Half of the wait is chance, so that many do not come back together. */
export const retryAfter_ms = (attempts: number, chance: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** attempts, LAST_RETRY_MS) * (0.5 + chance / 2)

/** Delivers for as long as the scope is open; `round` answers how many it took. A database that has fallen silent ends a round, too. */
export const keepDelivering = (
  name: string,
  round: Effect.Effect<number>,
  timeout: Duration.Input
): Effect.Effect<void, never, Scope.Scope> => {
  const undelivered = seldomFailed(`${name} were not delivered`)
  const looked = Effect.catchCause(Effect.timeout(round, timeout), (cause) => Effect.as(undelivered(cause), 0))
  const look = Effect.flatMap(looked, (taken) => (taken === 0 ? Effect.sleep(LOOK_EVERY) : Effect.void))
  return Effect.asVoid(Effect.forkScoped(Effect.forever(look)))
}
