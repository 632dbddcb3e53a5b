/** Announcements, posts, stories and picks as administrators see them: also those that nobody else does. */
import type { Announcement } from "@agon/api/writing/Announcement.ts"
import type { Post } from "@agon/api/writing/Post.ts"
import type { Pick } from "@agon/api/writing/picks.ts"
import type { SubmittedStory } from "@agon/api/writing/Story.ts"
import { Effect } from "effect"
import { type Html, html, prose, said } from "../html/Html.ts"
import { link, matchAt, modelAt, platformDeskAt, postAt, profileAt, withQuery } from "../html/links.ts"
import { time } from "../html/words.ts"
import { platformDesk } from "./guard.ts"
import { deskNav, table } from "./parts.ts"

const announcementRow = ({ body, ends_at, starts_at, title }: Announcement): Html => html`<tr>
<th scope="row">${said(title)}${prose(body)}</th>
<td>${starts_at === null ? "at once" : time(starts_at)}</td>
<td>${ends_at !== null && time(ends_at)}</td>
</tr>
`

export const platformAnnouncements = platformDesk({
  part: "announcements",
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ links, client, page }) {
    const { announcements, next_cursor } = yield* client.editorial.allAnnouncements({ query: page })
    return html`${table("Announcements", ["Announcement", "Shown from", "Until"], announcements.map(announcementRow), "There is none.")}
${links(next_cursor)}`
  })
})

const postRow = ({ author, published_at, slug, title }: Post): Html => html`<tr>
<th scope="row">${published_at === null ? said(title) : link(postAt(slug), title)}</th>
<td><code>${slug}</code></td>
<td><a href="${profileAt(author)}">${author}</a></td>
<td>${published_at === null ? "a draft" : time(published_at)}</td>
</tr>
`

export const platformPosts = platformDesk({
  part: "posts",
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ links, client, page }) {
    const { next_cursor, posts } = yield* client.editorial.allPosts({ query: page })
    return html`${table("Posts, the newest first", ["Post", "Address", "Author", "Published"], posts.map(postRow), "There is none.")}
${links(next_cursor)}`
  })
})

const story = ({ body, featured, model, name, owner, updated_at }: SubmittedStory): Html => html`<article>
<h2>The story of ${link(modelAt(model), name)}</h2>
<p class="faint"><a href="${profileAt(owner)}">${owner}</a>, ${time(updated_at)}${featured && ", featured"}</p>
${prose(body)}
</article>
`

const SHELVES = [
  ["pending", "Waiting"],
  ["approved", "Approved"]
] as const

export const platformStories = platformDesk({
  part: "stories",
  query: ["state", "cursor"],
  render: Effect.fnUntraced(function* ({ links, client, page, query }) {
    const state = query["state"] === "approved" ? "approved" : "pending"
    const { next_cursor, stories } = yield* client.editorial.submittedStories({ query: { ...page, state } })
    return html`${deskNav("Which stories", SHELVES, (state) => withQuery(platformDeskAt("stories"), { state }), state)}
${stories.length === 0 ? html`<p class="faint">There is none.</p>` : stories.map(story)}
${links(next_cursor)}`
  })
})

const pickRow = ({ match, note, picked_at }: Pick): Html => html`<tr>
<th scope="row"><a href="${matchAt(match)}">Match picked ${time(picked_at)}</a></th>
<td>${note !== null && said(note)}</td>
</tr>
`

export const platformPicks = platformDesk({
  part: "picks",
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ links, client, page }) {
    const { next_cursor, picks } = yield* client.pickAdmin.allPicks({ query: page })
    return html`${table("Picks, the newest first", ["Match", "Note"], picks.map(pickRow), "There is none.")}
${links(next_cursor)}`
  })
})
