/** Matches of the visitor in every state: each has a page of its owners', and those that count one for everybody. */
import type { OwnMatch } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { inPrivate, inPublic, myMatchAt, myMatchesAt, myModelsAt, type Places } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { counted, time, words } from "../html/words.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { invalid } from "../http/refuse.ts"
import { type SeasonNames, seasonNames } from "../http/seasonNames.ts"
import { names, placed } from "../match/cards.ts"
import { change } from "../match/seats.ts"
import { type HiddenSeasons, privateSeasons } from "../season/places.ts"

const ROWS = 50

const placesIn = (hidden: HiddenSeasons, { game, season }: OwnMatch): Places =>
  hidden.some((one) => one.game === game && one.slug === season) ? inPrivate : inPublic

const row = (hidden: HiddenSeasons, seasonOf: SeasonNames, match: OwnMatch): Html => {
  const { created_at, game, id, is_trial, map, played_at, seats, season, status } = match
  const own = seats.find(({ mine }) => mine)
  const moved = own?.rating_change?.[match.ladder ?? "open"]
  const to = status === "rated" ? placesIn(hidden, match).match(id) : myMatchAt(id)
  return html`<tr>
<th scope="row"><a href="${to}">${own?.rank == null ? names(seats) : placed(seats)}</a></th>
<td class="place ${own?.outcome === "win" ? "good" : own?.outcome === "loss" ? "bad" : ""}">${own?.outcome}${own?.rank != null && `, ${own.rank} of ${seats.length}`}</td>
<td class="n">${moved !== undefined && html`${change(moved)}<span class="unit"> rating</span>`}</td>
<td class="ending">${words(status)}${is_trial && ", trial"}</td>
<td class="of">${said(seasonOf(game, season))}, ${map}</td>
<td class="played">${time(played_at ?? created_at)}</td>
</tr>
`
}

/** `hidden`: the private seasons that the visitor may see. */
export const ownMatchTable = (hidden: HiddenSeasons, seasonOf: SeasonNames, matches: ReadonlyArray<OwnMatch>): Html =>
  matches.length === 0
    ? html`<p class="faint">There is no match on this page.</p>`
    : html`<div class="scroll" role="region" aria-label="My last matches" tabindex="0"><table class="matches lines">
<caption>The newest first, in every state</caption>
<thead><tr><th scope="col">Match, the winner first</th><th scope="col">Outcome, place</th><th scope="col">Rating</th><th scope="col">State</th><th scope="col">Season, board</th><th scope="col">When</th></tr></thead>
<tbody>
${matches.map((match) => row(hidden, seasonOf, match))}</tbody>
</table></div>`

const NONE = html`<p>No model of yours has had a match yet. A version that is submitted plays its trial first: <a href="${myModelsAt}">make or submit a model</a>.</p>`

export const myMatches: PersonalRoute = {
  path: myMatchesAt,
  query: ["cursor"],
  own: Effect.fnUntraced(function* (asked) {
    const { client, query } = asked
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    const [{ matches, next_cursor, total }, hidden] = yield* Effect.all(
      [client.match.ownMatches({ query: { limit: ROWS, cursor: offset } }), privateSeasons(client)],
      { concurrency: "unbounded" }
    )
    const main = html`<h1>My matches</h1>
${myPagesNav(myMatchesAt)}${
  total === 0
    ? NONE
    : html`<p>${counted(total, "match", "matches")} in which a model of yours has a seat.</p>
${ownMatchTable(hidden, yield* seasonNames(asked, matches, hidden), matches)}`
}
${pager({ path: myMatchesAt, query: {}, offset, rows: ROWS, next: next_cursor })}`
    return { title: "My matches", main }
  })
}
