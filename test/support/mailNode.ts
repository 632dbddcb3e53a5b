/**
 * A node that mails what is due in the database of DATABASE_URL at NOW_MS, once, through SMTP_PORT:
 * a process that a test kills.
 */

import { Mail } from "@agon/server/config/Mail.ts"
import * as Database from "@agon/server/database/Database.ts"
import { MailDelivery } from "@agon/server/notification/mail/MailDelivery.ts"
import { NodeRuntime } from "@effect/platform-node"
import { Clock, Effect, Layer, Redacted } from "effect"
import { standing } from "./hastyClock.ts"

const url = Redacted.make(process.env["DATABASE_URL"] ?? "")
const now_ms = Number(process.env["NOW_MS"])
const relay = { host: "127.0.0.1", port: Number(process.env["SMTP_PORT"]), implicit_tls: false, clear_text: true, auth: undefined }
const mail = Layer.succeed(Mail, { relay, from: { name: "Agon", address: "agon@agon.example" } })
const node = MailDelivery.layerIdle.pipe(Layer.provide(mail), Layer.provide(Database.layer({ url })))

Effect.flatMap(MailDelivery, ({ round }) => Effect.provideService(round, Clock.Clock, standing(now_ms))).pipe(
  Effect.provide(node),
  NodeRuntime.runMain
)
