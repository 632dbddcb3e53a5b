/** Posts and featured stories. */
import { firstPage } from "@agon/api/Pages.ts"
import type { FeedItem } from "@agon/api/writing/Story.ts"
import { Effect } from "effect"
import { ENTRIES_MAX, type Entry, later } from "../html/atom.ts"
import { modelAt, newsFeedAt, postAt } from "../html/links.ts"
import { markdown } from "../html/markdown.ts"
import type { FeedRoute } from "../http/Route.ts"
import { beginning } from "./parts.ts"

const summaryOf = (body: string): Entry["summary"] => ({ type: "html", text: String(markdown(beginning(body), 2)) })

/** A story that is written anew is another text of the same entry. */
const entryOf = (item: FeedItem): Entry =>
  item.kind === "post"
    ? {
        id: postAt(item.slug),
        title: item.title,
        published: item.published_at,
        updated: item.published_at,
        link: postAt(item.slug),
        author: item.author,
        summary: summaryOf(item.body)
      }
    : {
        id: `${modelAt(item.model)}#story`,
        title: `The story of ${item.name}`,
        published: item.published_at,
        updated: later(item.updated_at, item.published_at),
        link: `${modelAt(item.model)}#story`,
        author: item.owner,
        summary: summaryOf(item.body)
      }

export const newsFeed: FeedRoute = {
  path: newsFeedAt,
  feed: ({ client }) =>
    Effect.map(client.writing.feed({ query: firstPage(ENTRIES_MAX) }), ({ items }) => ({
      path: newsFeedAt,
      title: "News of Agon",
      page: "/news",
      entries: items.map(entryOf)
    }))
}
