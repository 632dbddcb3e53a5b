/** The feeds that several pages name. */
import type { FeedLink } from "./layout.ts"
import { announcementFeedAt, newsFeedAt } from "./links.ts"

export const NEWS: FeedLink = { path: newsFeedAt, title: "News" }
export const ANNOUNCEMENTS: FeedLink = { path: announcementFeedAt, title: "Announcements" }
