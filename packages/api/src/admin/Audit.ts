/** The log of administrative writes (docs/contract.md#audit-log). */
import { Schema } from "effect"
import * as page from "../Page.ts"
import { Id, Instant } from "../Wire.ts"

export type { AuditAction } from "@agon/domain/season/Audit.ts"

/**
 * `actor` is a username, or null where the service itself acted; `season` a slug; `subject` the changed
 * thing, and `detail` the change.
 */
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
