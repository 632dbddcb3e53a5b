/**
 * The place of the replay player. Without scripts it shows the last position; the element takes its place, plays the match and
 * recomputes it. It reads the replay from this origin alone: where replays are kept elsewhere, the picture stays.
 */
import type { Frame, MatchDetail } from "@agon/api/match/Match.ts"
import { type Html, html, made } from "../html/Html.ts"
import { positionPicture } from "../picture/boardPicture.ts"

/** The signed path of a replay that the service itself keeps. */
const OWN_REPLAY = /^https?:\/\/[^/]+(\/objects\/.+)$/

const lastPosition = ({ turn, view }: Frame, names: ReadonlyArray<string>): Html | "" =>
  view === null
    ? ""
    : html`<figure class="board">${made(positionPicture(view, { names }))}<figcaption>The last position, after turn ${turn}</figcaption></figure>`

export const replaySource = ({ replay_url }: MatchDetail): string | undefined => OWN_REPLAY.exec(replay_url ?? "")?.[1]

export const player = (match: MatchDetail, frame: Frame | undefined): Html | "" => {
  const names = match.seats.toSorted((a, b) => a.seat - b.seat).map(({ model }) => model)
  const picture = frame === undefined ? "" : lastPosition(frame, names)
  const source = replaySource(match)
  return source === undefined
    ? picture
    : html`<agon-replay game="${match.game}" board="${match.map}" src="${source}" names="${JSON.stringify(names)}">${picture}</agon-replay>`
}
