/** Notices that a season's participants were sent. */
import { type Notice, SendNotice } from "@agon/api/season/notices.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { followable, link, profileAt } from "../html/links.ts"
import { count, time } from "../html/words.ts"
import { constraintsOf } from "../http/constraints.ts"
import { inputs } from "../http/inputs.ts"
import { given, seasonForm } from "./forms.ts"
import { seasonDesk } from "./guard.ts"
import { table } from "./parts.ts"

const send = seasonForm("notices", {
  name: "notice",
  fields: ["subject", "link"],
  send: ({ client, of, typed }) =>
    client.notice.notify({
      params: of,
      payload: { subject: typed.one("subject"), ...given("link", typed.one("link"), (link) => link.trim()) }
    })
})

const limits = constraintsOf(SendNotice)

const row = ({ link: written, recipients, sent_at, sent_by, subject }: Notice): Html => {
  const to = followable(written)
  return html`<tr>
<th scope="row">${to === undefined ? said(subject) : link(to, subject)}</th>
<td>${time(sent_at)}</td>
<td><a href="${profileAt(sent_by)}">${sent_by}</a></td>
<td class="n">${count(recipients)}</td>
</tr>
`
}

export const seasonNotices = seasonDesk({
  part: "notices",
  query: ["cursor"],
  forms: [send],
  render: Effect.fnUntraced(function* ({ links, of, client, page, tried }) {
    const { next_cursor, notices } = yield* client.notice.notices({ params: of, query: page })
    const { text, whole } = inputs(send, tried)
    return html`<h2>Notices</h2>
<p>A notice reaches the participants who have not turned such notices off.</p>
${table("Notices sent", ["Subject", "Sent", "By", "Recipients"], notices.map(row), "None has been sent.")}
${links(next_cursor)}
<h2>Send a notice</h2>
${whole(html`${text("subject", "Subject", { more: limits("subject") })}${text("link", "Link", { hint: "A path of this site, or an address with http or https; may be left out.", more: limits("link") })}`, "Send", "Send a notice")}`
  })
})
