/** Views, counted for each day (docs/contract.md#views). Nothing is stored about the viewer. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { PlatformAdmin, SameOrigin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { text } from "../Wire.ts"

export const ViewKind = Schema.Literals(["game", "season", "model", "match", "post", "profile"])
export type ViewKind = typeof ViewKind.Type

/** Longer than any id or name counted here. */
const ID_MAX = 100

/**
 * A game, season or post by its slug, a model or match by its id, a profile by its username. A season's slug
 * is unique in its game: `game` names it; without it, the first registered game with such a season is meant.
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

/** The newest day first, and within a day the most views first. */
export const ViewCounts = Schema.Struct({ events: Schema.Array(ViewCount), next_cursor: page.NextCursor }).annotate({
  identifier: "ViewCounts"
})
export type ViewCounts = typeof ViewCounts.Type

/** The year 0 is none of the calendar, and the database takes none. */
const date = /^(?!0000)\d{4}-\d\d-\d\d$/
/** Refuses the 30th of February, which Date would read as a day in March. */
const isDay = (text: string) => {
  const ms = date.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)
}
const AnyDay = Schema.String.check(Schema.makeFilter(isDay, { expected: "a day as YYYY-MM-DD", toJsonSchema: () => ({ format: "date" }) }))

const ViewQuery = Schema.Struct({
  kind: Schema.optionalKey(ViewKind),
  from: Schema.optionalKey(AnyDay),
  to: Schema.optionalKey(AnyDay),
  ...page.query
})
export type ViewQuery = typeof ViewQuery.Type

export class ViewGroup extends HttpApiGroup.make("view").add(
  /** A view of something that does not exist is not counted, and answered the same. */
  HttpApiEndpoint.post("countView", "/v1/events", { payload: View, success: HttpApiSchema.NoContent })
    .middleware(JsonBody)
    .middleware(SameOrigin)
) {}

export class ViewAdminGroup extends HttpApiGroup.make("viewAdmin")
  .add(HttpApiEndpoint.get("views", "/v1/admin/events", { query: ViewQuery, success: ViewCounts }))
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
