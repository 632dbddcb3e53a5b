/** Notices that a season's participants were sent, and those that everybody was. */
import { type Notice, SendNotice } from "@agon/api/season/notices.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { followable, link, profileAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { count, time } from "../html/words.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Typed } from "../http/form/Form.ts"
import { type Inputs, inputs } from "../http/form/inputs.ts"
import { given, platformForm, seasonForm } from "./forms.ts"
import { platformAdminPage, seasonAdminPage } from "./guard.ts"

type Field = "subject" | "link"
const NOTICE: { readonly name: string; readonly fields: ReadonlyArray<Field>; readonly adds: true } = {
  name: "notice",
  fields: ["subject", "link"],
  adds: true
}

const payloadOf = (typed: Typed<Field>) => ({
  subject: typed.one("subject"),
  ...given("link", typed.one("link"), (link) => link.trim())
})

const send = seasonForm("notices", {
  ...NOTICE,
  send: ({ client, of, typed }) => client.notice.notify({ params: of, payload: payloadOf(typed) })
})

const sendEverybody = platformForm("notices", {
  ...NOTICE,
  send: ({ client, typed }) => client.platformNotice.notifyEverybody({ payload: payloadOf(typed) })
})

const limits = constraintsOf(SendNotice)

const row = ({ link: written, recipients, sent_at, sent_by, subject }: Notice): Html => {
  const to = followable(written)
  return html`<tr>
<th scope="row">${to === undefined ? said(subject) : link(to, subject)}</th>
<td><span class="unit">sent </span>${time(sent_at)}</td>
<td><span class="unit">by </span><a href="${profileAt(sent_by)}">${sent_by}</a></td>
<td class="n"><span class="unit">to </span>${count(recipients)}</td>
</tr>
`
}

/** The list, and the form for another. */
const sections = (notices: ReadonlyArray<Notice>, pages: Html | "", { text, whole }: Inputs<Field>): Html =>
  html`${table("Notices sent", ["Subject", "Sent", "By", "Recipients"], notices.map(row), "None has been sent.")}
${pages}
<h2>Send a notice</h2>
${whole(html`${text("subject", "Subject", { more: limits("subject") })}${text("link", "Link", { hint: "A path of this site, or an address with http or https; may be left out.", more: limits("link") })}`, "Send", "Send a notice")}`

export const seasonNotices = seasonAdminPage({
  part: "notices",
  query: ["cursor"],
  forms: [send],
  render: Effect.fnUntraced(function* ({ links, of, client, page, tried }) {
    const { next_cursor, notices } = yield* client.notice.notices({ params: of, query: page })
    return html`<h2>Notices</h2>
<p>A notice reaches the participants who have not turned such notices off.</p>
${sections(notices, links(next_cursor), inputs(send, tried))}`
  })
})

export const platformNotices = platformAdminPage({
  part: "notices",
  query: ["cursor"],
  forms: [sendEverybody],
  render: Effect.fnUntraced(function* ({ links, client, page, tried }) {
    const { next_cursor, notices } = yield* client.platformNotice.platformNotices({ query: page })
    return html`<p>A notice reaches every account. Nobody can turn these off.</p>
${sections(notices, links(next_cursor), inputs(sendEverybody, tried))}`
  })
})
