/** Every statement on the audit log, but for the rows that commits of seasons write (actor/store/shapes.ts). */
import { AuditRow } from "@agon/api/admin/Audit.ts"
import type { Audit } from "@agon/domain/season/Audit.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { storableJson, storableText } from "../database/storable.ts"

/** The scope of a write: a season, a game, or the whole site. */
export interface Place {
  readonly game: string | null
  readonly season_id: string | null
}

const Row = Schema.Struct({ ...AuditRow.fields, at: Instant })
const Total = Schema.Struct({ total: Schema.Int })

const columns = "l.id, l.at, a.username AS actor, l.action, l.game, s.slug AS season, l.subject, l.detail"

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Inserts one row. */
  insert: ({ game, season_id }: Place, { action, actor, detail, id, subject }: Audit, at: Date) => sql`
    INSERT INTO audit (id, at, actor, action, game, season_id, subject, detail)
    VALUES (${id}, ${at}, ${actor}, ${action}, ${game}, ${season_id}, ${storableText(subject)}, ${storableJson(detail)}::jsonb)`,

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
}))
