/** A season's versions: entries in contention, which may be disqualified, candidates, and entries that may be let in again. */
import type { Client } from "@agon/api/Client.ts"
import type { Entry } from "@agon/api/leaderboard/api.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { DisqualifyVersion, type Standing } from "@agon/api/version/admin.ts"
import type { Version } from "@agon/api/version/Version.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { modelAt, owned, seasonDeskAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { count, decimal } from "../html/words.ts"
import { constraintsOf } from "../http/constraints.ts"
import type { Tried } from "../http/Form.ts"
import { inputs } from "../http/inputs.ts"
import { ID_OR_ADDRESS, idIn, notNamed, pastedId } from "../http/pasted.ts"
import { ifAny, invalid } from "../http/refuse.ts"
import { doneAt, LeadsTo, type OfSeason, seasonForm } from "./forms.ts"
import { type SeasonDesk, seasonDesk } from "./guard.ts"
import { deskNav } from "./parts.ts"
import { again, standingTable } from "./standing.ts"

const PART = "entries"

/** The lists of the page, by its parameter `state`. */
const STANDINGS: ReadonlyArray<readonly ["" | Standing, string]> = [
  ["", "In contention"],
  ["testing", "Candidates"],
  ["suspended", "Suspended"],
  ["disqualified", "Out of play"]
]

const listAt = ({ game, slug }: OfSeason, state: string) => withQuery(seasonDeskAt(game, slug, PART), { state })

const disqualify = seasonForm(PART, {
  name: "disqualify",
  fields: ["id", "reason", "void_matches"],
  codes: { not_found: "id", not_in_contention: "id" },
  send: Effect.fnUntraced(function* ({ client, of, typed }) {
    const id = yield* versionIn(client, of, typed.one("id"))
    const payload = { reason: typed.one("reason"), void_matches: typed.one("void_matches") === "yes" }
    yield* client.versionAdmin.disqualifyVersion({ params: { ...of, id }, payload })
    return new LeadsTo({ to: doneAt(seasonDeskAt(of.game, of.slug, PART), { state: "disqualified" }) })
  })
})

/** The version that the text names: its id, an address with it, or that of its model's page, which stands for the entry that is in contention. */
const versionIn = Effect.fnUntraced(function* (client: Client, { game, slug }: OfSeason, text: string) {
  const id = pastedId(text, "version")
  const model = id === undefined ? pastedId(text, "model") : undefined
  if (model === undefined) return yield* idIn("id", text, "version")
  const detail = yield* ifAny(client.model.privateModel({ params: { id: model } }))
  const own = detail?.game === game ? detail.versions.filter(({ season }) => season === slug) : []
  const n = /#v(\d+)$/.exec(text.trim())?.[1]
  const found = own.find(({ status, version }) => (n === undefined ? status === "entered" : String(version) === n))
  return (
    found?.version_id ??
    (yield* notNamed("id", `This model has no ${n === undefined ? "entry in contention" : `version ${n}`} in ${slug}.`))
  )
})

const entryRow =
  ({ game, slug, state }: Season) =>
  ({ baseline, matches, model, model_id, owner, rank, rating, version, version_id }: Entry): Html =>
    html`<tr>
<th scope="row"><a href="${modelAt(model_id)}">${said(model)}</a> version ${version}</th>
<td>${owned(owner)}</td>
<td class="n">${count(rank)}</td>
<td class="n">${decimal(rating)}</td>
<td class="n">${count(matches)}</td>
<td>${baseline ? html`<a class="do" href="${seasonDeskAt(game, slug, "baselines")}" aria-label="A baseline: take it out of play (${model})">A baseline</a>` : state !== "closed" && html`<a class="do" href="${withQuery(seasonDeskAt(game, slug, PART), { version: version_id })}#disqualify" aria-label="Disqualify ${model} version ${version}">Disqualify</a>`}</td>
</tr>
`

const limits = constraintsOf(DisqualifyVersion)

/** The version whose id the form begins with: nobody knows one by its id. */
const aboutVersion = ({ model, model_id, owner, version }: Version): Html =>
  html`<p>The entry <a href="${modelAt(model_id)}">${said(model)}</a> version ${version} of ${owned(owner)}.</p>\n`

const disqualifyForm = (tried: Tried | undefined, version: string | undefined): Html => {
  const { area, box, text, whole } = inputs(disqualify, tried, version === undefined ? {} : { id: version })
  return whole(
    html`${text("id", "Version", { hint: "The address of its model's page, or its id; “Disqualify” in the list above fills it in.", more: ID_OR_ADDRESS })}${area("reason", "Reason", { hint: "Its owner is told, and the log tells it. At most 500 characters.", more: limits("reason") })}${box("void_matches", "yes", "Its matches do not count any more. This cannot be undone.")}`,
    "Disqualify",
    "Disqualify an entry"
  )
}

const inContention = Effect.fnUntraced(function* ({ client, links, of, page, query, season, tried }: SeasonDesk) {
  const wanted = query["version"] ?? ""
  const [{ entries, next_cursor }, found] = yield* Effect.all(
    [
      client.leaderboard.privateLeaderboard({ params: of, query: { season: of.slug, ladder: "open", ...page } }),
      isUuid(wanted) ? ifAny(client.version.privateVersion({ params: { id: wanted } })) : Effect.succeed(undefined)
    ],
    { concurrency: "unbounded" }
  )
  const version = found?.game === of.game && found.season === of.slug ? found : undefined
  return html`<h2>In contention</h2>
${table("Entries by their rank on the open ladder", ["Entry", "Owner", "Rank", "Rating", "Matches", "Disqualify"], entries.map(entryRow(season)), "There is none yet.")}
${links(next_cursor)}
${
  season.state === "closed"
    ? html`<p>The season is closed: its podium stays as it is.</p>`
    : html`<h2>Disqualify an entry</h2>
<p>An entry that broke the season's rules leaves the ladder. Its owner is told the reason. It can be let in again.</p>
${version !== undefined && aboutVersion(version)}${disqualifyForm(tried, query["version"])}`
}`
})

export const seasonEntries = seasonDesk({
  part: PART,
  query: ["state", "version", "cursor"],
  forms: [disqualify],
  buttons: [again],
  render: Effect.fnUntraced(function* (desk) {
    const { client, links, of, page, query, season } = desk
    const found = STANDINGS.find(([state]) => state === (query["state"] ?? ""))
    if (found === undefined) return yield* invalid
    const [state, name] = found
    const nav = deskNav("Which versions", STANDINGS, (each) => listAt(of, each), state)
    if (state === "") return html`${nav}${yield* inContention(desk)}`
    const { next_cursor, versions } = yield* client.versionAdmin.seasonVersions({ params: of, query: { state, ...page } })
    return html`${nav}<h2>${name}</h2>
${standingTable(season, state, versions)}
${links(next_cursor)}`
  })
})
