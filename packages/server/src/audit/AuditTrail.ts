/** The log of all administrative writes, with or without a season (docs/contract.md#audit-log). */
import type { AuditLog } from "@agon/api/admin/Audit.ts"
import type { PageOf } from "@agon/api/Page.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { makeAudits } from "./audits.ts"

export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** Newest first. */
    readonly list: (page: PageOf) => Effect.Effect<AuditLog>
  }
>()("agon/AuditTrail") {
  static readonly layer: Layer.Layer<AuditTrail, never, SqlClient.SqlClient> = Layer.effect(
    AuditTrail,
    Effect.map(makeAudits, ({ page }) => ({ list: (asked) => page(null, asked) }))
  )
}
