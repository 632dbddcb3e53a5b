/**
 * Voids all matches of a disqualified version, where its administrator has asked for that. An order is a row;
 * every node looks at the orders, so a crash delays a void and loses none. Two nodes may void the same match:
 * the second void changes nothing. The row is there before the season commits the disqualification, and is left alone for a minute until
 * then; one whose disqualification never came is gone after that.
 *
 *   add ──▶ order ──▶ up to 200 matches are voided ──▶ ratings are computed without them ──▶ the next 200 ──▶ … ──▶ order gone
 *
 * A match that is being played is voided once it counts. An order also ends if the version is reinstated or
 * the season is closed; a season that is closing waits for its orders for a while (clock/Closing.ts), and its log names those that
 * are left (`version.doubt`). Each void says to the season's actor that the version is disqualified, so none is made after a
 * reinstatement; and the row is gone with that, so that it does not stand for a later disqualification.
 */

import { seldom, seldomFailed } from "@agon/api/program/seldom.ts"
import { Clock, Context, DateTime, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { newId } from "../database/newId.ts"
import { makeQueries, type Order } from "./voidOrderQueries.ts"

const LOOK_EVERY = "2 seconds"
/** How long an order waits for its version to be disqualified. */
const COMMIT_MS = 60_000
const CONCURRENCY = 16

export class VoidOrders extends Context.Service<
  VoidOrders,
  {
    /** For a disqualified version; a second order takes the place of the first. */
    readonly add: (order: Omit<Order, "created_at">) => Effect.Effect<void>
    /** The version has been reinstated. */
    readonly drop: (version: string) => Effect.Effect<void>
    readonly look: Effect.Effect<void>
  }
>()("agon/VoidOrders") {
  static readonly layer: Layer.Layer<VoidOrders, never, SqlClient.SqlClient | SeasonActors> = Layer.effect(
    VoidOrders,
    Effect.gen(function* () {
      const orders = yield* makeVoidOrders
      yield* orders.look.pipe(
        Effect.catchCause(seldomFailed("orders of voids were not looked at")),
        Effect.repeat(Schedule.spaced(LOOK_EVERY)),
        Effect.forkScoped
      )
      return orders
    })
  )
}

const makeVoidOrders = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const queries = yield* makeQueries
  const unvoided = seldom("matches were not voided yet")

  const voidMatch = Effect.fnUntraced(function* ({ actor, reason, season_id, version_id }: Order, match: string) {
    const audit = { id: yield* newId, actor, action: "match.void", subject: match, detail: { reason, disqualified: version_id } } as const
    yield* actors.ask(season_id, { _tag: "VoidMatch", match, detail: reason, disqualified: version_id, found: null, audit })
  })

  /** The season first: if the service dies in between, the order is found done once more. */
  const end = Effect.fnUntraced(function* (order: Order) {
    yield* actors
      .ask(order.season_id, { _tag: "EndVoids", version: order.version_id })
      .pipe(Effect.catchTag("SeasonClosed", () => Effect.void))
    yield* queries.done(order)
  })

  const proceed = Effect.fnUntraced(function* (order: Order) {
    const { matches, waits } = yield* queries.work(order.version_id)
    if (matches.length === 0 && !waits) return yield* end(order)
    yield* Effect.forEach(matches, (match) => voidMatch(order, match), { concurrency: CONCURRENCY, discard: true })
  })

  /** A season that is away is tried again at the next look. */
  const look = Effect.gen(function* () {
    const since = new Date((yield* Clock.currentTimeMillis) - COMMIT_MS)
    for (const order of yield* queries.due(since)) {
      yield* proceed(order).pipe(
        Effect.catchCause((cause) => unvoided({ reason: order.season_id, fields: { version: order.version_id }, cause }))
      )
    }
  }).pipe(Effect.orDie, Effect.withSpan("VoidOrders.look"))

  return VoidOrders.of({
    look,
    add: Effect.fn("VoidOrders.add")(function* (order) {
      yield* queries.add({ ...order, created_at: yield* DateTime.nowAsDate })
    }, Effect.orDie),
    drop: Effect.fn("VoidOrders.drop")((version) => Effect.asVoid(Effect.orDie(queries.drop(version))))
  })
})
