/** A ladder of a season, and the search of it. Models with the same rating are marked, also across pages. */
import type { Leaderboard } from "@agon/api/leaderboard/api.ts"
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { kitAt, type Places } from "../html/links.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { counted } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { invalid, notFound } from "../http/refuse.ts"
import { ladderNav, viewNav } from "./nav.ts"
import { foundIn, isSearchTerm, ROWS, searchForm, tooLong } from "./search.ts"
import { ladderTable } from "./table.ts"
import { ladderInWords, lead } from "./top.ts"

/** Below the rows, which are what people come for. */
const READING = html`<p class="faint">The true rank lies within its range, and the rating within its ±, with a probability of 95 %. The trend is what the last match changed. The bar is the interval of the rating, and the line its course over the last matches. <a href="${kitAt("ratings")}">How ratings move</a></p>
`
const isLadder = Schema.is(Ladder)

/** A row before and one after the page, since either may have the rating of one of the page's own. */
const around = (offset: number) => ({ cursor: Math.max(0, offset - 1), limit: ROWS + 2 })

const standings = (at: Places, board: Leaderboard, offset: number): Html => {
  const begin = offset - around(offset).cursor
  return html`${ladderTable(at, board, { begin, end: begin + ROWS })}
${board.entries.length > 0 && READING}`
}

export const ladderPage: SharedRoute = {
  path: "/games/:game/seasons/:slug/ladders/:ladder",
  query: ["name", "cursor"],
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, params, query } = asked
    const [game, season, ladder] = [params["game"]!, params["slug"]!, params["ladder"]!]
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    if (!isLadder(ladder)) return yield* notFound
    const { name } = query
    const wanted = isSearchTerm(name) ? name : undefined
    const refused = name !== wanted
    const page = wanted === undefined ? around(offset) : { name: wanted, cursor: offset, limit: ROWS }
    const board = yield* client.leaderboard.leaderboard({ params: { game }, query: { season, ladder, ...page } })
    const next = offset + ROWS < board.total ? String(offset + ROWS) : null
    const path = at.ladder(game, season, ladder)
    const rows = wanted === undefined ? standings(at, board, offset) : foundIn(at, { game, season, ladder, name: wanted }, board)
    const main = html`${yield* crumbs(asked, { game, season, season_name: board.season_name })}
<h1>The ${ladder} ladder of ${said(board.season_name)}</h1>
${ladderNav(ladder, (each) => at.ladder(game, season, each))}
${viewNav(at, [game, season, ladder], "ladder")}
${board.closed ? html`<p>The season is over; this is where everybody stood.</p>` : board.round !== null && html`<p>In ${board.round.kind === "finals" ? "the finals" : `round ${board.round.n}`}, which ${board.round.kind === "finals" ? "owe" : "owes"} each model ${counted(board.round.games, "match", "matches")}.</p>`}
${name === undefined && offset === 0 && board.entries.length > 1 && html`<p>${lead(board)}</p>\n`}${refused && tooLong}${(board.total > 0 || name !== undefined) && searchForm(path, name, refused)}${!refused && html`${rows}${pager({ path, query: wanted === undefined ? {} : { name: wanted }, offset, rows: ROWS, next })}`}`
    const leading = offset === 0 && name === undefined ? { description: ladderInWords(board) } : {}
    const title = `${name === undefined ? "The" : `“${name}” on the`} ${ladder} ladder of ${board.season_name}`
    return { title, ...leading, main, ...(refused ? { status: 400 } : {}) }
  })
}
