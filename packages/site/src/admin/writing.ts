/**
 * Announcements and posts as administrators see them, also those that nobody else does, and the forms that write them. A text that two
 * administrators change at once is saved field by field, and refused where both have changed one field (editConflict.ts).
 */

import type { PageQuery } from "@agon/api/Pages.ts"
import { type Announcement, WriteAnnouncement } from "@agon/api/writing/Announcement.ts"
import { type Post, WritePost } from "@agon/api/writing/Post.ts"
import { Effect } from "effect"
import { type Html, html, prose, said } from "../html/Html.ts"
import { link, platformAdminAt, profileAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Form, Tried, Typed } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { editOf, isTyped, type Texts, triedAgain, unlessOvertaken, WAS, wasText } from "./editConflict.ts"
import { doneAt, instantOf, LeadsTo, localOf, platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"

const MARKDOWN = "Markdown."
const OVERTAKEN = 409
const GONE = 404

/** Back to the list, and no longer to the text that was changed. */
const listOf = (part: "announcements" | "posts") => new LeadsTo({ to: doneAt(platformAdminAt(part)) })

const orNull = (text: string, value: (text: string) => string): string | null => (text.trim() === "" ? null : value(text))

const announcementOf = {
  title: (text: string) => text,
  body: (text: string) => text,
  link: (text: string) => orNull(text, (link) => link.trim()),
  starts_at: (text: string) => orNull(text, instantOf),
  ends_at: (text: string) => orNull(text, instantOf)
}

type Payload<Of extends Fields> = { readonly [Name in keyof Of]: ReturnType<Of[Name]> }
type Fields = Readonly<Record<string, (text: string) => string | null>>

/** Values of a form's fields. */
const payloadOf = <Of extends Fields>(of: Of, typed: Typed, names = Object.keys(of)) =>
  Object.fromEntries(names.map((name) => [name, of[name]!(typed.one(name))])) as Payload<Of>

/** Changes only what was typed anew. A change of nothing answers the text as it is now. */
const change = Effect.fnUntraced(function* <Of extends Fields, Text, E>(
  { of, texts, what }: { readonly of: Of; readonly texts: (text: Text) => Texts; readonly what: string },
  typed: Typed,
  send: (payload: Partial<Payload<Of>>) => Effect.Effect<Text, E>
) {
  const edit = editOf(typed, texts(yield* send({})))
  yield* unlessOvertaken(edit, what)
  const names = Object.keys(of).filter((name) => isTyped(edit, name))
  if (names.length > 0) yield* send(payloadOf(of, typed, names) as Partial<Payload<Of>>)
})

/** Makes a new announcement, or changes the one that `id` names. */
const announce = platformForm("announcements", {
  name: "announce",
  fields: [WAS, "id", ...Object.keys(announcementOf)] as ReadonlyArray<string>,
  send: Effect.fnUntraced(function* ({ client, typed }) {
    const id = typed.one("id")
    if (id === "") yield* client.editorial.announce({ payload: payloadOf(announcementOf, typed) })
    else
      yield* change({ of: announcementOf, texts: valuesOf, what: "the announcement" }, typed, (payload) =>
        client.editorial.editAnnouncement({ params: { id }, payload })
      )
    return listOf("announcements")
  })
})

const removeAnnouncement = platformForm("announcements", {
  name: "remove",
  fields: ["id"],
  send: ({ client, typed }) => Effect.as(client.editorial.removeAnnouncement({ params: { id: typed.one("id") } }), listOf("announcements"))
})

/** The page of the list that shows a text, with the form that changes it. */
const changeAt = (part: "announcements" | "posts", name: "announcement" | "post", value: string, { cursor }: PageQuery): string =>
  withQuery(platformAdminAt(part), { [name]: value, cursor: cursor === 0 ? undefined : cursor })

const announcementRow =
  (page: PageQuery) =>
  ({ body, ends_at, id, starts_at, title }: Announcement): Html =>
    html`<tr>
<th scope="row"><a href="${changeAt("announcements", "announcement", id, page)}#announce" aria-label="Change ${title}">${said(title)}</a>${prose(body)}</th>
<td><span class="unit">shown </span>${starts_at === null ? "at once" : time(starts_at)}</td>
<td>${ends_at !== null && html`<span class="unit">until </span>${time(ends_at)}`}</td>
<td>${confirmedButton(removeAnnouncement, { id }, "Remove", `the announcement ${title}`, "Its text is gone then.")}</td>
</tr>
`

const valuesOf = ({ body, ends_at, link, starts_at, title }: Announcement): Texts => ({
  title,
  body,
  link: link ?? "",
  starts_at: localOf(starts_at),
  ends_at: localOf(ends_at)
})

/** The fields of the form that changes a text which stands as `now`, or writes a new one where there is none. */
const fieldsOf = (form: Form, tried: Tried | undefined, now: Texts | undefined) => {
  const again = tried?.form === form.name ? tried : undefined
  return inputs<string>(form, again === undefined || now === undefined ? again : triedAgain(again, now), now)
}

interface Changing {
  /** The hidden field that says which text is changed. */
  readonly field: string
  readonly old: string | undefined
  readonly now: Texts | undefined
  /** Said where that text is not there any more. */
  readonly gone: string
}

/**
 * Which text a form changes, as it was posted where it is shown again, and the texts that it is made of. Where that text is gone the form
 * changes none: sent again it writes a new one, so that nothing typed is lost.
 */
const changed = ({ name }: Form, tried: Tried | undefined, { field, gone, now, old = "" }: Changing): Html => {
  const again = tried?.form === name ? tried : undefined
  if (again?.status === GONE) return html`<p class="bad">${gone} Sent again, this text is a new one.</p>\n`
  const of = again === undefined ? old : again.typed.one(field)
  return html`<input type="hidden" name="${field}" value="${of}">${now !== undefined && html`<input type="hidden" name="${WAS}" value="${wasText(now)}">`}`
}

/** The text as another has made it meanwhile, whole, below the form of one's own. */
const standing = (form: Form, tried: Tried | undefined, body: string | undefined): Html | false =>
  tried?.form === form.name && tried.status === OVERTAKEN && body !== undefined && html`<h3>As it stands now</h3>\n${prose(body)}\n`

export const platformAnnouncements = platformAdminPage({
  part: "announcements",
  query: ["announcement", "cursor"],
  forms: [announce],
  buttons: [removeAnnouncement],
  render: Effect.fnUntraced(function* ({ client, links, page, query, tried }) {
    const { announcements, next_cursor } = yield* client.editorial.allAnnouncements({ query: page })
    const old = announcements.find(({ id }) => id === query["announcement"])
    const now = old && valuesOf(old)
    const { area, text, whole } = fieldsOf(announce, tried, now)
    const limits = constraintsOf(WriteAnnouncement)
    return html`${table("Announcements", ["Announcement", "Shown from", "Until", "Change"], announcements.map(announcementRow(page)), "There is none.")}
${links(next_cursor)}
<h2>${old === undefined ? "Announce something" : html`Change ${said(old.title)}`}</h2>
${whole(
  html`${changed(announce, tried, { field: "id", old: old?.id, now, gone: "The announcement is not there any more." })}${text("title", "Title", { more: limits("title") })}${area("body", "Text", { hint: MARKDOWN, more: limits("body") })}${text("link", "Link", { hint: "A path of this site, or an address with http or https; may be left out.", more: limits("link") })}${text("starts_at", "Shown from, in UTC", { hint: "At once where it is left out.", more: limits("starts_at") })}${text("ends_at", "Until, in UTC", { hint: "May be left out.", more: limits("ends_at") })}`,
  old === undefined ? "Announce" : "Save",
  "Announce something"
)}${standing(announce, tried, old?.body)}`
  })
})

const postOf = {
  slug: (text: string) => text.trim(),
  title: (text: string) => text,
  body: (text: string) => text,
  published_at: (text: string) => orNull(text, instantOf)
}

const postTexts = ({ body, published_at, slug, title }: Post): Texts => ({ slug, title, body, published_at: localOf(published_at) })

/** Writes a new post, or another text of the one that `old` names. */
const write = platformForm("posts", {
  name: "write",
  fields: [WAS, "old", ...Object.keys(postOf)] as ReadonlyArray<string>,
  codes: { post_exists: "slug" },
  send: Effect.fnUntraced(function* ({ client, typed }) {
    const slug = typed.one("old")
    if (slug === "") yield* client.editorial.addPost({ payload: payloadOf(postOf, typed) })
    else
      yield* change({ of: postOf, texts: postTexts, what: "the post" }, typed, (payload) =>
        client.editorial.editPost({ params: { slug }, payload })
      )
    return listOf("posts")
  })
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
<td><span class="unit">by </span>${link(profileAt(author), author)}</td>
<td>${published_at === null ? "a draft" : time(published_at)}</td>
<td>${confirmedButton(removePost, { slug }, "Remove", `the post ${slug}`, "Its text is gone then, and its address leads nowhere.")}</td>
</tr>
`

export const platformPosts = platformAdminPage({
  part: "posts",
  query: ["post", "cursor"],
  forms: [write],
  buttons: [removePost],
  render: Effect.fnUntraced(function* ({ client, links, page, query, tried }) {
    const { next_cursor, posts } = yield* client.editorial.allPosts({ query: page })
    const old = posts.find(({ slug }) => slug === query["post"])
    const now = old && postTexts(old)
    const { area, text, whole } = fieldsOf(write, tried, now)
    const limits = constraintsOf(WritePost)
    return html`${table("Posts, the newest first", ["Post", "Address", "Author", "Published", "Change"], posts.map(postRow(page)), "There is none.")}
${links(next_cursor)}
<h2>${old === undefined ? "Write a post" : html`Change ${old.slug}`}</h2>
${whole(
  html`${changed(write, tried, { field: "old", old: old?.slug, now, gone: "The post is not there any more: it was removed, or has another address." })}${text("slug", "Address", { hint: "Small letters, digits and dashes.", more: limits("slug") })}${text("title", "Title", { more: limits("title") })}${area("body", "Text", { hint: MARKDOWN, more: limits("body") })}${text("published_at", "Published, in UTC", { hint: "A draft where it is left out; a future time publishes it then.", more: limits("published_at") })}`,
  old === undefined ? "Write" : "Save",
  "Write a post"
)}${standing(write, tried, old?.body)}`
  })
})
