/** Matches that an administrator takes out of the ratings. */
import { type VoidedMatch, VoidMatch } from "@agon/api/match/admin.ts"
import type { MatchCard, MatchDetail } from "@agon/api/match/Match.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { placesFor, seasonAdminAt, withQuery } from "../html/links.ts"
import { table } from "../html/table.ts"
import { time, words } from "../html/words.ts"
import { constraintsOf } from "../http/form/constraints.ts"
import type { Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import { ID_OR_ADDRESS, idIn } from "../http/form/pasted.ts"
import { ifAny } from "../http/refuse.ts"
import { names } from "../match/cards.ts"
import { type OfSeason, ShownHere, seasonForm } from "./forms.ts"
import { seasonAdminPage } from "./guard.ts"

const cancel = seasonForm("matches", {
  name: "void",
  fields: ["id", "reason"],
  codes: { not_found: "id", match_not_finished: "id" },
  send: ({ client, of, typed }) =>
    Effect.gen(function* () {
      const id = yield* idIn("id", typed.one("id"), "match")
      const shown = yield* client.matchAdmin.voidMatch({ params: { ...of, id }, payload: { reason: typed.one("reason") } })
      return new ShownHere({ shown })
    })
})

/** The address of the form, with a match that it begins with. */
const voidAt = ({ game, slug }: OfSeason, match: string) => `${withQuery(seasonAdminAt(game, slug, "matches"), { match })}#${cancel.name}`

/** Trials have no page. */
const row =
  (season: Season) =>
  ({ id, is_trial, map, played_at, reason, seats }: MatchCard): Html =>
    html`<tr>
<th scope="row">${is_trial ? names(seats) : html`<a href="${placesFor(season).match(id)}">${names(seats)}</a>`}${is_trial && html` <span class="faint">trial</span>`}</th>
<td class="line">${map}</td>
<td class="line">${reason !== null && words(reason)}</td>
<td>${played_at !== null && time(played_at)}</td>
${season.state !== "closed" && html`<td><a class="do" href="${voidAt(season, id)}" aria-label="Void the match ${id}">Void</a></td>\n`}</tr>
`

const limits = constraintsOf(VoidMatch)

const voided = ({ match, state }: VoidedMatch): Html =>
  html`<p class="good" role="status">The match ${match} ${state === "voided" ? "is void." : "no longer counts; ratings are being computed without it."}</p>\n`

/** The match whose id the form begins with: nobody knows one by its id. */
const aboutMatch = (season: Season, { id, map, played_at, seats }: MatchDetail): Html =>
  html`<p>The match <a href="${placesFor(season).match(id)}">${names(seats)}</a> on the board ${map}${played_at !== null && html`, played ${time(played_at)}`}.</p>\n`

const voidForm = (season: Season, tried: Tried | undefined, match: string | undefined, detail: MatchDetail | undefined): Html => {
  const done = tried?.form === cancel.name ? (tried.shown as VoidedMatch | undefined) : undefined
  const { area, text, whole } = inputs(
    cancel,
    done === undefined ? tried : undefined,
    match === undefined || done !== undefined ? {} : { id: match }
  )
  return html`${done === undefined ? detail !== undefined && aboutMatch(season, detail) : voided(done)}${whole(
    html`${text("id", "Match", { hint: "The address of its page, or its id; “Void” in the list above fills it in.", more: ID_OR_ADDRESS })}${area("reason", "Reason", { hint: "The log tells it. At most 500 characters.", more: limits("reason") })}`,
    "Void the match",
    "Void a match"
  )}`
}

export const seasonMatches = seasonAdminPage({
  part: "matches",
  query: ["match", "cursor"],
  forms: [cancel],
  render: Effect.fnUntraced(function* ({ client, links, of, page, query, season, tried }) {
    const wanted = query["match"] ?? ""
    const [{ matches, next_cursor }, match] = yield* Effect.all(
      [
        client.match.privateMatches({ query: { game: of.game, season: of.slug, sort: "newest", ...page } }),
        isUuid(wanted) ? ifAny(client.match.privateMatch({ params: { id: wanted } })) : Effect.succeed(undefined)
      ],
      { concurrency: "unbounded" }
    )
    const detail = match?.game === of.game && match.season === of.slug ? match : undefined
    return html`<h2>Matches</h2>
${table("Finished matches, the newest first", ["Match", "Board", "Ending", "Played", ...(season.state === "closed" ? [] : ["Void"])], matches.map(row(season)), "No match has been played.")}
${links(next_cursor)}
${
  season.state === "closed"
    ? html`<p>The season is closed: its podium stays as it is, and no match is voided.</p>`
    : html`<h2>Void a match</h2>
<p>Its rating is taken out of all ratings that it moved, and its seats are owed another match. This cannot be undone.</p>
${voidForm(season, tried, query["match"], detail)}`
}`
  })
})
