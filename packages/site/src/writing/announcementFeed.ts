/** The platform's announcements of the moment, for all games and seasons. */
import { firstPage } from "@agon/api/Pages.ts"
import type { Announcement } from "@agon/api/writing/Announcement.ts"
import { Effect } from "effect"
import { ENTRIES_MAX, type Entry, UNKNOWN, uuidUrn } from "../html/atom.ts"
import { announcementFeedAt, followable } from "../html/links.ts"
import { markdown } from "../html/markdown.ts"
import type { FeedRoute } from "../http/Route.ts"

const PAGE = "/news"

const V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7/

/** An announcement without a start is shown since it was made, which its id tells: ids of the service are UUIDv7. */
const madeAt = (id: string): string => {
  const [, high, low] = V7.exec(id) ?? []
  return high === undefined ? UNKNOWN : new Date(Number.parseInt(`${high}${low}`, 16)).toISOString()
}

const entryOf = ({ body, id, link, starts_at, title }: Announcement): Entry => {
  const shown_from = starts_at ?? madeAt(id)
  return {
    id: uuidUrn(id),
    title,
    published: shown_from,
    updated: shown_from,
    link: followable(link) ?? PAGE,
    summary: { type: "html", text: String(markdown(body, 2)) }
  }
}

export const announcementFeed: FeedRoute = {
  path: announcementFeedAt,
  feed: ({ client }) =>
    Effect.map(client.writing.announcements({ query: firstPage(ENTRIES_MAX) }), ({ announcements }) => ({
      path: announcementFeedAt,
      title: "Announcements of Agon",
      page: PAGE,
      entries: announcements.map(entryOf)
    }))
}
