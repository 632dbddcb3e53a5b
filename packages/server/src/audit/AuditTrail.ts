/** The log of all administrative writes, with or without a season (docs/contract.md#audit-log). */
import type { SeasonInPath } from "@agon/api/Authorization.ts"
import type { AuditLog } from "@agon/api/admin/Audit.ts"
import type { PageOf } from "@agon/api/Page.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { makeAuditLog } from "./auditLog.ts"

export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** Newest first. */
    readonly list: (page: PageOf) => Effect.Effect<AuditLog>
    /** The rows of one season, newest first. */
    readonly ofSeason: (season: SeasonInPath, page: PageOf) => Effect.Effect<AuditLog>
  }
>()("agon/AuditTrail") {
  static readonly layer: Layer.Layer<AuditTrail, never, SqlClient.SqlClient> = Layer.effect(
    AuditTrail,
    Effect.map(makeAuditLog, ({ page }) => ({ list: (asked) => page(null, asked), ofSeason: ({ id }, asked) => page(id, asked) }))
  )
}
