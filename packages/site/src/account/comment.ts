/** A comment of a thread that the visitor reads: answering it, reporting it to the moderators, and deleting it where it is one's own. */
import type { Comment } from "@agon/api/comment/Comment.ts"
import { Effect } from "effect"
import { COMMENT_ROWS } from "../comment/place.ts"
import { aboutOf, subjectAt, subjectOf } from "../comment/subject.ts"
import { type Html, html, prose } from "../html/Html.ts"
import { commentAt, commentsAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { offsetOf } from "../html/pager.ts"
import { timeText } from "../html/words.ts"
import { confirmedButton, notDone } from "../http/form/buttons.ts"
import { done } from "../http/form/done.ts"
import { form, type Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { found, invalid } from "../http/refuse.ts"
import { byline } from "../writing/parts.ts"
import { COMMENT_HINT, DELETED, deleted, sent } from "./comments.ts"

const answer = form({
  name: "answer",
  fields: ["body"],
  adds: true,
  codes: { comment_word_listed: "body" },
  send: (posted) => sent(posted, { body: posted.typed.one("body"), parent_id: posted.params["id"]! })
})

const report = form({
  name: "report",
  fields: ["reason"],
  send: ({ client, params, query, typed }) => {
    const id = params["id"]!
    return Effect.as(client.community.reportComment({ params: { id }, payload: { reason: typed.one("reason") } }), {
      to: withQuery(commentAt(id), { ...query, done: "reported" })
    })
  }
})

const remove = form({
  name: "remove",
  fields: [],
  takesBack: true,
  send: ({ client, params }) => deleted(client, params["id"]!)
})

const SENTENCES = { reported: "The moderators have your report. A second one of the same comment changes nothing." }

/** A form that was refused stands there with what was typed, whatever has become of the comment meanwhile. */
const forms = ({ body, created_at }: Comment, isOwn: boolean, isLocked: boolean, tried: Tried | undefined): Html => {
  const [answering, reporting] = [inputs(answer, tried), inputs(report, tried)]
  const is = (name: string) => tried?.form === name
  return html`${
    isLocked && !is(answer.name)
      ? html`<p class="faint">The thread is locked: nobody can answer.</p>\n`
      : html`<h2>Answer</h2>\n${answering.whole(answering.area("body", "Answer", { hint: COMMENT_HINT }), "Send", "Answer")}`
  }${
    ((body !== null && !isOwn) || is(report.name)) &&
    html`<h2>Report to the moderators</h2>\n${reporting.whole(reporting.area("reason", "Reason", { hint: "1 to 500 characters, which moderators read." }), "Report", "Report")}`
  }${
    body !== null &&
    isOwn &&
    html`<h2>Delete it</h2>\n${notDone(tried, remove)}${confirmedButton(remove, {}, "Delete", `your comment of ${timeText(created_at)}`, DELETED)}\n`
  }`
}

export const oneComment: PersonalRoute = {
  path: `${commentsAt}/:id`,
  query: ["match", "model", "at", "done"],
  forms: [answer, report, remove],
  own: Effect.fnUntraced(function* ({ client, params, query, tried }) {
    const subject = subjectOf(query)
    const place = offsetOf(query["at"])
    if (subject === undefined || place === undefined) return yield* invalid
    // A comment stays where it is in its thread, or moves back a little where one that was written before it is approved.
    const asked = { ...aboutOf(subject), limit: COMMENT_ROWS, cursor: place }
    const [{ username }, { comments, thread }] = yield* Effect.all(
      [client.account.me(), client.community.privateThread({ query: asked })],
      { concurrency: "unbounded" }
    )
    const comment = yield* found(comments.find(({ id }) => id === params["id"]))
    const { author, body, created_at } = comment
    const main = html`<h1>A comment of ${author}</h1>
${myPagesNav(commentsAt)}${done(tried, query["done"], SENTENCES)}<p>About <a href="${subjectAt(subject)}#comments">this ${subject.kind}</a>.</p>
<div class="comment">
${byline(author, created_at)}
${body === null ? html`<p class="faint">This comment was removed.</p>` : prose(body)}
</div>
${forms(comment, author === username, thread.locked, tried)}`
    return { title: `A comment of ${author}`, main }
  })
}
