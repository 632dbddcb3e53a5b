/** The log of administrative writes, of a season and of everything. */
import type { AuditRow } from "@agon/api/admin/Audit.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { profileAt, seasonAdminAt } from "../html/links.ts"
import { table } from "../html/table.ts"
import { counted, time } from "../html/words.ts"
import { wordsOfAction } from "./actions.ts"
import { platformAdminPage, seasonAdminPage } from "./guard.ts"
import { json } from "./parts.ts"

const row =
  (everywhere: boolean) =>
  ({ action, actor, at, detail, game, season, subject }: AuditRow): Html =>
    html`<tr>
<th scope="row">${time(at)}</th>
<td>${actor === null ? html`<i>the service</i>` : html`<a href="${profileAt(actor)}">${actor}</a>`}</td>
<td class="own">${wordsOfAction(action, detail)} <code class="faint">${action}</code></td>
${everywhere && html`<td>${game !== null && season !== null && html`<a href="${seasonAdminAt(game, season)}">${game} ${season}</a>`}</td>\n`}<td>${said(subject)}</td>
<td class="own">${detail !== null && json(detail)}</td>
</tr>
`

const logTable = (caption: string, rows: ReadonlyArray<AuditRow>, everywhere: boolean): Html =>
  table(
    caption,
    ["When", "Who", "Action", ...(everywhere ? ["Season"] : []), "Of", "Change"],
    rows.map(row(everywhere)),
    "Nothing has been written."
  )

export const seasonLog = seasonAdminPage({
  part: "log",
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ links, of, client, page }) {
    const { audit, next_cursor, total } = yield* client.notice.seasonAudit({ params: of, query: page })
    return html`<h2>Log</h2>
${logTable(`${counted(total, "row")}, the newest first`, audit, false)}
${links(next_cursor)}`
  })
})

export const platformLog = platformAdminPage({
  part: "log",
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ links, client, page }) {
    const { audit, next_cursor, total } = yield* client.platform.audit({ query: page })
    return html`${logTable(`${counted(total, "row")}, the newest first`, audit, true)}
${links(next_cursor)}`
  })
})
