/**
 * The place of the replay player. Without scripts it shows the last position; the element takes its place, plays the match and
 * recomputes it. It reads the replay from this origin alone (replay.ts).
 */
import type { Frame, MatchDetail } from "@agon/api/match/Match.ts"
import { type Html, html, made } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { time } from "../html/words.ts"
import { positionPicture } from "../picture/boardPicture.ts"
import { replaySource } from "./replay.ts"

const lastPosition = ({ turn, view }: Frame, names: ReadonlyArray<string>): Html | "" =>
  view === null
    ? ""
    : html`<figure class="board">${made(positionPicture(view, { names }))}<figcaption>The last position, after turn ${turn}</figcaption></figure>`

/** Replays are kept for a time; the rest of the match's page stays. */
const removed = (at: string): Html =>
  html`<p>The replay of this match is no longer kept: it was removed ${time(at)}, for its age. The result stands, and so do the ratings.</p>`

export const player = (at: Places, match: MatchDetail, frame: Frame | undefined): Html | "" => {
  const names = match.seats.toSorted((a, b) => a.seat - b.seat).map(({ model }) => model)
  const picture = frame === undefined ? "" : lastPosition(frame, names)
  const source = replaySource(at, match)
  if (match.replay_removed_at !== undefined) return removed(match.replay_removed_at)
  return source === undefined
    ? picture
    : html`<agon-replay game="${match.game}" board="${match.map}" src="${source}" names="${JSON.stringify(names)}">${picture}</agon-replay>`
}
