/** A match that counts, the only kind that everybody sees: its end, its seats, the facts, how to check it, and what people say of it. */
import type { MatchDetail } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import { placeIn, readThread, THREAD_QUERY } from "../comment/place.ts"
import { threadSection } from "../comment/thread.ts"
import { type Html, html } from "../html/Html.ts"
import { inPublic, link, type Places, seasonAdminAt, withQuery } from "../html/links.ts"
import { plainOf } from "../html/plainLine.ts"
import { counted, time, words } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { ifAny, invalid, orNothing } from "../http/refuse.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { matchTable, winners } from "./cards.ts"
import { facts, proof } from "./facts.ts"
import { pictureOf } from "./picture.ts"
import { player } from "./player.ts"
import { replaySource } from "./replay.ts"
import { seatTable } from "./seats.ts"

/** The most other matches of these models, and on this board, that are shown. */
const RELATED = 6

/** The ending, as far as the page knows a sentence for it. */
const ENDINGS: Readonly<Record<string, string>> = {
  last_standing: "one was left",
  all_out: "nobody was left",
  turn_limit: "the turn limit was reached",
  no_moves: "nobody could place"
}

const summary = (
  at: Places,
  { game, ladder, map, played_at, reason, season, seats, turns }: MatchDetail
): Html => html`<p><b>${winners(seats)}</b>${
  turns !== null && reason !== null && ` The match ended after ${counted(turns, "turn")}: ${ENDINGS[reason] ?? words(reason)}.`
}</p>
<p class="faint">Rated${ladder !== null && html`, made for the ladder <a href="${at.ladder(game, season, ladder)}">${ladder}</a>`}, on the board <a href="${at.board(game, season, map)}">${map}</a>${played_at !== null && html`, ${time(played_at)}`}.</p>
`

const raw = ({ api }: Places, id: string) =>
  html`<a href="${api}/matches/${id}">the match</a>, <a href="${api}/matches/${id}/frame">its last position</a>`

/** The page is the same for everybody, and few are administrators: it is folded away, and the administration says to others that it is not theirs. */
const administration = ({ game, id, season }: MatchDetail) =>
  html`<dt>For administrators</dt><dd><a href="${withQuery(seasonAdminAt(game, season, "matches"), { match: id })}#void" rel="nofollow">Void it</a></dd>\n`

export const matchPage: SharedRoute = {
  path: "/matches/:id",
  query: THREAD_QUERY,
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, params, query, script } = asked
    const id = params["id"]!
    const of = { params: { id } }
    const place = placeIn(query)
    if (place === undefined) return yield* invalid
    const [match, frame, related, thread] = yield* Effect.all(
      [
        client.match.match(of),
        orNothing(client.match.frame(of)),
        ifAny(client.match.related(of)),
        ifAny(readThread(client, { match: id }, place))
      ],
      { concurrency: "unbounded" }
    )
    const seasonOf = yield* seasonNames(asked, related?.matches ?? [])
    const names = match.seats.map(({ model }) => model).join(" – ")
    const said = summary(at, match)
    const main = html`${yield* crumbs(asked, { game: match.game, season: match.season })}
<h1>${match.seats.map(({ model, model_id }, i) => html`${i > 0 && " – "}${link(at.model(model_id), model)}`)}</h1>
${said}${player(at, match, frame)}
${seatTable(at, match, frame)}
${facts(at, match, raw(at, match.id), ["administration", administration(match)])}
${proof(at, match)}
${
  related !== undefined &&
  related.matches.length > 0 &&
  html`<h2>Related matches</h2>\n${matchTable(at, "Other matches of these models, and on this board", related.matches.slice(0, RELATED), seasonOf)}\n`
}${thread !== undefined && threadSection(thread, at.match(match.id))}`
    return {
      title: names,
      description: plainOf(said),
      ...(at === inPublic && frame !== undefined && frame.view !== null ? { picture: pictureOf(match) } : {}),
      main,
      ...(replaySource(at, match) === undefined ? {} : { scripts: script("replay") })
    }
  })
}
