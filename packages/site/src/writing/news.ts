/** The news: announcements of now, then posts and featured stories, the newest first. */
import { firstPage } from "@agon/api/Pages.ts"
import { Effect } from "effect"
import { ANNOUNCEMENTS, NEWS } from "../html/feedLinks.ts"
import { html } from "../html/Html.ts"
import { offsetOf, pager } from "../html/pager.ts"
import type { SharedRoute } from "../http/Route.ts"
import { invalid } from "../http/refuse.ts"
import { announcementList, feedItem } from "./parts.ts"

const ROWS = 25
const PATH = "/news"

export const news: SharedRoute = {
  path: PATH,
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ client, query }) {
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    const [{ announcements }, feed] = yield* Effect.all(
      [client.writing.announcements({ query: firstPage() }), client.writing.feed({ query: { limit: ROWS, cursor: offset } })],
      { concurrency: "unbounded" }
    )
    const main = html`<h1>News</h1>
${announcementList(announcements)}
${feed.items.length === 0 ? html`<p class="faint">Nothing has been written${offset > 0 && " further back"}.</p>` : feed.items.map(feedItem)}
${pager({ path: PATH, query: {}, offset, rows: ROWS, next: feed.next_cursor })}`
    return { title: "News", main, feeds: [NEWS, ANNOUNCEMENTS] }
  })
}
