/** The log of administrative writes (docs/contract.md#audit-log). */
import { Schema } from "effect"
import * as page from "../Page.ts"
import { Id, Instant } from "../Wire.ts"

/** `actor` is a username, or null where the service itself acted; `season` a slug; what the write was about is `subject`, with what it said in `detail`. */
export const AuditRow = Schema.Struct({
  id: Id,
  at: Instant,
  actor: Schema.NullOr(Schema.String),
  action: Schema.String,
  game: Schema.NullOr(Schema.String),
  season: Schema.NullOr(Schema.String),
  subject: Schema.String,
  detail: Schema.NullOr(Schema.Json)
}).annotate({ identifier: "AuditRow" })
export type AuditRow = typeof AuditRow.Type

/** Newest first. */
export const AuditLog = page.listOf("AuditLog", "audit", AuditRow)
export type AuditLog = typeof AuditLog.Type
