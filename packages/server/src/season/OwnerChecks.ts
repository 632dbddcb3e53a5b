/**
 * Entries follow their owner's right to take part: taken off a restricted roster or suspended, the owner's
 * entries are out of play; back on it or let in again, they play (docs/contract.md#disqualification). A write
 * that may change the right leaves a row for each season, in its own transaction; every node looks at the
 * rows, so a crash delays the season's part and loses none.
 *
 *   write ──▶ row ──▶ SwitchOwner ──▶ the season's actor reads the right, and decides ──▶ row gone
 *
 * A node says whose right changed, and never how: the actor reads it when the command's turn comes, so it
 * does not matter which of several nodes is heard last, or whether one of them has died meanwhile. The actor
 * reads the right of those who submit, too. A version that entered by a right that has ended meanwhile is in
 * the season by the time that it hears of the row.
 */

import { seldom, seldomFailed } from "@agon/api/program/seldom.ts"
import { Context, Effect, Fiber, Layer, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Check, makeQueries } from "../account/ownerQueries.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"

const LOOK_EVERY = "5 seconds"
const CONCURRENCY = 8
/** A write waits this long for the seasons; the rest is done later. */
const SOON = "2 seconds"

export class OwnerChecks extends Context.Service<
  OwnerChecks,
  {
    /** The first step of a transaction that writes to a roster: no login changes until its end. */
    readonly lockLogins: Effect.Effect<void, SqlError.SqlError>
    /** In the transaction of a write to the roster, after it: for whoever uses these logins. */
    readonly ofRoster: (season_id: string, provider: string, logins: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>
    /** In the transaction that suspends an account, or ends that. */
    readonly ofAccount: (account_id: string) => Effect.Effect<void, SqlError.SqlError>
    /** After such a transaction: the seasons are told, mostly before this returns. */
    readonly soon: Effect.Effect<void>
    readonly look: Effect.Effect<void>
  }
>()("agon/OwnerChecks") {
  static readonly layer: Layer.Layer<OwnerChecks, never, SqlClient.SqlClient | SeasonActors> = Layer.effect(
    OwnerChecks,
    Effect.gen(function* () {
      const checks = yield* makeOwnerChecks
      yield* checks.look.pipe(Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
      return checks
    })
  )
}

const makeOwnerChecks = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const queries = yield* makeQueries
  const untold = seldom("a season does not know of its owner yet")

  const proceed = Effect.fnUntraced(function* ({ account_id, id, season_id }: Check) {
    yield* actors
      .ask(season_id, { _tag: "SwitchOwner", owner: account_id, removed: null })
      .pipe(Effect.catchTag("SeasonClosed", () => Effect.void))
    yield* queries.done(id)
  })

  /** A season that is away is asked again at the next look. */
  const look = Effect.gen(function* () {
    const attempt = (check: Check) =>
      Effect.catchCause(proceed(check), (cause) => untold({ reason: check.season_id, fields: check, cause }))
    yield* Effect.forEach(yield* queries.due(undefined), attempt, { concurrency: CONCURRENCY, discard: true })
  }).pipe(Effect.catchCause(seldomFailed("owners were not checked")), Effect.withSpan("OwnerChecks.look"))

  return OwnerChecks.of({
    look,
    soon: Effect.flatMap(Effect.forkDetach(look), (looking) =>
      Effect.asVoid(Effect.timeoutOption(Effect.interruptible(Fiber.await(looking)), SOON))
    ),
    lockLogins: Effect.asVoid(Effect.suspend(queries.lockLogins)),
    ofRoster: (season_id, provider, logins) => Effect.asVoid(queries.ofRoster(season_id, provider, logins)),
    ofAccount: (account_id) => Effect.asVoid(queries.ofAccount(account_id))
  })
})
