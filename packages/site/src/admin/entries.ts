/** A season's versions: entries in contention, which may be disqualified, candidates, and entries that may be let in again. */
import type { Client } from "@agon/api/Client.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { DisqualifyVersion } from "@agon/api/version/admin.ts"
import type { AdministeredVersion, Version } from "@agon/api/version/Version.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { owned, placesFor, seasonAdminAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { count, decimal } from "../html/words.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { ID_OR_ADDRESS, idIn, notNamed, pastedId } from "../http/form/pasted.ts"
import { ifAny, invalid } from "../http/refuse.ts"
import { doneAt, LeadsTo, type OfSeason, seasonForm } from "./forms.ts"
import { type SeasonContext, seasonAdminPage } from "./guard.ts"
import { searchTerm, sectionNav } from "./parts.ts"
import { again, type Listed, standingTable } from "./standing.ts"

const PART = "entries"

/** The lists of the page, by its parameter `state`. */
const STANDINGS: ReadonlyArray<readonly ["" | Listed, string]> = [
  ["", "In contention"],
  ["testing", "Candidates"],
  ["suspended", "Suspended"],
  ["disqualified", "Out of play"]
]

const listAt = ({ game, slug }: OfSeason, state: string) => withQuery(seasonAdminAt(game, slug, PART), { state })

const disqualify = seasonForm(PART, {
  name: "disqualify",
  fields: ["id", "reason", "void_matches"],
  codes: { not_found: "id", not_in_contention: "id" },
  send: Effect.fnUntraced(function* ({ client, of, typed }) {
    const id = yield* versionIn(client, of, typed.one("id"))
    const payload = { reason: typed.one("reason"), void_matches: typed.one("void_matches") === "yes" }
    yield* client.versionAdmin.disqualifyVersion({ params: { ...of, id }, payload })
    return new LeadsTo({ to: doneAt(seasonAdminAt(of.game, of.slug, PART), { state: "disqualified" }) })
  })
})

/**
 * The version that the text names: its id, an address with it, or that of its model's page, which stands for the entry that is in
 * contention.
 */
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

/** On the open ladder, where every entry in contention stands. */
interface Place {
  readonly rank: number | null
  readonly rating: number
  readonly matches: number
}

type InContention = Pick<AdministeredVersion, "baseline" | "model" | "model_id" | "owner" | "version" | "version_id">

const entryRow =
  (season: Season) =>
  ({ baseline, model, model_id, owner, version, version_id }: InContention, on: Place | undefined): Html => {
    const { game, slug, state } = season
    return html`<tr>
<th scope="row"><a href="${placesFor(season).model(model_id)}">${said(model)}</a> version ${version}</th>
<td>${owned(owner)}</td>
<td class="n">${on !== undefined && on.rank !== null && html`<span class="unit">rank </span>${count(on.rank)}`}</td>
<td class="n">${on !== undefined && html`<span class="unit">rating </span>${decimal(on.rating)}`}</td>
<td class="n">${on !== undefined && html`<span class="unit">matches </span>${count(on.matches)}`}</td>
<td>${baseline ? html`<a class="do" href="${seasonAdminAt(game, slug, "baselines")}" aria-label="A baseline: take it out of play (${model})">A baseline</a>` : state !== "closed" && html`<a class="do" href="${withQuery(seasonAdminAt(game, slug, PART), { version: version_id })}#disqualify" aria-label="Disqualify ${model} version ${version}">Disqualify</a>`}</td>
</tr>
`
  }

const limits = constraintsOf(DisqualifyVersion)

/** The version whose id the form begins with: nobody knows one by its id. */
const aboutVersion = (season: Season, { model, model_id, owner, version }: Version): Html =>
  html`<p>The entry <a href="${placesFor(season).model(model_id)}">${said(model)}</a> version ${version} of ${owned(owner)}.</p>\n`

