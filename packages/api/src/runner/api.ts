/** The platform's fleet: its keys and its runners (docs/contract.md#fleets-and-runner-keys). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { PlatformAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { name } from "../Name.ts"
import * as page from "../Page.ts"
import { NotFound } from "../Problem.ts"
import { Id, Instant } from "../Wire.ts"
import { Accepts } from "./protocol.ts"

export const Runner = Schema.Struct({
  id: Id,
  name: Schema.String,
  key_id: Id,
  runtime_version: Schema.String,
  /** Whether results of this runtime count; a runner of another is given no work. */
  runtime_known: Schema.Boolean,
  engines: Schema.Array(Schema.Struct({ game: Schema.String, engine_digest: Schema.String })),
  accepts: Schema.Array(Accepts),
  slots: Schema.Int,
  state: Schema.Literals(["active", "draining", "gone"]),
  /** How many leases it holds now. */
  leases: Schema.Int,
  last_seen_at: Instant
}).annotate({ identifier: "Runner" })
export type Runner = typeof Runner.Type

export const Key = Schema.Struct({
  id: Id,
  name: Schema.String,
  /** The secret's first characters, to tell keys apart. */
  prefix: Schema.String,
  created_at: Instant,
  created_by: Schema.String,
  /** Whether who made it may still have one; else it is out of force. */
  permitted: Schema.Boolean,
  revoked_at: Schema.NullOr(Instant),
  runners: Schema.Array(Runner)
}).annotate({ identifier: "RunnerKey" })
export type Key = typeof Key.Type

/** `key` is the secret; it is answered here and never again. */
export const NewKey = Schema.Struct({ ...Key.fields, key: Schema.String }).annotate({ identifier: "NewRunnerKey" })
export type NewKey = typeof NewKey.Type

export const KeyBody = Schema.Struct({ name: name(64) }).annotate({ identifier: "CreateRunnerKey" })

export const Keys = page.listOf("RunnerKeys", "keys", Key)
export type Keys = typeof Keys.Type
export const Runners = page.listOf("Runners", "runners", Runner)
export type Runners = typeof Runners.Type

export class FleetGroup extends HttpApiGroup.make("fleet")
  .add(
    HttpApiEndpoint.get("keys", "/v1/runner-keys", { query: page.query, success: Keys }),
    HttpApiEndpoint.post("createKey", "/v1/runner-keys", {
      payload: KeyBody,
      success: NewKey.pipe(HttpApiSchema.status(201))
    }).middleware(JsonBody),
    /** Its leases end at once and go back to the queue. Answers the revoked key. */
    HttpApiEndpoint.delete("revokeKey", "/v1/runner-keys/:key", { params: { key: Schema.String }, success: Key, error: NotFound }),
    HttpApiEndpoint.get("runners", "/v1/runners", { query: page.query, success: Runners }),
    /** Drains it: no new lease, and it finishes its current matches. Answers the runner. */
    HttpApiEndpoint.delete("stopRunner", "/v1/runners/:runner", { params: { runner: Schema.String }, success: Runner, error: NotFound })
  )
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
