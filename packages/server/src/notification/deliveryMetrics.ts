/**
 * Counters of what the outbox sends. Labels have one of a few words: nobody's address, and no
 * status that a receiver invents.
 */
import { type Effect, Metric } from "effect"
import { byLabel } from "../metric/byLabel.ts"
import type { Ended } from "./mail/smtp.ts"
import type { Outcome } from "./webhook/postOnce.ts"

const byOutcome = byLabel(
  "agon_webhook_deliveries_total",
  "outcome",
  "Attempts to tell a webhook: delivered, redirected, client_error, server_error, or why nothing answered",
  ["delivered"]
)
const mailsBy = byLabel(
  "agon_mails_total",
  "outcome",
  "Attempts to mail: sent, late (sent over an hour after the news), failed (tried again), refused (for good)",
  ["sent", "late", "failed", "refused"]
)

/**
 * A mail that leaves this long after the oldest news in it is late: the pauses between two
 * mails of an account are shorter.
 */
const LATE_AFTER_MS = 3_600_000

const classOf = (status: number): string => {
  if (status >= 200 && status < 300) return "delivered"
  if (status >= 300 && status < 400) return "redirected"
  if (status >= 400 && status < 500) return "client_error"
  return "server_error"
}

export const countDelivery = (outcome: Outcome | "timeout"): Effect.Effect<void> =>
  Metric.update(byOutcome(typeof outcome === "number" ? classOf(outcome) : outcome), 1)

/** `waited_ms` is the time since the oldest news in the mail. */
export const countMail = (state: Ended["state"], waited_ms: number): Effect.Effect<void> =>
  Metric.update(mailsBy(state !== "accepted" ? state : waited_ms > LATE_AFTER_MS ? "late" : "sent"), 1)
