/** A post of the site's blog. */
import { Effect } from "effect"
import { NEWS } from "../html/feedLinks.ts"
import { html, said } from "../html/Html.ts"
import { markdown } from "../html/markdown.ts"
import { plainOf } from "../html/plainLine.ts"
import type { SharedRoute } from "../http/Route.ts"
import { byline } from "./parts.ts"

export const post: SharedRoute = {
  path: "/posts/:slug",
  query: [],
  render: Effect.fnUntraced(function* ({ client, params }) {
    const { author, body, published_at, title } = yield* client.writing.post({ params: { slug: params["slug"]! } })
    const text = markdown(body, 1)
    const main = html`<article>
<h1>${said(title)}</h1>
${byline(author, published_at)}
${text}
</article>
<p><a href="/news">More news</a></p>`
    return { title, description: plainOf(text), main, feeds: [NEWS] }
  })
}
