/**
 * The log of administrative writes. A write through a season's actor is logged by its commit. A plain SQL write is logged
 * here, in its own transaction: a refused write leaves no row, and a committed write has one.
 */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { type AuditLog, AuditRow } from "@agon/api/admin/Audit.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import type { Audit, AuditAction } from "@agon/domain/season/Audit.ts"
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import { newId } from "../database/newId.ts"
import { Instant } from "../database/rows.ts"
import { storableJson, storableText } from "../database/storable.ts"

/** The log entry of a write. */
export const auditOf = (account: SignedIn, action: AuditAction, subject: string, detail: unknown = null): Effect.Effect<Audit> =>
  Effect.map(newId, (id) => ({ id, actor: account.id, action, subject, detail }))

/** The log entry of a write that the service made on its own. */
export const ownAudit = (action: AuditAction, subject: string, detail: unknown = null): Effect.Effect<Audit> =>
  Effect.map(newId, (id) => ({ id, actor: null, action, subject, detail }))

/** The scope of a write: a season, a game, or the whole site. */
export interface Place {
  readonly game: string | null
  readonly season_id: string | null
}

export const placeOf = ({ game, id }: SeasonInPath): Place => ({ game, season_id: id })

/** The whole site, no game or season. */
export const nowhere: Place = { game: null, season_id: null }

const Row = Schema.Struct({ ...AuditRow.fields, at: Instant })
const Total = Schema.Struct({ total: Schema.Int })

const columns = "l.id, l.at, a.username AS actor, l.action, l.game, s.slug AS season, l.subject, l.detail"

const makeReads = (sql: SqlClient.SqlClient) => ({
  /** Rows of a season by audit_season, newest first. */
  ofSeason: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: Row,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT ${sql.literal(columns)} FROM audit l JOIN season s ON s.id = l.season_id LEFT JOIN account a ON a.id = l.actor
      WHERE l.season_id = ${season_id} ORDER BY l.at DESC, l.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same index. */
  countOfSeason: SqlSchema.findOne({
    Request: Schema.String,
    Result: Total,
    execute: (season_id) => sql`SELECT count(*)::int AS total FROM audit WHERE season_id = ${season_id}`
  }),

  /** Rows of every season and of none by audit_at, newest first. */
  all: SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, offset: Schema.Int }),
    Result: Row,
    execute: ({ limit, offset }) => sql`
      SELECT ${sql.literal(columns)} FROM (SELECT * FROM audit ORDER BY at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) l
      LEFT JOIN season s ON s.id = l.season_id LEFT JOIN account a ON a.id = l.actor ORDER BY l.at DESC, l.id DESC`
  }),

  /** Counts the same index: as many rows as administrators have ever written. */
  countOfAll: SqlSchema.findOne({ Request: Schema.Void, Result: Total, execute: () => sql`SELECT count(*)::int AS total FROM audit` })
})

export const makeAuditLog = Effect.map(SqlClient.SqlClient, (sql) => {
  /** Inserts one row. */
  const insert = ({ game, season_id }: Place, { action, actor, detail, id, subject }: Audit, at: Date) => sql`
    INSERT INTO audit (id, at, actor, action, game, season_id, subject, detail)
    VALUES (${id}, ${at}, ${actor}, ${action}, ${game}, ${season_id}, ${storableText(subject)}, ${storableJson(detail)}::jsonb)`
  const reads = makeReads(sql)

  return {
    /** Runs a write and logs it in one transaction. `about` makes the log entry from the result; undefined where nothing changed. */
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
            if (telling !== undefined) yield* insert(place, yield* telling, new Date(yield* Clock.currentTimeMillis))
            return written
          })
        )
        .pipe(
          Effect.catch((error) =>
            isOfDatabase(error) ? Effect.die(error) : Effect.fail(error as Exclude<E, SqlError.SqlError | Schema.SchemaError>)
          )
        ),

    /** A page of a season's log, or of the whole log where `season_id` is null, newest first. */
    page: Effect.fn("auditLog.page")(function* (season_id: string | null, { cursor, limit }: PageOf) {
      const cut = { limit, offset: cursor }
      const audit = yield* season_id === null ? reads.all(cut) : reads.ofSeason({ ...cut, season_id })
      const { total } = yield* season_id === null ? reads.countOfAll(undefined) : reads.countOfSeason(season_id)
      return { audit, total, next_cursor: nextCursor(cursor, audit.length, total) } satisfies AuditLog
    }, Effect.orDie)
  }
})

const isOfDatabase = (error: unknown): boolean =>
  (error as { readonly _tag?: string })._tag === "SqlError" || (error as { readonly _tag?: string })._tag === "SchemaError"
