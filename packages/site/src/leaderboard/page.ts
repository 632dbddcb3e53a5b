/** A ladder of a season. Models with the same rating share a rank, also across pages. */
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { html, said } from "../html/Html.ts"
import { kitAt } from "../html/links.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { count } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { invalid, notFound } from "../http/refuse.ts"
import { ladderNav, viewNav } from "./nav.ts"
import { ladderTable } from "./table.ts"
import { ladderInWords, lead } from "./top.ts"

const ROWS = 50
/** Below the rows, which are what people come for. */
const READING = html`<p class="faint">The true rank lies within its range, and the rating within its ±, with a probability of 95 %. The trend is what the last match changed. The bar is the interval of the rating, and the line its course over the last matches. <a href="${kitAt("ratings")}">How ratings move</a></p>
`
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
<h1>The ${ladder} ladder of ${said(board.season_name)}</h1>
${ladderNav(ladder, (each) => at.ladder(game, season, each))}
${viewNav(at, [game, season, ladder], "ladder")}
${board.closed ? html`<p>The season is over; this is where everybody stood.</p>` : board.round !== null && html`<p>In ${board.round.kind === "finals" ? "the finals" : `round ${board.round.n}`}, which owes each model ${count(board.round.games)} matches.</p>`}
${offset === 0 && board.entries.length > 1 && html`<p>${lead(board)}</p>\n`}${ladderTable(at, board, { begin, end: begin + ROWS })}
${board.entries.length > 0 && READING}${pager({ path, query: {}, offset, rows: ROWS, next })}`
    const leading = offset === 0 ? { description: ladderInWords(board) } : {}
    return { title: `The ${ladder} ladder of ${board.season_name}`, ...leading, main }
  })
}
