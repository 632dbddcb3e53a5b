/** A post of the site's blog. */
import { Effect } from "effect"
import { NEWS } from "../html/feedLinks.ts"
import { html, said } from "../html/Html.ts"
import { markdown } from "../html/markdown.ts"
import type { SharedRoute } from "../http/Route.ts"
import { byline } from "./parts.ts"

export const post: SharedRoute = {
  path: "/posts/:slug",
  query: [],
  render: Effect.fnUntraced(function* ({ client, params }) {
    const { author, body, published_at, title } = yield* client.writing.post({ params: { slug: params["slug"]! } })
    const main = html`<article>
<h1>${said(title)}</h1>
${byline(author, published_at)}
${markdown(body, 1)}
</article>
<p><a href="/news">More news</a></p>`
    return { title, main, feeds: [NEWS] }
  })
}
