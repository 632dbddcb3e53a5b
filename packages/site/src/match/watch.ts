/** The way from the front page and from a season to a match: one of those that ended last, as it ended, and how it is proven. */
import type { Client } from "@agon/api/Client.ts"
import type { MatchCard } from "@agon/api/match/Match.ts"
import { Effect } from "effect"
import { type Html, html, made, said } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { counted } from "../html/words.ts"
import { orNothing } from "../http/refuse.ts"
import type { SeasonNames } from "../http/seasonNames.ts"
import { boardPicture, positionPicture } from "../picture/boardPicture.ts"
import { names, winners } from "./cards.ts"

/** The longest of the matches: there is more to see in it, and the choice stays for more than the next moment. Trials have no page. */
const chosenOf = (matches: ReadonlyArray<MatchCard>): MatchCard | undefined =>
  matches.filter(({ is_trial, status }) => !is_trial && status === "rated").toSorted((a, b) => (b.turns ?? 0) - (a.turns ?? 0))[0]

/** The service makes the last position on a thread, and keeps it. Where that takes longer, the page goes without. */
const POSITION_MS = 300

/**
 * Decoration: the sentences beside it and the match's own page say what is in it. The last position, or the first one where the service
 * has none; nothing where the board is not known either.
 */
const picture = Effect.fnUntraced(function* (client: Client, match: MatchCard, boardOf: BoardOf) {
  const frame = yield* orNothing(Effect.timeout(client.match.frame({ params: { id: match.id } }), POSITION_MS))
  const view = frame?.view ?? null
  const board = view === null ? yield* boardOf(match) : undefined
  if (view === null && board === undefined) return ""
  const drawn = view === null ? boardPicture(board) : positionPicture(view)
  return html`<div class="board" aria-hidden="true">${made(drawn)}</div>\n`
})

type BoardOf = (match: MatchCard) => Effect.Effect<unknown>

const section = (at: Places, match: MatchCard, shown: Html | "", seasonOf: SeasonNames): Html => {
  const { game, id, map, season, seats, turns } = match
  return html`<section class="watch" aria-labelledby="watch">
${shown}<div>
<h2 id="watch">Watch a match</h2>
<p><b>${winners(seats)}</b> ${names(seats)}, ${turns !== null && html`${counted(turns, "turn")} `}on ${map}, in ${said(seasonOf(game, season))}.</p>
<p><a class="act" href="${at.match(id)}">Watch it, and see it recomputed</a></p>
<p class="faint">Your browser plays it again by the rules and says whether it comes to the same end.</p>
</div>
</section>
`
}

/** Nothing where no match has been played. */
export const watchSection = (
  at: Places,
  client: Client,
  matches: ReadonlyArray<MatchCard>,
  seasonOf: SeasonNames,
  boardOf: BoardOf
): Effect.Effect<Html | ""> => {
  const match = chosenOf(matches)
  if (match === undefined) return Effect.succeed("")
  return Effect.map(picture(client, match, boardOf), (shown) => section(at, match, shown, seasonOf))
}
