/**
 * A match in which the visitor has a seat, in whatever state: a trial, one that failed or was withdrawn, one that waits. To everybody
 * else it does not exist here; matches that count have a page for all besides (match/page.ts).
 */
import { Effect } from "effect"
import { html, said } from "../html/Html.ts"
import { myMatchAt, myMatchesAt, myReplayAt } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { time } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { endingOf } from "../match/ending.ts"
import { facts, proof } from "../match/facts.ts"
import { player } from "../match/player.ts"
import { replaySource } from "../match/replay.ts"
import { seatTable } from "../match/seats.ts"
import { seenSeason } from "../season/places.ts"

export const myMatch: PersonalRoute = {
  path: `${myMatchesAt}/:id`,
  own: Effect.fnUntraced(function* ({ client, names: known, params, script }) {
    const match = yield* client.match.ownMatch({ params: { id: params["id"]! } })
    const { at, season } = yield* seenSeason(client, match.game, match.season)
    const mine = { ...at, replay: myReplayAt }
    const names = match.seats.map(({ model }) => model).join(" – ")
    const main = html`${yield* crumbs({ at, client, names: known }, { game: match.game, season: match.season, season_name: season?.name ?? match.season })}
<h1>${match.seats.map(({ model }, i) => html`${i > 0 && " – "}${said(model)}`)}</h1>
${myPagesNav(myMatchesAt)}<p>Made ${time(match.created_at)}. ${
      match.status === "rated"
        ? html`<a href="${at.match(match.id)}">Its page for everybody who sees the season</a>`
        : "Only those who have a seat in it see this page."
    }</p>
${endingOf(match, season?.rules.match.strike_limit)}
${player(mine, match, undefined)}
${seatTable(at, match)}
${facts(at, match, html`<a href="/v1${myMatchAt(match.id)}">the match</a>`)}
${proof(mine, match)}`
    return { title: names, main, ...(replaySource(mine, match) === undefined ? {} : { scripts: script("replay") }) }
  })
}
