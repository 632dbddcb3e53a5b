/** A version's address leads to its place on its model's page. */
import { Effect } from "effect"
import { html } from "../html/Html.ts"
import { withQuery } from "../html/links.ts"
import type { SharedRoute } from "../http/Route.ts"

export const versionPage: SharedRoute = {
  path: "/versions/:id",
  query: [],
  render: Effect.fnUntraced(function* ({ at, client, params }) {
    const { model_id, season, version } = yield* client.version.version({ params: { id: params["id"]! } })
    const location = `${withQuery(at.model(model_id), { season })}#v${version}`
    return {
      title: "A version",
      main: html`<h1>A version</h1>\n<p><a href="${location}">It is on its model's page.</a></p>`,
      status: 303,
      location
    }
  })
}
