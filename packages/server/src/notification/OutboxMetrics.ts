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
import { type Channel, makeOldestDue } from "./oldestDue.ts"

const READ_EVERY: Duration.Input = "30 seconds"
/** More than these are not counted: the channel of each is looked up, which takes some 3 us. */
const COUNTED_MAX = 10_000

const Counts = Schema.Struct({
  ...{ web_waiting: Schema.Int, mail_waiting: Schema.Int },
  ...{ on: Schema.Int, failing: Schema.Int, off: Schema.Int }
})

/** At most COUNTED_MAX deliveries, with their webhooks by webhook_pkey; and one pass over the webhooks. */
const makeCounts = Effect.map(SqlClient.SqlClient, (sql) =>
  SqlSchema.findOne({
    Request: Schema.Void,
    Result: Counts,
    execute: () => sql`
      SELECT n.*, h.* FROM
        (SELECT coalesce(sum(d.n) FILTER (WHERE d.channel <> 'mail'), 0)::int AS web_waiting, coalesce(sum(d.n) FILTER (WHERE d.channel = 'mail'), 0)::int AS mail_waiting
          FROM (SELECT count(*) AS n, (SELECT w.channel FROM webhook w WHERE w.id = d.webhook_id) AS channel
            FROM (SELECT webhook_id FROM webhook_delivery LIMIT ${COUNTED_MAX}) d GROUP BY d.webhook_id) d) n,
        (SELECT count(*) FILTER (WHERE disabled_at IS NULL AND failing_since IS NULL)::int AS on,
            count(*) FILTER (WHERE disabled_at IS NULL AND failing_since IS NOT NULL)::int AS failing,
            count(*) FILTER (WHERE disabled_at IS NOT NULL)::int AS off FROM webhook WHERE channel <> 'mail') h`
  })
)

type Read = typeof Counts.Type & { readonly at_ms: number; readonly since: Readonly<Record<Channel, Date | null>> }

const gauges = (read: () => Read | undefined, channels: ReadonlyArray<Channel>): ReadonlyArray<ReadGauge> => {
  const ageOf = (channel: Channel) => {
    const figures = read()
    if (figures === undefined) return Number.NaN
    const since = figures.since[channel]
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
      const counts = yield* makeCounts
      const oldestDue = yield* makeOldestDue()
      const channels: ReadonlyArray<Channel> = (yield* Mail) === undefined ? ["web"] : ["web", "mail"]
      const read = Effect.fnUntraced(function* (at_ms: number) {
        const since = yield* oldestDue(new Date(at_ms))
        return { ...(yield* counts()), since, at_ms }
      })
      yield* readGauges(gauges(yield* keepFigures(every, read), channels))
    })
  )
