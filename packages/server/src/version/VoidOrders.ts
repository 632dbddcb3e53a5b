/**
 * Voids all matches of a disqualified version, where its administrator has asked for that. An order is a row; every node looks at
 * the orders, so a crash delays a void and loses none. Two nodes may void the same match: the second void changes nothing.
 *
 *   add ──▶ order ──▶ up to 200 matches are voided ──▶ ratings are computed without them ──▶ the next 200 ──▶ … ──▶ order gone
 *
 * A match that is being played is voided once it counts. An order also ends if the version is reinstated or the season closes.
 */
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { SeasonActors } from "../actor/SeasonEntity.ts"
import { newId } from "../database/newId.ts"
import { counts } from "../database/visibility.ts"

const LOOK_EVERY = "2 seconds"
/** Orders in one look; the others follow when these are done. */
const ORDERS_MAX = 16
/** Fewer than may wait for new ratings, so that other voids of the season are still taken. */
const MATCHES_MAX = 200
const CONCURRENCY = 16

const Order = Schema.Struct({ version_id: Schema.String, season_id: Schema.String, actor: Schema.String, reason: Schema.String })
type Order = typeof Order.Type

export class VoidOrders extends Context.Service<
  VoidOrders,
  {
    /** For a disqualified version; a second order for it changes nothing. */
    readonly add: (order: Order) => Effect.Effect<void>
    readonly look: Effect.Effect<void>
  }
>()("agon/VoidOrders") {
  static readonly layer: Layer.Layer<VoidOrders, never, SqlClient.SqlClient | SeasonActors> = Layer.effect(
    VoidOrders,
    Effect.gen(function* () {
      const orders = yield* makeVoidOrders
      yield* orders.look.pipe(
        Effect.catchCause((cause) => Effect.logWarning("orders of voids were not looked at", cause)),
        Effect.repeat(Schedule.spaced(LOOK_EVERY)),
        Effect.forkScoped
      )
      return orders
    })
  )
}

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** One row by void_order_pkey. */
  add: ({ actor, reason, season_id, version_id }: Order, now: Date) => sql`
    INSERT INTO void_order (version_id, season_id, actor, reason, created_at)
    VALUES (${version_id}, ${season_id}, ${actor}, ${reason}, ${now}) ON CONFLICT (version_id) DO NOTHING`,

  /** Some orders, in any order, so that those that wait do not hold up the others; a small table. None of a season that still computes ratings without the last voids, by voiding_pkey. */
  due: SqlSchema.findAll({
    Request: Schema.Void,
    Result: Order,
    execute: () => sql`
      SELECT o.version_id, o.season_id, o.actor, o.reason FROM void_order o
      WHERE NOT EXISTS (SELECT 1 FROM voiding w WHERE w.season_id = o.season_id)
      ORDER BY random() LIMIT ${ORDERS_MAX}`
  }),

  /**
   * Counted matches of a disqualified version of an open season, by version_pkey, season_pkey and seat_version; a voided seat has rank 0.
   * `waits`: one is being played or queued, by the first column of live_pkey.
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

  /** One row by void_order_pkey. */
  done: (version_id: string) => sql`DELETE FROM void_order WHERE version_id = ${version_id}`
}))

const makeVoidOrders = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const queries = yield* makeQueries

  const voidMatch = Effect.fnUntraced(function* ({ actor, reason, season_id, version_id }: Order, match: string) {
    const audit = { id: yield* newId, actor, action: "match.void", subject: match, detail: { reason, disqualified: version_id } }
    yield* actors.ask(season_id, { _tag: "VoidMatch", match, detail: reason, found: null, audit })
  })

  const proceed = Effect.fnUntraced(function* (order: Order) {
    const { matches, waits } = yield* queries.work(order.version_id)
    if (matches.length === 0 && !waits) return yield* queries.done(order.version_id)
    yield* Effect.forEach(matches, (match) => voidMatch(order, match), { concurrency: CONCURRENCY, discard: true })
  })

  /** A season that is away is tried again at the next look. */
  const look = Effect.gen(function* () {
    for (const order of yield* queries.due(undefined)) {
      yield* proceed(order).pipe(
        Effect.catchCause((cause) => Effect.logWarning("matches were not voided yet", { version: order.version_id, cause }))
      )
    }
  }).pipe(Effect.orDie, Effect.withSpan("VoidOrders.look"))

  return VoidOrders.of({
    look,
    add: Effect.fn("VoidOrders.add")(function* (order) {
      yield* Effect.orDie(queries.add(order, new Date(yield* Clock.currentTimeMillis)))
    })
  })
})
