/** A ladder of a season. Models with the same rating share a rank, also across pages. */
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { html, said } from "../html/Html.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { count } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { invalid, notFound } from "../http/refuse.ts"
import { ladderNav } from "./nav.ts"
import { ladderTable } from "./table.ts"

const ROWS = 50
const isLadder = Schema.is(Ladder)

export const ladderPage: SharedRoute = {
  path: "/games/:game/seasons/:slug/ladders/:ladder",
  query: ["cursor"],
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, params, query } = asked
    const [game, season, ladder] = [params["game"]!, params["slug"]!, params["ladder"]!]
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    if (!isLadder(ladder)) return yield* notFound
    // A row before and one after the page, since either may share a rank with the page's own.
    const from = Math.max(0, offset - 1)
    const board = yield* client.leaderboard.leaderboard({ params: { game }, query: { season, ladder, cursor: from, limit: ROWS + 2 } })
    const begin = offset - from
    const next = offset + ROWS < board.total ? String(offset + ROWS) : null
    const path = at.ladder(game, season, ladder)
    const main = html`${yield* crumbs(asked, { game, season, season_name: board.season_name })}
<h1>Ladder ${ladder} of ${said(board.season_name)}</h1>
${ladderNav(ladder, (each) => at.ladder(game, season, each))}
<p>${board.closed ? "The season is over; this is where everybody stood." : board.round !== null && `In ${board.round.kind === "finals" ? "the finals" : `round ${board.round.n}`}, which owes each model ${count(board.round.games)} matches.`}</p>
<p><a href="${at.matrix(game, season, ladder)}">The top of this ladder against each other</a>, <a href="${at.course(game, season, ladder)}">how it came about</a></p>
${ladderTable(at, board, { begin, end: begin + ROWS })}
${pager({ path, query: {}, offset, rows: ROWS, next })}`
    return { title: `Ladder ${ladder} of ${board.season_name}`, main }
  })
}
