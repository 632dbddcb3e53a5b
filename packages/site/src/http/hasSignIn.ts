/**
 * Whether the service has a way to sign in, which every page shows. It is a setting of the service, asked for once a minute: pages do not
 * wait for it but for the first time. While the service is away the last answer holds.
 */
import type { Client } from "@agon/api/Client.ts"
import { Clock, Deferred, Effect, type Scope } from "effect"
import { CurrentReading } from "./Reads.ts"

const KEPT_MS = 60_000
/** Where the service does not say. */
const AWAY_KEPT_MS = 1_000

export const makeHasSignIn = (client: Pick<Client, "account">, scope: Scope.Scope): Effect.Effect<boolean> => {
  let last: { readonly until_ms: number; readonly has: boolean } | undefined
  let asking: Deferred.Deferred<boolean> | undefined

  const ask = (now_ms: number) =>
    Effect.uninterruptibleMask((restore) => {
      if (asking !== undefined) return restore(Deferred.await(asking))
      const asked = Deferred.makeUnsafe<boolean>()
      asking = asked
      const answer = Effect.provideService(client.account.authProviders(), CurrentReading, undefined).pipe(
        Effect.map((providers) => ({ until_ms: now_ms + KEPT_MS, has: providers.length > 0 })),
        Effect.catchCause(() => Effect.succeed({ until_ms: now_ms + AWAY_KEPT_MS, has: last?.has ?? false })),
        Effect.map((now) => {
          last = now
          return now.has
        }),
        Effect.onExit((exit) => {
          asking = undefined
          return Deferred.done(asked, exit)
        })
      )
      return Effect.andThen(Effect.forkIn(answer, scope), restore(Deferred.await(asked)))
    })

  return Effect.flatMap(Clock.currentTimeMillis, (now_ms) => {
    if (last === undefined) return ask(now_ms)
    const { has, until_ms } = last
    return now_ms < until_ms || asking !== undefined ? Effect.succeed(has) : Effect.as(Effect.forkIn(ask(now_ms), scope), has)
  })
}
