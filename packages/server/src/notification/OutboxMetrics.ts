/**
 * Gauges of the outbox (outbox.ts): how much waits in it, for how long the next delivery has waited
 * for a node to send it, and how the webhooks of the platform do. Every node tells the same
 * figures: do not add them up.
 */
import { type Duration, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Mail } from "../config/Mail.ts"
import { keepFigures } from "../database/keepFigures.ts"
import { type ReadGauge, readGauges } from "../metric/gauge.ts"
import { waitingOf } from "./waitingQueries.ts"
import { PERMITTED } from "./webhook/webhookQueries.ts"

const READ_EVERY: Duration.Input = "30 seconds"
/** More than these are not counted. */
const COUNTED_MAX = 100_000

type Channel = "web" | "mail"

const Figures = Schema.Struct({
  ...{ web_waiting: Schema.Int, mail_waiting: Schema.Int },
  ...{ web_since: Schema.NullOr(Schema.Date), mail_since: Schema.NullOr(Schema.Date) },
  ...{ on: Schema.Int, failing: Schema.Int, off: Schema.Int }
})
type Figures = typeof Figures.Type

/**
 * At most COUNTED_MAX deliveries; the first that is due of each webhook that is on and not busy, and may be
 * told something, by webhook_delivery_due; and one pass over the webhooks.
 */
const makeQuery = Effect.map(SqlClient.SqlClient, (sql) =>
  SqlSchema.findOne({
    Request: Schema.Date,
    Result: Figures,
    execute: (now) => sql`
      ${waitingOf(sql)}, next AS (
        SELECT w.channel, greatest(d.due_at, w.busy_until) AS since FROM waiting x JOIN webhook w ON w.id = x.webhook_id
          JOIN account a ON a.id = w.account_id AND ${sql.literal(PERMITTED)} CROSS JOIN LATERAL (
          SELECT d.due_at FROM webhook_delivery d WHERE d.webhook_id = x.webhook_id AND d.due_at <= ${now} ORDER BY d.due_at LIMIT 1) d
        WHERE w.disabled_at IS NULL AND w.busy_until <= ${now})
      SELECT n.*, l.*, h.* FROM
        (SELECT count(*) FILTER (WHERE w.channel <> 'mail')::int AS web_waiting, count(*) FILTER (WHERE w.channel = 'mail')::int AS mail_waiting
          FROM (SELECT webhook_id FROM webhook_delivery LIMIT ${COUNTED_MAX}) d JOIN webhook w ON w.id = d.webhook_id) n,
        (SELECT min(since) FILTER (WHERE channel <> 'mail') AS web_since, min(since) FILTER (WHERE channel = 'mail') AS mail_since FROM next) l,
        (SELECT count(*) FILTER (WHERE disabled_at IS NULL AND failing_since IS NULL)::int AS on,
            count(*) FILTER (WHERE disabled_at IS NULL AND failing_since IS NOT NULL)::int AS failing,
            count(*) FILTER (WHERE disabled_at IS NOT NULL)::int AS off FROM webhook WHERE channel <> 'mail') h`
  })
)

interface Read extends Figures {
  readonly at_ms: number
}

const gauges = (read: () => Read | undefined, channels: ReadonlyArray<Channel>): ReadonlyArray<ReadGauge> => {
  const ageOf = (channel: Channel) => {
    const figures = read()
    if (figures === undefined) return Number.NaN
    const since = figures[`${channel}_since`]
    return since === null ? 0 : Math.max(0, figures.at_ms - since.getTime()) / 1_000
  }
  const ofChannel = (channel: Channel): ReadonlyArray<ReadGauge> => [
    {
      name: "agon_outbox_deliveries",
      description: "Deliveries that wait in the outbox, those that are tried again later included",
      attributes: { channel },
      read: () => read()?.[`${channel}_waiting`] ?? Number.NaN
    },
    {
      name: "agon_outbox_oldest_due_seconds",
      description: "How long the delivery that goes next has been due; 0 where none is",
      attributes: { channel },
      read: () => ageOf(channel)
    }
  ]
  const webhooks = (state: "on" | "failing" | "off") => ({
    name: "agon_webhooks",
    description: "Webhooks: on, failing since some time, or switched off",
    attributes: { state },
    read: () => read()?.[state] ?? Number.NaN
  })
  return [...channels.flatMap(ofChannel), webhooks("on"), webhooks("failing"), webhooks("off")]
}

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.suspend(() => layerEvery(READ_EVERY))

/** A service that sends no mail has no figures of mails. */
export const layerEvery = (every: Duration.Input): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const query = yield* makeQuery
      const channels: ReadonlyArray<Channel> = (yield* Mail) === undefined ? ["web"] : ["web", "mail"]
      const read = (at_ms: number) => Effect.map(query(new Date(at_ms)), (figures): Read => ({ ...figures, at_ms }))
      yield* readGauges(gauges(yield* keepFigures(every, read), channels))
    })
  )
