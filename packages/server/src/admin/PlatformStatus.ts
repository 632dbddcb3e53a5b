/**
 * The platform's current status (docs/contract.md#platform-status). Private seasons are not counted as live,
 * so that the counts do not reveal them.
 */

import type { PlatformStatus as Status } from "@agon/api/admin/api.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import server from "../../package.json" with { type: "json" }
import { SharedClock } from "../database/SharedClock.ts"
import { SEEN_WITHIN_MS } from "../runner/session/Runners.ts"
import { makeQueries } from "./queries.ts"

export class PlatformStatus extends Context.Service<PlatformStatus, { readonly get: Effect.Effect<Status> }>()("agon/PlatformStatus") {
  static readonly layer: Layer.Layer<PlatformStatus, never, SqlClient.SqlClient> = Layer.effect(
    PlatformStatus,
    Effect.map(Effect.all([makeQueries, SharedClock]), ([queries, shared]) => ({
      get: shared.now_ms.pipe(
        Effect.flatMap((ms) => queries.counts({ now: new Date(ms), seen_after: new Date(ms - SEEN_WITHIN_MS) })),
        Effect.map((counts) => ({ status: "ok", version: server.version, ...counts })),
        Effect.orDie,
        Effect.withSpan("PlatformStatus.get")
      )
    }))
  ).pipe(Layer.provide(SharedClock.layer))
}
