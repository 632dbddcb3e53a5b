/** Every statement on the orders to void the matches of disqualified versions (VoidOrders.ts). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { counts } from "../database/visibility.ts"

/** Orders in one look; the others follow when these are done. */
const ORDERS_MAX = 16
/** Fewer than may wait for new ratings, so that other voids of the season are still taken. */
const MATCHES_MAX = 200

const Order = Schema.Struct({
  ...{ version_id: Schema.String, season_id: Schema.String, actor: Schema.String, reason: Schema.String },
  created_at: Schema.Date
})
export type Order = typeof Order.Type

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** One row by void_order_pkey, in the place of an earlier one. */
  add: ({ actor, created_at, reason, season_id, version_id }: Order) => sql`
    INSERT INTO void_order (version_id, season_id, actor, reason, created_at)
    VALUES (${version_id}, ${season_id}, ${actor}, ${reason}, ${created_at})
    ON CONFLICT (version_id) DO UPDATE SET actor = excluded.actor, reason = excluded.reason, created_at = excluded.created_at`,

  /**
   * Some orders, in any order, so that those that wait do not hold up the others; a small table. None of a
   * season that still computes ratings without the last voids, by voiding_pkey, and, by version_pkey, none newer than
   * `since` whose version is not disqualified yet.
   */
  due: SqlSchema.findAll({
    Request: Schema.Date,
    Result: Order,
    execute: (since) => sql`
      SELECT o.version_id, o.season_id, o.actor, o.reason, o.created_at FROM void_order o
      JOIN version v ON v.id = o.version_id
      WHERE NOT EXISTS (SELECT 1 FROM voiding w WHERE w.season_id = o.season_id) AND (v.disqualified OR o.created_at < ${since})
      ORDER BY random() LIMIT ${ORDERS_MAX}`
  }),

  /**
   * Counted matches of a disqualified version of an open season, by version_pkey, season_pkey
   * and seat_version; a voided seat has rank 0. `waits`: one is being played or queued, by
   * the first column of live_pkey.
   */
  work: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ matches: Schema.Array(Schema.String), waits: Schema.Boolean }),
    execute: (version_id) => sql`
      SELECT coalesce((SELECT jsonb_agg(t.id) FROM (
          SELECT DISTINCT m.id FROM seat x JOIN match m ON m.id = x.match_id
          WHERE x.version_id = v.id AND x.rank > 0 AND ${sql.literal(counts())} LIMIT ${MATCHES_MAX}) t), '[]') AS matches,
        EXISTS (SELECT 1 FROM live l WHERE l.season_id = v.season_id AND l.ladder IS NOT NULL AND v.id = ANY (l.versions)) AS waits
      FROM version v JOIN season s ON s.id = v.season_id WHERE v.id = ${version_id} AND v.disqualified AND s.closed_at IS NULL
      UNION ALL SELECT '[]', false LIMIT 1`
  }),

  /** One row by void_order_pkey; none where another has taken its place. */
  done: ({ created_at, version_id }: Pick<Order, "created_at" | "version_id">) => sql`
    DELETE FROM void_order WHERE version_id = ${version_id} AND created_at = ${created_at}`,

  /** One row by void_order_pkey and version_pkey; none where the version is disqualified, again perhaps. */
  drop: (version_id: string) => sql`
    DELETE FROM void_order o USING version v WHERE o.version_id = ${version_id} AND v.id = o.version_id AND NOT v.disqualified`
}))
