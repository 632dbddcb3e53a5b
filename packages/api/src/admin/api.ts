/** How the platform is doing (http-api.md 4.1). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

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

export class AdminGroup extends HttpApiGroup.make("admin").add(
  /** Public, and never cached. */
  HttpApiEndpoint.get("status", "/v1/status", { success: PlatformStatus })
) {}