const disqualifyForm = (tried: Tried | undefined, version: string | undefined): Html => {
  const { area, box, text, whole } = inputs(disqualify, tried, version === undefined ? {} : { id: version })
  return whole(
    html`${text("id", "Version", { hint: "The address of its model's page, or its id; “Disqualify” in the list above fills it in.", more: ID_OR_ADDRESS })}${area("reason", "Reason", { hint: "Its owner is told, and the log tells it. At most 500 characters.", more: limits("reason") })}${box("void_matches", "yes", "Its matches do not count any more. This cannot be undone.")}`,
    "Disqualify",
    "Disqualify an entry"
  )
}

/** The rows of entries in contention: by their rank, or those that a search finds. */
const entriesIn = ({ client, of, page, query: { name }, season }: SeasonContext) => {
  const row = entryRow(season)
  return name === undefined
    ? Effect.map(
        client.leaderboard.privateLeaderboard({ params: of, query: { season: of.slug, ladder: "open", ...page } }),
        ({ entries, next_cursor }) => ({ rows: entries.map((entry) => row(entry, entry)), next_cursor })
      )
    : Effect.map(
        client.versionAdmin.seasonVersions({ params: of, query: { state: "entered", name, ...page } }),
        ({ next_cursor, versions }) => ({ rows: versions.map((version) => row(version, version.ratings["open"])), next_cursor })
      )
}

const inContention = Effect.fnUntraced(function* (context: SeasonContext) {
  const { client, links, of, query, season, tried } = context
  const wanted = query["version"] ?? ""
  const [{ next_cursor, rows }, found] = yield* Effect.all(
    [entriesIn(context), isUuid(wanted) ? ifAny(client.version.privateVersion({ params: { id: wanted } })) : Effect.succeed(undefined)],
    { concurrency: "unbounded" }
  )
  const version = found?.game === of.game && found.season === of.slug ? found : undefined
  const [caption, none] =
    query["name"] === undefined
      ? ["Entries by their rank on the open ladder", "There is none yet."]
      : ["Entries found, the newest first", NONE]
  return html`${table(caption, ["Entry", "Owner", "Rank", "Rating", "Matches", "Disqualify"], rows, none)}
${links(next_cursor)}
${
  season.state === "closed"
    ? html`<p>The season is closed: its podium stays as it is.</p>`
    : html`<h2>Disqualify an entry</h2>
<p>An entry that broke the season's rules leaves the ladder. Its owner is told the reason. It can be let in again.</p>
${version !== undefined && aboutVersion(season, version)}${disqualifyForm(tried, query["version"])}`
}`
})

const NONE = "No name here begins so."

const search = (of: OfSeason, state: string, name: string | undefined): Html =>
  html`<form class="filter" method="get" action="${seasonAdminAt(of.game, of.slug, PART)}" role="search" aria-label="Entries">
${state !== "" && html`<input type="hidden" name="state" value="${state}">`}<label>Model or owner whose name begins with<input name="name" value="${name}" maxlength="100" autocomplete="off"></label>
<button>Search</button>
</form>${name !== undefined && html`\n<p><a href="${listAt(of, state)}">All of them</a></p>`}`

export const seasonEntries = seasonAdminPage({
  part: PART,
  query: ["state", "name", "version", "cursor"],
  forms: [disqualify],
  buttons: [again],
  render: Effect.fnUntraced(function* (context) {
    const { client, links, of, page, query, season } = context
    const found = STANDINGS.find(([state]) => state === (query["state"] ?? ""))
    if (found === undefined) return yield* invalid
    const [state, title] = found
    const named = yield* searchTerm(query["name"])
    const head = html`${sectionNav("Which versions", STANDINGS, (each) => listAt(of, each), state)}<h2>${title}</h2>
${search(of, state, named)}`
    if (state === "") return html`${head}${yield* inContention(context)}`
    const asked = { state, ...page, ...(named === undefined ? {} : { name: named }) }
    const { next_cursor, versions } = yield* client.versionAdmin.seasonVersions({ params: of, query: asked })
    return html`${head}${standingTable(season, state, versions, named === undefined ? undefined : NONE)}
${links(next_cursor)}`
  })
})
