/** A thread of comments, to be read: those that the API lets everybody see. An answer stands below what it answers. */
import type { Comment, Thread } from "@agon/api/comment/Comment.ts"
import { type Html, html, prose } from "../html/Html.ts"
import { pager } from "../html/pager.ts"
import { byline } from "../writing/parts.ts"
import { COMMENT_ROWS, type ThreadPart } from "./place.ts"
import { answerAt, writeAt } from "./subject.ts"

/** The comment that it answers may stand on a page before this one. */
const answered = (parent_id: string, comments: ReadonlyArray<Comment>): Html =>
  comments.some(({ id }) => id === parent_id)
    ? html`<p class="faint"><a href="#comment-${parent_id}">In answer to a comment above</a></p>\n`
    : html`<p class="faint">In answer to an earlier comment</p>\n`

/** The link that leads to the forms; a comment that was removed or deleted has none. */
const forms = ({ locked, subject }: Thread["thread"], { author, id }: Comment, place: number): Html => {
  const text = locked ? "Report" : "Answer or report"
  return html`\n<p><a href="${answerAt(subject, id, place)}" aria-label="${text} the comment of ${author}">${text}</a></p>`
}

const comment =
  ({ comments, thread }: Thread, offset: number) =>
  (one: Comment, index: number): Html => {
    const { author, body, created_at, id, parent_id } = one
    return html`<li class="comment" id="comment-${id}">
${byline(author, created_at)}
${parent_id !== null && answered(parent_id, comments)}${
  body === null ? html`<p class="faint">This comment was removed.</p>` : html`${prose(body)}${forms(thread, one, offset + index)}`
}
</li>
`
  }

/** `query`: the parameters of the page's address besides the place in the thread. */
export const threadSection = ({ offset, read }: ThreadPart, path: string, query: Readonly<Record<string, string>> = {}): Html => {
  const { comments, next_cursor, thread } = read
  return html`<section id="comments" aria-labelledby="comments-title">
<h2 id="comments-title">Comments</h2>
${
  thread.locked
    ? html`<p class="faint">The thread is locked.</p>\n`
    : html`<p><a href="${writeAt(thread.subject)}">Write a comment</a></p>\n`
}${
  comments.length === 0
    ? html`<p class="faint">${offset > 0 ? "There is no comment on this page." : "Nobody has said anything yet."}</p>`
    : html`<ol class="comments">\n${comments.map(comment(read, offset))}</ol>`
}
${pager({ path, query, fragment: "comments", offset, rows: COMMENT_ROWS, next: next_cursor })}
</section>`
}
