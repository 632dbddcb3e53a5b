/** Posts as administrators see them, drafts too, and the form that writes them. */
import type { PageQuery } from "@agon/api/Pages.ts"
import { type Post, WritePost } from "@agon/api/writing/Post.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { link, profileAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time } from "../html/words.ts"
import { confirmedButton } from "../http/form/buttons.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import { type Texts, WAS } from "./editConflict.ts"
import { localOf, platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"
import { change, changeAt, changed, fieldsOf, instantOrNull, listOf, MARKDOWN, payloadOf, standing } from "./writtenText.ts"

const postOf = {
  slug: (text: string) => text.trim(),
  title: (text: string) => text,
  body: (text: string) => text,
  published_at: instantOrNull
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
