/** What is looked at, counted for each day (docs/contract.md#views). Nothing is kept of who looks. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { PlatformAdmin, SameOrigin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { text } from "../Wire.ts"

export const ViewKind = Schema.Literals(["game", "season", "model", "match", "post", "profile"])
export type ViewKind = typeof ViewKind.Type

/** Longer than any name that something here has. */
const ID_MAX = 100

/**
 * A game, season or post by its slug, a model or match by its id, a profile by its username. A season's slug is its game's alone:
 * `game` says which; without it the first registered game that has such a season is meant.
 */
export const View = Schema.Struct({ kind: ViewKind, id: text(1, ID_MAX), game: Schema.optionalKey(text(1, ID_MAX)) }).annotate({
  identifier: "View"
})
export type View = typeof View.Type

/** In UTC. */
const Day = Schema.String.annotate({ format: "date" })

/** `game` is that of a season, else null. */
export const ViewCount = Schema.Struct({
  day: Day,
  kind: ViewKind,
  game: Schema.NullOr(Schema.String),
  id: Schema.String,
  count: Schema.Int
}).annotate({ identifier: "ViewCount" })
export type ViewCount = typeof ViewCount.Type

/** The newest day first, and of a day what was looked at most. */
export const ViewCounts = Schema.Struct({ events: Schema.Array(ViewCount), next_cursor: page.NextCursor }).annotate({
  identifier: "ViewCounts"
})
export type ViewCounts = typeof ViewCounts.Type

const date = /^\d{4}-\d\d-\d\d$/
const AnyDay = Schema.String.check(
  Schema.makeFilter((text: string) => (date.test(text) && isDay(text) ? undefined : "expected a day as YYYY-MM-DD"), {
    toJsonSchema: () => ({ format: "date" })
  })
)
/** Not the 30th of February, which would be read as one of March. */
const isDay = (text: string) => {
  const ms = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}

const ViewQuery = Schema.Struct({
  kind: Schema.optionalKey(ViewKind),
  from: Schema.optionalKey(AnyDay),
  to: Schema.optionalKey(AnyDay),
  ...page.query
})
export type ViewQuery = typeof ViewQuery.Type

export class ViewGroup extends HttpApiGroup.make("view").add(
  /** What nothing is called is counted nowhere, and answered the same. */
  HttpApiEndpoint.post("countView", "/v1/events", { payload: View, success: HttpApiSchema.NoContent })
    .middleware(JsonBody)
    .middleware(SameOrigin)
) {}

export class ViewAdminGroup extends HttpApiGroup.make("viewAdmin")
  .add(HttpApiEndpoint.get("views", "/v1/admin/events", { query: ViewQuery, success: ViewCounts }))
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
