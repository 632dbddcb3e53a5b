/** The visitor's comments: writing one about a match or a model, those that still wait for a moderator, and those that everybody reads. */
import type { Client } from "@agon/api/Client.ts"
import type { PendingComments, ProfileComments } from "@agon/api/comment/Comment.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { Effect } from "effect"
import { aboutOf, subjectAt, subjectOf } from "../comment/subject.ts"
import { type Html, html, prose } from "../html/Html.ts"
import { commentIn, commentsAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { time, timeText } from "../html/words.ts"
import { confirmedButton, notDone } from "../http/form/buttons.ts"
import { done } from "../http/form/done.ts"
import { form } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { Asked, PersonalRoute } from "../http/Route.ts"
import { invalid } from "../http/refuse.ts"

const ROWS = 50
/** The API lets an account have fewer that wait. */
const PENDING_ROWS = 50

export const COMMENT_HINT = "1 to 2,000 characters. An account's first comment waits for a moderator."

/** Leads to the comment in its thread, or to where it waits. */
export const sent = Effect.fnUntraced(function* (
  { client, query }: Pick<Asked, "client" | "query">,
  comment: { readonly body: string; readonly parent_id?: string }
) {
  const subject = subjectOf(query)
  if (subject === undefined) return yield* invalid
  const posted = yield* client.community.postComment({ payload: { ...aboutOf(subject), ...comment } })
  return { to: posted.state === "pending" ? withQuery(commentsAt, { done: "pending" }) : commentIn(subjectAt(subject), posted) }
})

export const deleted = (client: Client, id: string) =>
  Effect.as(client.community.deleteComment({ params: { id } }), { to: withQuery(commentsAt, { done: "removed" }) })

export const DELETED = "Its text is gone then. Its place stays empty, and answers to it stay."

const write = form({
  name: "write",
  fields: ["body"],
  adds: true,
  codes: { comment_word_listed: "body" },
  send: (posted) => sent(posted, { body: posted.typed.one("body") })
})

const remove = form({
  name: "remove",
  fields: ["id"],
  takesBack: true,
  send: ({ client, typed }) => deleted(client, typed.one("id"))
})

type Listed = ProfileComments["comments"][number]

/** In its thread, where others can read it. */
const whereOf = (one: Listed | PendingComments["comments"][number]): string =>
  "state" in one ? subjectAt(one.subject) : commentIn(subjectAt(one.subject), one)

const item = (one: Listed, state: string): Html => {
  const { body, created_at, id, subject } = one
  return html`<li class="comment">
<p class="faint">${time(created_at)}, about <a href="${whereOf(one)}">a ${subject.kind}</a>: ${state}</p>
${prose(body)}
${confirmedButton(remove, { id }, "Delete", `the comment of ${timeText(created_at)}`, DELETED)}
</li>
`
}

const SENTENCES = {
  pending: "The comment waits for a moderator. Others see it when it is approved, and so the ones that you write after it at once.",
  removed: "The comment is deleted."
}

const listOf = (comments: ReadonlyArray<ProfileComments["comments"][number]>, state: string, none: string): Html =>
  comments.length === 0
    ? html`<p class="faint">${none}</p>\n`
    : html`<ol class="comments">\n${comments.map((one) => item(one, state))}</ol>\n`

const lists = (pending: PendingComments["comments"], published: ProfileComments["comments"]): Html => html`<h2>Waiting for a moderator</h2>
${listOf(pending, "it waits for a moderator", "None waits just now.")}<h2>Published</h2>
<p class="faint">About what everybody may see. A comment that you delete leaves an empty place.</p>
${listOf(published, "everybody reads it", "There is none here.")}`

export const myComments: PersonalRoute = {
  path: commentsAt,
  query: ["match", "model", "cursor", "done"],
  forms: [write, remove],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const offset = offsetOf(query["cursor"])
    const subject = subjectOf(query)
    const isNamed = query["match"] !== undefined || query["model"] !== undefined
    if (offset === undefined || (isNamed && subject === undefined)) return yield* invalid
    const { username } = yield* client.account.me()
    const [pending, { comments, next_cursor }] = yield* Effect.all(
      [
        client.community.pendingComments({ query: firstPage(PENDING_ROWS) }),
        client.community.profileComments({ params: { username }, query: { limit: ROWS, cursor: offset } })
      ],
      { concurrency: "unbounded" }
    )
    const { area, whole } = inputs(write, tried)
    const main = html`<h1>My comments</h1>
${myPagesNav(commentsAt)}${done(tried, query["done"], SENTENCES)}${
  subject !== undefined &&
  html`<h2>Write a comment</h2>
<p>About <a href="${subjectAt(subject)}#comments">this ${subject.kind}</a>. Everybody who sees the ${subject.kind} can read it.</p>
${whole(area("body", "Comment", { hint: COMMENT_HINT }), "Send")}`
}${notDone(tried, remove)}${lists(pending.comments, comments)}${pager({ path: commentsAt, query: {}, offset, rows: ROWS, next: next_cursor })}`
    return { title: "My comments", main }
  })
}
