/** Announcements and posts as administrators see them, also those that nobody else does, and the forms that write them. */

import type { PageQuery } from "@agon/api/Pages.ts"
import { type Announcement, WriteAnnouncement } from "@agon/api/writing/Announcement.ts"
import { type Post, WritePost } from "@agon/api/writing/Post.ts"
import { Effect } from "effect"
import { type Html, html, prose, said } from "../html/Html.ts"
import { link, platformDeskAt, profileAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time } from "../html/words.ts"
import { constraintsOf } from "../http/constraints.ts"
import type { Form, Tried } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import { doneAt, instantOf, LeadsTo, localOf, platformForm, sureButton } from "./forms.ts"
import { platformDesk } from "./guard.ts"

const MARKDOWN = "Markdown."

/** Back to the list, and no longer to the text that was changed. */
const listOf = (part: "announcements" | "posts") => new LeadsTo({ to: doneAt(platformDeskAt(part)) })

const orNull = (text: string, value: (text: string) => string): string | null => (text.trim() === "" ? null : value(text))

/** Makes a new announcement, or changes the one that `was` names. */
const announce = platformForm("announcements", {
  name: "announce",
  fields: ["was", "title", "body", "link", "starts_at", "ends_at"],
  send: ({ client, typed }) => {
    const payload = {
      title: typed.one("title"),
      body: typed.one("body"),
      link: orNull(typed.one("link"), (link) => link.trim()),
      starts_at: orNull(typed.one("starts_at"), instantOf),
      ends_at: orNull(typed.one("ends_at"), instantOf)
    }
    const id = typed.one("was")
    const written = id === "" ? client.editorial.announce({ payload }) : client.editorial.editAnnouncement({ params: { id }, payload })
    return Effect.as(written, listOf("announcements"))
  }
})

const removeAnnouncement = platformForm("announcements", {
  name: "remove",
  fields: ["id"],
  send: ({ client, typed }) => Effect.as(client.editorial.removeAnnouncement({ params: { id: typed.one("id") } }), listOf("announcements"))
})

/** The page of the list that shows a text, with the form that changes it. */
const changeAt = (part: "announcements" | "posts", name: "announcement" | "post", value: string, { cursor }: PageQuery): string =>
  withQuery(platformDeskAt(part), { [name]: value, cursor: cursor === 0 ? undefined : cursor })

const announcementRow =
  (page: PageQuery) =>
  ({ body, ends_at, id, starts_at, title }: Announcement): Html =>
    html`<tr>
<th scope="row"><a href="${changeAt("announcements", "announcement", id, page)}#announce" aria-label="Change ${title}">${said(title)}</a>${prose(body)}</th>
<td>${starts_at === null ? "at once" : time(starts_at)}</td>
<td>${ends_at !== null && time(ends_at)}</td>
<td>${sureButton(removeAnnouncement, { id }, "Remove", title, "Its text is gone then.")}</td>
</tr>
`

const valuesOf = ({ body, ends_at, link, starts_at, title }: Announcement) => ({
  title,
  body,
  link: link ?? "",
  starts_at: localOf(starts_at),
  ends_at: localOf(ends_at)
})

/** The text that a form changes, as it was posted where it is shown again; empty for a new one. */
const changed = ({ name }: Form, tried: Tried | undefined, old: string | undefined): string =>
  (tried?.form === name ? tried.typed.one("was") : old) ?? ""

