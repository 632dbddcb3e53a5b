/** Announcements, posts and stories as they appear within pages. */
import type { Announcement } from "@agon/api/writing/Announcement.ts"
import type { FeedItem } from "@agon/api/writing/Story.ts"
import { type Html, html, said } from "../html/Html.ts"
import { followable, link, modelAt, postAt, profileAt } from "../html/links.ts"
import { markdown } from "../html/markdown.ts"
import { time } from "../html/words.ts"

const announcement = ({ body, link: written, title }: Announcement): Html => {
  const to = followable(written)
  return html`<li>
<h3>${to === undefined ? said(title) : link(to, title)}</h3>
${markdown(body, 3)}
</li>
`
}

export const announcementList = (announcements: ReadonlyArray<Announcement>): Html | "" =>
  announcements.length === 0
    ? ""
    : html`<section aria-labelledby="announcements">\n<h2 class="unseen" id="announcements">Announcements</h2>\n<ul class="cards">\n${announcements.map(announcement)}</ul></section>`

export const byline = (author: string, at: string): Html => html`<p class="faint">${link(profileAt(author), author)}, ${time(at)}</p>`

/** The beginning of a text; its own page has the rest. */
const PREVIEW_MAX = 400
export const beginning = (body: string): string => {
  const characters = [...body]
  return characters.length <= PREVIEW_MAX ? body : `${characters.slice(0, PREVIEW_MAX).join("")}…`
}

export const feedItem = (item: FeedItem): Html =>
  item.kind === "post"
    ? html`<article>
<h2>${link(postAt(item.slug), item.title)}</h2>
${byline(item.author, item.published_at)}
${markdown(beginning(item.body), 2)}
</article>
`
    : html`<article>
<h2><a href="${modelAt(item.model)}#story">The story of ${said(item.name)}</a></h2>
${byline(item.owner, item.published_at)}
${markdown(beginning(item.body), 2)}
</article>
`
