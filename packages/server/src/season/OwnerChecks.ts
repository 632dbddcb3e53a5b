/**
 * Entries follow their owner's right to take part: taken off a restricted roster or suspended, the owner's entries are out of play;
 * back on it or let in again, they play (docs/contract.md#disqualification). A write that may change the right leaves a row for each
 * season, in its own transaction; every node looks at the rows, so a crash delays the season's part and loses none.
 *
 *   write ──▶ row ──▶ right read ──SwitchOwner──▶ right read again ──the same──▶ row gone
 *                        ▲                              └─ other ─┐
 *                        └────────────────────────────────────────┘
 *
 * Two nodes may do so at once: each reads the right again after it has spoken, so what the season hears last is true.
 */
import { Context, Effect, Fiber, Layer, Schedule, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import { SeasonActors } from "../actor/SeasonEntity.ts"
import { entry } from "../database/visibility.ts"

const LOOK_EVERY = "5 seconds"
/** Checks in one look, in any order, so that those of a season that is away do not hold up the others. */
const CHECKS_MAX = 200
const CONCURRENCY = 8
/** A right that changes more often while it is read is left to the next look. */
const READS_MAX = 5
/** A write waits this long for the seasons; what is not done by then is done later. */
const SOON = "2 seconds"

const Check = Schema.Struct({ id: Schema.String, season_id: Schema.String, account_id: Schema.String })
type Check = typeof Check.Type

export class OwnerChecks extends Context.Service<
  OwnerChecks,
  {
    /** In the transaction of a write to the roster: for whoever these logins are. */
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

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Accounts by identity_login, and their versions by version_owner. */
  ofRoster: (season_id: string, provider: string, logins: ReadonlyArray<string>) => sql`
    INSERT INTO owner_check (id, season_id, account_id) SELECT new_id(now()), s.id, a.account_id
    FROM season s CROSS JOIN (SELECT DISTINCT i.account_id FROM jsonb_array_elements_text(${JSON.stringify(logins)}::jsonb) w(login)
      JOIN identity i ON i.provider = ${provider} AND lower(i.login) = lower(w.login)) a
    WHERE s.id = ${season_id} AND ${sql.literal(entry)} = 'restricted' AND s.closed_at IS NULL
      AND EXISTS (SELECT 1 FROM version v WHERE v.owner_id = a.account_id AND v.season_id = s.id)`,

  /** Versions by version_owner, and their seasons by season_pkey. */
  ofAccount: (account_id: string) => sql`
    INSERT INTO owner_check (id, season_id, account_id) SELECT new_id(now()), s.id, ${account_id}
    FROM season s WHERE s.closed_at IS NULL AND s.id IN (SELECT v.season_id FROM version v WHERE v.owner_id = ${account_id})`,

  /** A small table. */
  due: SqlSchema.findAll({
    Request: Schema.Void,
    Result: Check,
    execute: () => sql`SELECT id, season_id, account_id FROM owner_check ORDER BY random() LIMIT ${CHECKS_MAX}`
  }),

  /** One row by account_pkey and season_pkey; the roster by identity_account and participant_login. */
  isRemoved: SqlSchema.findOne({
    Request: Check,
    Result: Schema.Struct({ removed: Schema.Boolean }),
    execute: ({ account_id, season_id }) => sql`
      SELECT a.suspended OR (${sql.literal(entry)} = 'restricted' AND NOT EXISTS (
          SELECT 1 FROM identity i JOIN participant p ON p.season_id = s.id AND p.provider = i.provider AND lower(p.login) = lower(i.login)
          WHERE i.account_id = a.id)) AS removed
      FROM account a CROSS JOIN season s WHERE a.id = ${account_id} AND s.id = ${season_id}`
  }),

  /** One row by owner_check_pkey. */
  done: (id: string) => sql`DELETE FROM owner_check WHERE id = ${id}`
}))

const makeOwnerChecks = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const queries = yield* makeQueries

  const proceed = Effect.fnUntraced(function* (check: Check) {
    let { removed } = yield* queries.isRemoved(check)
    for (let reads = 1; reads < READS_MAX; reads++) {
      yield* actors
        .ask(check.season_id, { _tag: "SwitchOwner", owner: check.account_id, removed })
        .pipe(Effect.catchTag("SeasonClosed", () => Effect.void))
      const now = yield* queries.isRemoved(check)
      if (now.removed === removed) return yield* queries.done(check.id)
      removed = now.removed
    }
  })

  /** A season that is away is asked again at the next look. */
  const look = Effect.gen(function* () {
    const attempt = (check: Check) =>
      Effect.catchCause(proceed(check), (cause) => Effect.logWarning("a season does not know of its owner yet", { ...check, cause }))
    yield* Effect.forEach(yield* queries.due(undefined), attempt, { concurrency: CONCURRENCY, discard: true })
  }).pipe(
    Effect.catchCause((cause) => Effect.logWarning("owners were not checked", cause)),
    Effect.withSpan("OwnerChecks.look")
  )

  return OwnerChecks.of({
    look,
    soon: Effect.flatMap(Effect.forkDetach(look), (looking) =>
      Effect.asVoid(Effect.timeoutOption(Effect.interruptible(Fiber.await(looking)), SOON))
    ),
    ofRoster: (season_id, provider, logins) => Effect.asVoid(queries.ofRoster(season_id, provider, logins)),
    ofAccount: (account_id) => Effect.asVoid(queries.ofAccount(account_id))
  })
})