export const platformAnnouncements = platformDesk({
  part: "announcements",
  query: ["announcement", "cursor"],
  forms: [announce],
  buttons: [removeAnnouncement],
  render: Effect.fnUntraced(function* ({ client, links, page, query, tried }) {
    const { announcements, next_cursor } = yield* client.editorial.allAnnouncements({ query: page })
    const old = announcements.find(({ id }) => id === query["announcement"])
    const { area, hidden, text, whole } = inputs(announce, tried, old === undefined ? {} : valuesOf(old))
    const limits = constraintsOf(WriteAnnouncement)
    return html`${table("Announcements", ["Announcement", "Shown from", "Until", "Change"], announcements.map(announcementRow(page)), "There is none.")}
${links(next_cursor)}
<h2>${old === undefined ? "Announce something" : html`Change ${said(old.title)}`}</h2>
${whole(
  html`${hidden("was", changed(announce, tried, old?.id))}${text("title", "Title", { more: limits("title") })}${area("body", "Text", { hint: MARKDOWN, more: limits("body") })}${text("link", "Link", { hint: "A path of this site, or an address with http or https; may be left out.", more: limits("link") })}${text("starts_at", "Shown from, in UTC", { hint: "At once where it is left out.", more: limits("starts_at") })}${text("ends_at", "Until, in UTC", { hint: "May be left out.", more: limits("ends_at") })}`,
  old === undefined ? "Announce" : "Save",
  "Announce something"
)}`
  })
})

/** Writes a new post, or another text of the one that `was` names. */
const write = platformForm("posts", {
  name: "write",
  fields: ["was", "slug", "title", "body", "published_at"],
  codes: { post_exists: "slug" },
  send: ({ client, typed }) => {
    const published_at = typed.one("published_at").trim() === "" ? null : instantOf(typed.one("published_at"))
    const payload = { slug: typed.one("slug").trim(), title: typed.one("title"), body: typed.one("body"), published_at }
    const was = typed.one("was")
    const written = was === "" ? client.editorial.addPost({ payload }) : client.editorial.editPost({ params: { slug: was }, payload })
    return Effect.as(written, listOf("posts"))
  }
})

const removePost = platformForm("posts", {
  name: "remove",
  fields: ["slug"],
  send: ({ client, typed }) => Effect.as(client.editorial.removePost({ params: { slug: typed.one("slug") } }), listOf("posts"))
})

const postRow =
  (page: PageQuery) =>
  ({ author, published_at, slug, title }: Post): Html =>
    html`<tr>
<th scope="row">${said(title)}</th>
<td><a href="${changeAt("posts", "post", slug, page)}#write" aria-label="Change ${slug}">${slug}</a></td>
<td>${link(profileAt(author), author)}</td>
<td>${published_at === null ? "a draft" : time(published_at)}</td>
<td>${sureButton(removePost, { slug }, "Remove", `post ${slug}`, "Its text is gone then, and its address leads nowhere.")}</td>
</tr>
`

export const platformPosts = platformDesk({
  part: "posts",
  query: ["post", "cursor"],
  forms: [write],
  buttons: [removePost],
  render: Effect.fnUntraced(function* ({ client, links, page, query, tried }) {
    const { next_cursor, posts } = yield* client.editorial.allPosts({ query: page })
    const old = posts.find(({ slug }) => slug === query["post"])
    const values =
      old === undefined ? {} : { was: old.slug, slug: old.slug, title: old.title, body: old.body, published_at: localOf(old.published_at) }
    const { area, hidden, text, whole } = inputs(write, tried, values)
    const limits = constraintsOf(WritePost)
    return html`${table("Posts, the newest first", ["Post", "Address", "Author", "Published", "Change"], posts.map(postRow(page)), "There is none.")}
${links(next_cursor)}
<h2>${old === undefined ? "Write a post" : html`Change ${old.slug}`}</h2>
${whole(
  html`${hidden("was", changed(write, tried, old?.slug))}${text("slug", "Address", { hint: "Small letters, digits and dashes.", more: limits("slug") })}${text("title", "Title", { more: limits("title") })}${area("body", "Text", { hint: MARKDOWN, more: limits("body") })}${text("published_at", "Published, in UTC", { hint: "A draft where it is left out; a future time publishes it then.", more: limits("published_at") })}`,
  old === undefined ? "Write" : "Save",
  "Write a post"
)}`
  })
})
