/** The visitor's comments: writing one about a match or a model, and those that still wait for a moderator. */
import type { PendingComments, Subject } from "@agon/api/comment/Comment.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { deskNav, done } from "../html/desk.ts"
import { type Html, html, prose } from "../html/Html.ts"
import { commentsAt, inPrivate, modelAt, withQuery } from "../html/links.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { time } from "../html/words.ts"
import { form } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { invalid } from "../http/refuse.ts"

const ROWS = 50

/** The page of a match may be one of a private season; that of any other leads to its public address. */
const subjectAt = ({ id, kind }: Subject): string => (kind === "match" ? inPrivate.match(id) : modelAt(id))

/** The subject that the address names; undefined where it names none or is ill. */
const subjectOf = ({ match, model }: Readonly<Record<string, string>>): Subject | undefined => {
  if (match !== undefined && model !== undefined) return undefined
  if (match !== undefined) return isUuid(match) ? { kind: "match", id: match } : undefined
  return model !== undefined && isUuid(model) ? { kind: "model", id: model } : undefined
}

const write = form({
  name: "write",
  fields: ["body"],
  codes: { comment_word_listed: "body" },
  send: Effect.fnUntraced(function* ({ client, query, typed }) {
    const subject = subjectOf(query)
    if (subject === undefined) return yield* invalid
    const about = { [subject.kind]: subject.id }
    const { state } = yield* client.community.postComment({ payload: { ...about, body: typed.one("body") } })
    return { to: state === "pending" ? withQuery(commentsAt, { done: "pending" }) : `${subjectAt(subject)}#comments` }
  })
})

const remove = form({
  name: "remove",
  fields: ["id"],
  send: ({ client, typed }) =>
    Effect.as(client.community.deleteComment({ params: { id: typed.one("id") } }), { to: withQuery(commentsAt, { done: "removed" }) })
})

const item = ({ body, created_at, id, subject }: PendingComments["comments"][number]): Html => html`<li class="comment">
<p class="faint" id="about-${id}">${time(created_at)}, about <a href="${subjectAt(subject)}">a ${subject.kind}</a>: it waits for a moderator</p>
${prose(body)}
<button name="id" value="${id}" aria-describedby="about-${id}">Delete</button>
</li>
`

const SENTENCES = {
  pending: "The comment waits for a moderator. Others see it when it is approved, and so the ones that you write after it at once.",
  removed: "The comment is deleted."
}

export const myComments: PersonalRoute = {
  path: commentsAt,
  query: ["match", "model", "cursor", "done"],
  forms: [write, remove],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const offset = offsetOf(query["cursor"])
    const subject = subjectOf(query)
    const isNamed = query["match"] !== undefined || query["model"] !== undefined
    if (offset === undefined || (isNamed && subject === undefined)) return yield* invalid
    const { comments, next_cursor } = yield* client.community.pendingComments({ query: { limit: ROWS, cursor: offset } })
    const { area, whole } = inputs(write, tried)
    const main = html`<h1>My comments</h1>
${deskNav(commentsAt)}${done(query["done"], SENTENCES)}${
  subject !== undefined &&
  html`<h2>Write a comment</h2>
<p>About <a href="${subjectAt(subject)}#comments">this ${subject.kind}</a>. Everybody who sees the ${subject.kind} can read it.</p>
${whole(area("body", "Comment", { hint: "1 to 2,000 characters. An account's first comment waits for a moderator." }), "Send")}`
}<h2>Waiting for a moderator</h2>
${comments.length === 0 ? html`<p class="faint">None waits just now.</p>` : inputs(remove, tried).whole(html`<ol class="comments">\n${comments.map(item)}</ol>\n`)}
${pager({ path: commentsAt, query: {}, offset, rows: ROWS, next: next_cursor })}`
    return { title: "My comments", main }
  })
}
