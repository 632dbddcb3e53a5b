/** Comments that wait for a moderator, and all threads. */
import type { Subject, ThreadHead } from "@agon/api/comment/Comment.ts"
import type { Decision, ModeratedComment } from "@agon/api/comment/moderation.ts"
import { Effect } from "effect"
import { subjectAt } from "../comment/subject.ts"
import { type Html, html, prose, said } from "../html/Html.ts"
import { commentIn, platformAdminAt, profileAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { counted, time } from "../html/words.ts"
import { button, confirmedButton } from "../http/form/buttons.ts"
import { platformForm } from "./forms.ts"
import { platformAdminPage } from "./guard.ts"
import { sectionNav } from "./parts.ts"

const about = (subject: Subject, at = `${subjectAt(subject)}#comments`): Html => html`<a href="${at}">a ${subject.kind}</a>`

const decide = platformForm("comments", {
  name: "decide",
  fields: ["id", "state"],
  send: ({ client, typed }) =>
    client.moderation.moderateComment({ params: { id: typed.one("id") }, payload: { state: typed.one("state") as typeof Decision.Type } })
})

const comment = ({
  author,
  body,
  created_at,
  id,
  reasons,
  reports,
  state,
  subject
}: ModeratedComment): Html => html`<li class="comment" id="comment-${id}">
<p class="faint"><a href="${profileAt(author)}">${author}</a> about ${about(subject, commentIn(subjectAt(subject), { created_at, id }))}, ${time(created_at)}: ${state}, ${counted(reports, "report")}</p>
${prose(body)}
${reasons.length > 0 && html`<p>Reasons given:</p>\n<ul>${reasons.map((reason) => html`<li>${said(reason)}</li>`)}</ul>\n`}${state !== "published" || reports > 0 ? button(decide, { id, state: "approved" }, "Approve", `the comment of ${author}`) : ""}${confirmedButton(decide, { id, state: "removed" }, "Remove", `the comment of ${author}`, "Nobody reads it then; its place in the thread stays empty.")}</li>
`

const SHELVES = [
  ["pending", "Waiting"],
  ["reported", "Reported"]
] as const

export const platformComments = platformAdminPage({
  part: "comments",
  query: ["state", "cursor"],
  buttons: [decide],
  render: Effect.fnUntraced(function* ({ links, client, page, query }) {
    const state = query["state"] === "reported" ? "reported" : "pending"
    const { comments, next_cursor } = yield* client.moderation.moderatedComments({ query: { ...page, state } })
    return html`${sectionNav("Which comments", SHELVES, (state) => withQuery(platformAdminAt("comments"), { state }), state)}
${comments.length === 0 ? html`<p class="faint">There is none.</p>` : html`<ol class="comments">\n${comments.map(comment)}</ol>`}
${links(next_cursor)}`
  })
})

const lock = platformForm("threads", {
  name: "lock",
  fields: ["id", "locked"],
  send: ({ client, typed }) =>
    client.moderation.lockThread({ params: { id: typed.one("id") }, payload: { locked: typed.one("locked") === "yes" } })
})

const threadRow = ({ comments, id, locked, subject }: ThreadHead): Html => html`<tr>
<th scope="row">The thread about ${about(subject)}</th>
<td class="n">${comments}<span class="unit"> ${comments === 1 ? "comment" : "comments"}</span></td>
<td>${locked ? "locked" : "open"}</td>
<td>${id !== null && (locked ? button(lock, { id, locked: "no" }, "Open", `thread ${id}`) : button(lock, { id, locked: "yes" }, "Lock", `thread ${id}`))}</td>
</tr>
`

export const platformThreads = platformAdminPage({
  part: "threads",
  query: ["cursor"],
  buttons: [lock],
  render: Effect.fnUntraced(function* ({ links, client, page }) {
    const { next_cursor, threads } = yield* client.moderation.moderatedThreads({ query: page })
    return html`${table("Threads, the newest first", ["Thread", "Comments", "State", "Change"], threads.map(threadRow), "There is none.")}
${links(next_cursor)}`
  })
})
