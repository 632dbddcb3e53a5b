/**
 * The log of administrative writes. A write through a season's actor is logged by its commit. A plain SQL
 * write is logged here, in its own transaction: a refused write leaves no row, and a committed write has one.
 */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import type { AuditLog } from "@agon/api/admin/Audit.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import type { Audit, AuditAction } from "@agon/domain/season/Audit.ts"
import { DateTime, Effect, type Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { newId } from "../database/newId.ts"
import { makeQueries, type Place } from "./queries.ts"

/** The log entry of a write. */
export const auditOf = (account: SignedIn, action: AuditAction, subject: string, detail: unknown = null): Effect.Effect<Audit> =>
  Effect.map(newId, (id) => ({ id, actor: account.id, action, subject, detail }))

/** The log entry of a write that the service made on its own. */
export const ownAudit = (action: AuditAction, subject: string, detail: unknown): Effect.Effect<Audit> =>
  Effect.map(newId, (id) => ({ id, actor: null, action, subject, detail }))

export const placeOf = ({ game, id }: SeasonInPath): Place => ({ game, season_id: id })

/** The whole site, no game or season. */
export const nowhere: Place = { game: null, season_id: null }

export const makeAuditLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const queries = yield* makeQueries
  return {
    /**
     * Runs a write and logs it in one transaction. `about` makes the log entry from the result;
     * undefined where nothing changed.
     */
    logged: <A, E, R>(
      place: Place,
      write: Effect.Effect<A, E | SqlError.SqlError | Schema.SchemaError, R>,
      about: (written: A) => Effect.Effect<Audit> | undefined
    ): Effect.Effect<A, Exclude<E, SqlError.SqlError | Schema.SchemaError>, R> =>
      sql
        .withTransaction(
          Effect.gen(function* () {
            const written = yield* write
            const telling = about(written)
            if (telling !== undefined) yield* queries.insert(place, yield* telling, yield* DateTime.nowAsDate)
            return written
          })
        )
        .pipe(
          Effect.catch((error) =>
            isOfDatabase(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, SqlError.SqlError | Schema.SchemaError>)
          )
        ),

    /**
     * Writes an entry of what the service found by itself, beside no write. The service goes on where it cannot be written: its own log
     * says so, and what the entry would have said.
     */
    noted: (place: Place, action: AuditAction, subject: string, detail: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
      Effect.gen(function* () {
        yield* queries.insert(place, yield* ownAudit(action, subject, detail), yield* DateTime.nowAsDate)
      }).pipe(
        Effect.catchCause((cause) => Effect.logWarning("an entry is missing in the audit log", { action, subject, ...detail }, cause))
      ),

    /** A page of a season's log, or of the whole log where `season_id` is null, newest first. */
    page: Effect.fn("auditLog.page")(function* (season_id: string | null, { cursor, limit }: PageOf) {
      const cut = { limit, offset: cursor }
      const audit = yield* season_id === null ? queries.all(cut) : queries.ofSeason({ ...cut, season_id })
      const { total } = yield* season_id === null ? queries.countOfAll(undefined) : queries.countOfSeason(season_id)
      return { audit, total, next_cursor: nextCursor(cursor, audit.length, total) } satisfies AuditLog
    }, Effect.orDie)
  }
})

const isOfDatabase = (error: unknown): boolean =>
  (error as { readonly _tag?: string })._tag === "SqlError" || (error as { readonly _tag?: string })._tag === "SchemaError"
