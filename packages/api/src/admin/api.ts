/** The state of the platform (docs/contract.md#platform-status). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { PlatformAdmin } from "../Authorization.ts"
import { Rate } from "../Boundary.ts"

export const PlatformStatus = Schema.Struct({
  status: Schema.String,
  version: Schema.String,
  /** Runners that could take an admission now. */
  admitters: Schema.Int,
  runners: Schema.Int,
  queued: Schema.Int,
  playing: Schema.Int,
  seasons_live: Schema.Int
}).annotate({ identifier: "PlatformStatus" })
export type PlatformStatus = typeof PlatformStatus.Type

export const AdminCheck = Schema.Struct({ admin: Schema.Literal(true) }).annotate({ identifier: "AdminCheck" })

export class AdminGroup extends HttpApiGroup.make("admin").add(
  /** Public, and never cached. */
  HttpApiEndpoint.get("status", "/v1/status", { success: PlatformStatus }),
  /** For a reverse proxy that guards an operations console: 200 to platform administrators, 401 or 403 to others. */
  HttpApiEndpoint.get("adminCheck", "/v1/admin-check", { success: AdminCheck }).middleware(PlatformAdmin).annotate(Rate, "session")
) {}
