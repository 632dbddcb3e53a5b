/**
 * The place of the replay player. Without scripts it shows the last position; the element takes its place, plays the match and
 * recomputes it. It reads the replay from this origin alone (replay.ts).
 */
import type { Frame, MatchDetail } from "@agon/api/match/Match.ts"
import { type Html, html, made } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { positionPicture } from "../picture/boardPicture.ts"
import { replaySource } from "./replay.ts"

const lastPosition = ({ turn, view }: Frame, names: ReadonlyArray<string>): Html | "" =>
  view === null
    ? ""
    : html`<figure class="board">${made(positionPicture(view, { names }))}<figcaption>The last position, after turn ${turn}</figcaption></figure>`

export const player = (at: Places, match: MatchDetail, frame: Frame | undefined): Html | "" => {
  const names = match.seats.toSorted((a, b) => a.seat - b.seat).map(({ model }) => model)
  const picture = frame === undefined ? "" : lastPosition(frame, names)
  const source = replaySource(at, match)
  return source === undefined
    ? picture
    : html`<agon-replay game="${match.game}" board="${match.map}" src="${source}" names="${JSON.stringify(names)}">${picture}</agon-replay>`
}
