/** A season's entries: those in contention, of which one may be disqualified, and those out of play, which may play again. */
import type { AuditRow } from "@agon/api/admin/Audit.ts"
import type { Entry } from "@agon/api/leaderboard/api.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { DisqualifyVersion } from "@agon/api/version/admin.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { modelAt, owned, seasonDeskAt, withQuery } from "../html/links.ts"
import { count, decimal, time } from "../html/words.ts"
import { constraintsOf } from "../http/constraints.ts"
import type { Tried } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import { button, type OfSeason, seasonForm } from "./forms.ts"
import { seasonDesk } from "./guard.ts"
import { table } from "./parts.ts"

const PART = "entries"
const LOG_ROWS = 100

const disqualify = seasonForm(PART, {
  name: "disqualify",
  fields: ["id", "reason", "void_matches"],
  codes: { not_found: "id", not_in_contention: "id" },
  send: ({ client, of, typed }) =>
    client.versionAdmin.disqualifyVersion({
      params: { ...of, id: typed.one("id").trim() },
      payload: { reason: typed.one("reason"), void_matches: typed.one("void_matches") === "yes" }
    })
})

const reinstate = seasonForm(PART, {
  name: "reinstate",
  fields: ["id"],
  codes: { not_found: "id" },
  send: ({ client, of, typed }) => client.versionAdmin.reinstateVersion({ params: { ...of, id: typed.one("id").trim() } })
})

const again = seasonForm(PART, {
  name: "again",
  fields: ["id"],
  send: ({ client, of, typed }) => client.versionAdmin.reinstateVersion({ params: { ...of, id: typed.one("id") } })
})

const entryRow =
  ({ game, slug }: OfSeason) =>
  ({ baseline, matches, model, model_id, owner, rank, rating, version, version_id }: Entry): Html =>
    html`<tr>
<th scope="row"><a href="${modelAt(model_id)}">${said(model)}</a> version ${version}</th>
<td>${owned(owner)}</td>
<td>${count(rank)}</td>
<td>${decimal(rating)}</td>
<td>${count(matches)}</td>
<td>${baseline ? html`<span class="faint">is switched off</span>` : html`<a href="${withQuery(seasonDeskAt(game, slug, PART), { version: version_id })}#disqualify" aria-label="Disqualify ${model} version ${version}">Disqualify</a>`}</td>
</tr>
`

/** By the newest rows of the log: versions whose last decision was against them. */
const outByDecision = (log: ReadonlyArray<AuditRow>): ReadonlyArray<AuditRow> => {
  const last = new Map<string, AuditRow>()
  for (const row of log) if (row.action.startsWith("version.") && !last.has(row.subject)) last.set(row.subject, row)
  return [...last.values()].filter(({ action }) => action === "version.disqualify")
}

const reasonOf = ({ detail }: AuditRow): string => {
  const reason = typeof detail === "object" && detail !== null && "reason" in detail ? detail["reason"] : undefined
  return typeof reason === "string" ? reason : ""
}

const outRow = (row: AuditRow): Html => html`<tr>
<th scope="row"><code>${row.subject}</code></th>
<td>${time(row.at)}</td>
<td>${said(reasonOf(row))}</td>
<td>${button(again, { id: row.subject }, "Let it play again", `version ${row.subject}`)}</td>
</tr>
`

const limits = constraintsOf(DisqualifyVersion)
/** Ids have no schema of their own: any other text is the id of nothing. */
const ID = html`required pattern="[0-9a-f\-]{36}" spellcheck="false" autocomplete="off"`

const disqualifyForm = (tried: Tried | undefined, version: string | undefined): Html => {
  const { area, box, text, whole } = inputs(disqualify, tried, version === undefined ? {} : { id: version })
  return whole(
    html`${text("id", "Version", { hint: "Its id, from the list above.", more: ID })}${area("reason", "Reason", { hint: "Its owner is told, and the log tells it. At most 500 characters.", more: limits("reason") })}${box("void_matches", "yes", "Its matches do not count any more. This cannot be undone.")}`,
    "Disqualify",
    "Disqualify an entry"
  )
}

export const seasonEntries = seasonDesk({
  part: PART,
  query: ["version", "cursor"],
  forms: [disqualify, reinstate],
  buttons: [again],
  render: Effect.fnUntraced(function* ({ client, links, of, page, query, tried }) {
    const [{ entries, next_cursor }, { audit }] = yield* Effect.all(
      [
        client.leaderboard.privateLeaderboard({ params: of, query: { season: of.slug, ladder: "open", ...page } }),
        client.notice.seasonAudit({ params: of, query: firstPage(LOG_ROWS) })
      ],
      { concurrency: "unbounded" }
    )
    const { text, whole } = inputs(reinstate, tried)
    return html`<h2>In contention</h2>
${table("Entries by their rank on the open ladder", ["Entry", "Owner", "Rank", "Rating", "Matches", "Disqualify"], entries.map(entryRow(of)), "There is none yet.")}
${links(next_cursor)}
<h2>Disqualify an entry</h2>
<p>An entry that broke the season's rules leaves the ladder. Its owner is told the reason. It can be let in again, below.</p>
${disqualifyForm(tried, query["version"])}
<h2>Disqualified</h2>
${table(`By the last ${LOG_ROWS} rows of the log`, ["Version", "When", "Reason", "Again"], outByDecision(audit).map(outRow), "None is.")}
<h2>Let a suspended or disqualified entry play again</h2>
<p>An entry whose matches fail five times running through its own fault is suspended: it keeps its place and is not paired. Its owner and the season's administrators are told.</p>
${whole(text("id", "Version", { hint: "Its id, from the notification or a list.", more: ID }), "Let it play", "Let a suspended entry play again")}`
  })
})
