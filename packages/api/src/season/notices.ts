/** Notices to a season's participants, and the log of its administrators' writes (docs/contract.md#participants). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SeasonAdmin } from "../Authorization.ts"
import { AuditLog } from "../admin/Audit.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { name } from "../Name.ts"
import * as page from "../Page.ts"
import { Id, Instant, text } from "../Wire.ts"

export const Notice = Schema.Struct({
  id: Id,
  subject: Schema.String,
  link: Schema.NullOr(Schema.String),
  sent_at: Instant,
  sent_by: Schema.String,
  /** Accounts that it was sent to, without those that have turned such notices off. */
  recipients: Schema.Int
}).annotate({ identifier: "Notice" })
export type Notice = typeof Notice.Type

export const Notices = page.listOf("Notices", "notices", Notice)
export type Notices = typeof Notices.Type

/** A path on this origin, or a web address: people are sent nowhere else. */
export const Link = text(1, 2_000).check(
  Schema.isPattern(/^(\/(?![/\\])|https?:\/\/)[^\s\\]*$/u, { expected: "a path on this origin or an http(s) address" })
)

export const SendNotice = Schema.Struct({
  subject: name(200),
  link: Schema.optionalKey(Schema.NullOr(Link))
}).annotate({ identifier: "SendNotice" })
export type SendNotice = typeof SendNotice.Type

const params = { game: Schema.String, slug: Schema.String }
const season = "/v1/games/:game/seasons/:slug"

export class NoticeGroup extends HttpApiGroup.make("notice")
  .add(
    HttpApiEndpoint.get("notices", `${season}/notify`, { params, query: page.query, success: Notices }).annotate(Rate, "session"),
    HttpApiEndpoint.post("notify", `${season}/notify`, { params, payload: SendNotice, success: Notice.pipe(HttpApiSchema.status(201)) })
      .middleware(JsonBody)
      .annotate(Rate, "write"),
    HttpApiEndpoint.get("seasonAudit", `${season}/audit`, { params, query: page.query, success: AuditLog }).annotate(Rate, "session")
  )
  .middleware(SeasonAdmin) {}
