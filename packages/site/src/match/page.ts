/** A match that counts, the only kind that everybody sees: its end, its seats, the facts, how to check it, and what people say of it. */
import type { MatchDetail } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import { COMMENT_ROWS, threadSection } from "../comment/thread.ts"
import { html } from "../html/Html.ts"
import { gameAt, link, type Places } from "../html/links.ts"
import { offsetOf } from "../html/pager.ts"
import { count, duration, time, words } from "../html/words.ts"
import type { SharedRoute } from "../http/Route.ts"
import { ifAny, invalid, orNothing } from "../http/refuse.ts"
import { matchTable } from "./cards.ts"
import { player } from "./player.ts"
import { replaySource } from "./replay.ts"
import { seatTable } from "./seats.ts"

const facts = (at: Places, match: MatchDetail) => html`<h2>Facts</h2>
<dl>
<dt>Board</dt><dd><a href="${at.board(match.game, match.season, match.map)}">${match.map}</a></dd>
${match.ladder !== null && html`<dt>Made for</dt><dd>the ladder <a href="${at.ladder(match.game, match.season, match.ladder)}">${match.ladder}</a></dd>\n`}${
  match.played_at !== null &&
  html`<dt>Played</dt><dd>${time(match.played_at)}${match.played_ms !== null && html`, in ${count(match.played_ms)} ms`}</dd>\n`
}${match.turns !== null && html`<dt>Turns</dt><dd>${count(match.turns)}</dd>\n`}<dt>Seed</dt><dd>${match.seed}</dd>
<dt>Rules</dt><dd><code>${match.engine_digest}</code></dd>
${match.runtime_version !== null && html`<dt>Runtime</dt><dd><code>${match.runtime_version}</code></dd>\n`}<dt>Raw</dt><dd><a href="${at.api}/matches/${match.id}">the match</a>, <a href="${at.api}/matches/${match.id}/frame">its last position</a></dd>
</dl>`

/** The replay's address is signed for an hour, and this page is made anew before that. */
const proof = ({ id, replay_url }: MatchDetail) =>
  replay_url === undefined
    ? ""
    : html`<h2>Check it yourself</h2>
<p><a href="${replay_url}" download="${id}.json">Download the replay</a> (the link is good for ${duration(3_600)}), then recompute the match by its rules:</p>
<pre tabindex="0"><code>agon verify ${id}.json</code></pre>`

export const matchPage: SharedRoute = {
  path: "/matches/:id",
  query: ["cursor"],
  render: Effect.fnUntraced(function* ({ at, client, params, query, script }) {
    const id = params["id"]!
    const of = { params: { id } }
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    const [match, frame, related, thread] = yield* Effect.all(
      [
        client.match.match(of),
        orNothing(client.match.frame(of)),
        ifAny(client.match.related(of)),
        ifAny(client.community.thread({ query: { match: id, limit: COMMENT_ROWS, cursor: offset } }))
      ],
      { concurrency: "unbounded" }
    )
    const names = match.seats.map(({ model }) => model).join(" – ")
    const main = html`<p class="faint"><a href="${gameAt(match.game)}">${match.game}</a>, season <a href="${at.season(match.game, match.season)}">${match.season}</a></p>
<h1>${match.seats.map(({ model, model_id }, i) => html`${i > 0 && " – "}${link(at.model(model_id), model)}`)}</h1>
<p>A rated match${match.reason !== null && ` that ended by ${words(match.reason)}`}.</p>
${player(at, match, frame)}
${seatTable(at, match)}
${facts(at, match)}
${proof(match)}
${
  related !== undefined &&
  related.matches.length > 0 &&
  html`<h2>Related</h2>\n${matchTable(at, "Other matches of these models, and on this board", related.matches)}\n`
}${thread !== undefined && threadSection(thread, at.match(match.id), offset)}`
    return { title: names, main, ...(replaySource(at, match) === undefined ? {} : { scripts: script("replay") }) }
  })
}
