/**
 * A node that delivers webhooks of the database in DATABASE_URL at NOW_MS, once, on loopback too:
 * a process that a test kills.
 */
import * as Database from "@agon/server/database/Database.ts"
import { WebhookDelivery, WebhookGuard } from "@agon/server/notification/webhook/WebhookDelivery.ts"
import { NodeRuntime } from "@effect/platform-node"
import { Clock, Effect, Layer, Redacted } from "effect"
import { standing } from "./hastyClock.ts"

const url = Redacted.make(process.env["DATABASE_URL"] ?? "")
const now_ms = Number(process.env["NOW_MS"])
const node = WebhookDelivery.layerIdle.pipe(Layer.provide(Layer.succeed(WebhookGuard, () => true)), Layer.provide(Database.layer({ url })))

Effect.flatMap(WebhookDelivery, ({ round }) => Effect.provideService(round, Clock.Clock, standing(now_ms))).pipe(
  Effect.provide(node),
  NodeRuntime.runMain
)
