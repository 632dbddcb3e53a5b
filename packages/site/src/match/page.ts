/** A match that counts, the only kind that everybody sees: its end, its seats, the facts, how to check it, and what people say of it. */
import { Effect } from "effect"
import { COMMENT_ROWS, threadSection } from "../comment/thread.ts"
import { html } from "../html/Html.ts"
import { link, type Places } from "../html/links.ts"
import { offsetOf } from "../html/pager.ts"
import { counted, words } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { ifAny, invalid, orNothing } from "../http/refuse.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { matchTable, winners } from "./cards.ts"
import { facts, proof } from "./facts.ts"
import { player } from "./player.ts"
import { replaySource } from "./replay.ts"
import { seatTable } from "./seats.ts"

const raw = ({ api }: Places, id: string) =>
  html`<a href="${api}/matches/${id}">the match</a>, <a href="${api}/matches/${id}/frame">its last position</a>`

export const matchPage: SharedRoute = {
  path: "/matches/:id",
  query: ["cursor"],
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, params, query, script } = asked
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
    const seasonOf = yield* seasonNames(asked, related?.matches ?? [])
    const names = match.seats.map(({ model }) => model).join(" – ")
    const main = html`${yield* crumbs(asked, { game: match.game, season: match.season })}
<h1>${match.seats.map(({ model, model_id }, i) => html`${i > 0 && " – "}${link(at.model(model_id), model)}`)}</h1>
<p>${winners(match.seats)} A rated match${match.turns !== null && ` of ${counted(match.turns, "turn")}`}${match.reason !== null && `; its ending: ${words(match.reason)}`}.</p>
${player(at, match, frame)}
${seatTable(at, match)}
${facts(at, match, raw(at, match.id))}
${proof(match)}
${
  related !== undefined &&
  related.matches.length > 0 &&
  html`<h2>Related</h2>\n${matchTable(at, "Other matches of these models, and on this board", related.matches, seasonOf)}\n`
}${thread !== undefined && threadSection(thread, at.match(match.id), offset)}`
    return { title: names, main, ...(replaySource(at, match) === undefined ? {} : { scripts: script("replay") }) }
  })
}
