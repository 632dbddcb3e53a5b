/** A thread of comments, to be read: those that the API lets everybody see. An answer stands below what it answers. */
import type { Comment, Thread } from "@agon/api/comment/Comment.ts"
import { type Html, html, prose } from "../html/Html.ts"
import { commentsAt, withQuery } from "../html/links.ts"
import { pager } from "../html/pager.ts"
import { byline } from "../writing/parts.ts"

export const COMMENT_ROWS = 50

const comment = ({ author, body, created_at, id, parent_id }: Comment): Html => html`<li class="comment" id="comment-${id}">
${byline(author, created_at)}
${parent_id !== null && html`<p class="faint"><a href="#comment-${parent_id}">In answer to a comment above</a></p>\n`}${
  body === null ? html`<p class="faint">This comment was removed.</p>` : prose(body)
}
</li>
`

export const threadSection = ({ comments, next_cursor, thread }: Thread, path: string, offset: number): Html =>
  html`<section id="comments" aria-labelledby="comments-title">
<h2 id="comments-title">Comments</h2>
${
  thread.locked
    ? html`<p class="faint">The thread is locked.</p>\n`
    : html`<p><a href="${withQuery(commentsAt, { [thread.subject.kind]: thread.subject.id })}">Write a comment</a></p>\n`
}${
  comments.length === 0
    ? html`<p class="faint">Nobody has said anything yet.</p>`
    : html`<ol class="comments">\n${comments.map(comment)}</ol>`
}
${pager({ path, query: {}, offset, rows: COMMENT_ROWS, next: next_cursor })}
</section>`
