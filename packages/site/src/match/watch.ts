/** The way from the front page and from a season to a match: one of those that ended last, with its board, and how it is proven. */
import type { MatchCard } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import { type Html, html, made, said } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { counted } from "../html/words.ts"
import type { SeasonNames } from "../http/seasonNames.ts"
import { boardPicture } from "../picture/boardPicture.ts"
import { names, winners } from "./cards.ts"

/** The longest of the matches: there is more to see in it, and the choice stays for more than the next moment. Trials have no page. */
const chosenOf = (matches: ReadonlyArray<MatchCard>): MatchCard | undefined =>
  matches.filter(({ is_trial, status }) => !is_trial && status === "rated").toSorted((a, b) => (b.turns ?? 0) - (a.turns ?? 0))[0]

/** Decoration: the sentences beside it and the match's own page say what is in it. The last position would take the service a thread. */
const picture = (board: unknown): Html => html`<div class="board" aria-hidden="true">${made(boardPicture(board))}</div>\n`

const section = (at: Places, match: MatchCard, board: unknown, seasonOf: SeasonNames): Html => {
  const { game, id, map, season, seats, turns } = match
  return html`<section class="watch" aria-labelledby="watch">
${board !== undefined && picture(board)}<div>
<h2 id="watch">Watch a match</h2>
<p><b>${winners(seats)}</b> ${names(seats)}, ${turns !== null && html`${counted(turns, "turn")} `}on ${map}, in ${said(seasonOf(game, season))}.</p>
<p><a class="act" href="${at.match(id)}">Watch it, and see it recomputed</a></p>
<p class="faint">Your browser plays it again by the rules and says whether it comes to the same end.</p>
</div>
</section>
`
}

/** Nothing where no match has been played. The board's picture is left out where `boardOf` finds none. */
export const watchSection = (
  at: Places,
  matches: ReadonlyArray<MatchCard>,
  seasonOf: SeasonNames,
  boardOf: (match: MatchCard) => Effect.Effect<unknown>
): Effect.Effect<Html | ""> => {
  const match = chosenOf(matches)
  if (match === undefined) return Effect.succeed("")
  return Effect.map(boardOf(match), (board) => section(at, match, board, seasonOf))
}
