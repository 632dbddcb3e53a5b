/** The parts of a season's page. */
import type { BoardRow } from "@agon/api/board/api.ts"
import type { Podium } from "@agon/api/season/api.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html, made } from "../html/Html.ts"
import { link, owned, type Places } from "../html/links.ts"
import { bytes, count, counted, decimal, duration, time, words } from "../html/words.ts"
import { boardPicture } from "../picture/boardPicture.ts"
import { hasTaken, takesNoMore } from "./taking.ts"

export const figures = (
  { entered_versions, entries, in_flight_versions, matches_played }: Season,
  playing: number
): Html => html`<dl class="figures">
<div><dt>Models</dt><dd>${count(entries)}</dd></div>
<div><dt>Matches</dt><dd>${count(matches_played)}</dd></div>
<div><dt>Playing</dt><dd>${count(playing)}</dd></div>
<div><dt>Versions</dt><dd>${count(entered_versions)}${in_flight_versions > 0 && html` <small>${count(in_flight_versions)} in admission</small>`}</dd></div>
</dl>`

const takesModels = (season: Season): Effect.Effect<Html> =>
  Effect.map(hasTaken(season), (isOver) => {
    const dates = html`${time(season.submissions_open_at)} to ${time(season.submissions_close_at)}`
    if (takesNoMore(season)) return html`no more; planned was ${dates}`
    return isOver ? html`no more since ${time(season.submissions_close_at)}` : dates
  })

/** The round being played, and the next. */
export const clock = Effect.fnUntraced(function* (season: Season) {
  const { closed_at, next_round, round, state } = season
  return html`<dl>
<dt>State</dt><dd>${words(state)}${closed_at !== null && html` since ${time(closed_at)}`}</dd>
<dt>Takes models</dt><dd>${yield* takesModels(season)}</dd>
${
  round !== null &&
  html`<dt>Being played</dt><dd>${round.kind === "finals" ? "The finals" : `Round ${round.n}`}, since ${time(round.started_at)}: ${counted(round.games, "match", "matches")} for each model and ladder</dd>
`
}${
  next_round !== null &&
  html`<dt>Next</dt><dd>${next_round.kind === "finals" ? "The finals" : `Round ${next_round.n}`} from ${time(next_round.starts_at)}: ${counted(next_round.games, "match", "matches")} for each model and ladder</dd>
`
}</dl>`
})

type Placed = Podium["ladders"][string][number]

/** Models whose ratings are equal share a place. */
const placeList = (at: Places, places: ReadonlyArray<Placed>): ReadonlyArray<Html> =>
  places.map(({ model, model_id, owner, rating, version }) => {
    const place = 1 + places.filter((one) => one.rating > rating).length
    const isShared = places.filter((one) => one.rating === rating).length > 1
    return html`<li value="${place}"><b>${link(at.model(model_id), model)}</b> v${version} of ${owned(owner)}, ${decimal(rating)}${isShared && ", a shared place"}</li>`
  })

/** How a season that is over has ended. */
export const podiumSection = (at: Places, { game, slug }: Season, { frozen, ladders }: Podium): Html | "" => {
  if (!frozen) return ""
  // A baseline shows how strong the others are and takes no place.
  const taken = Object.entries(ladders)
    .map(([ladder, places]) => [ladder, places.filter(({ owner }) => owner !== null)] as const)
    .filter(([, places]) => places.length > 0)
  if (taken.length === 0) return ""
  return html`<h2>Podium</h2>
<ul class="cards">
${taken.map(
  ([ladder, places]) => html`<li>
<h3><a href="${at.ladder(game, slug, ladder)}">${ladder}</a></h3>
<ol>${placeList(at, places)}</ol>
</li>
`
)}</ul>`
}

/** The best that a person has entered; a baseline shows how strong the others are and takes no place on the podium. */
const inFront = (at: Places, places: ReadonlyArray<Placed>, frozen: boolean): Html => {
  const first = places.find(({ owner }) => owner !== null)
  return first === undefined
    ? html`<td class="faint">${frozen ? "nobody" : "nobody yet"}</td>\n<td class="n"></td>`
    : html`<td>${link(at.model(first.model_id), first.model)} of ${owned(first.owner)}</td>\n<td class="n">${Math.round(first.rating)}</td>`
}

export const ladderList = (
  at: Places,
  { game, slug, weight_classes }: Season,
  { frozen, ladders }: Podium
): Html => html`<div class="scroll" role="region" aria-label="Ladders" tabindex="0"><table class="lines">
<caption>One ladder for each weight class, and the open one for all. Baselines are ranked on them, and take no place on the podium.</caption>
<thead><tr><th scope="col">Ladder</th><th scope="col">${frozen ? "Winner" : "In front"}</th><th scope="col">Rating</th><th scope="col">Files up to</th><th scope="col">Memory besides</th><th scope="col">Memory for each cell</th></tr></thead>
<tbody>
${weight_classes.map(
  (each) => html`<tr>
<th scope="row"><a href="${at.ladder(game, slug, each.class)}">${each.class}</a></th>
${inFront(at, ladders[each.class] ?? [], frozen)}
<td class="n"><span class="unit">files up to </span>${bytes(each.max_bytes)}</td>
<td class="n"><span class="unit">memory besides </span>${bytes(each.memory_flat_bytes)}</td>
<td class="n"><span class="unit">for each cell </span>${bytes(each.memory_cell_bytes)}</td>
</tr>
`
)}</tbody>
</table></div>`

export const rulesSection = ({ entry, rules }: Season): Html => html`<h2 id="rules">Rules</h2>
<ul>
<li>${entry === "open" ? "Anybody who signs in may enter. Where the season asks for a certain sign-in, the page that submits names it." : "Only people on the roster may enter."}</li>
<li>A competitor has at most ${counted(rules.max_models_per_owner, "model")}, and a model at most ${counted(rules.max_versions_per_model, "version")}.</li>
<li>${rules.cooldown_s === 0 ? "A version may follow the one before it at once." : `A competitor waits ${duration(rules.cooldown_s)} between two versions.`}</li>
<li>Both files of a version are sent within ${duration(rules.upload_window_s)}. A competitor's files take at most ${bytes(rules.max_stored_bytes_per_owner)}.</li>
<li>One move takes at most ${count(rules.infer_us_max)} µs when the model is examined.</li>
<li>A version enters the ladder after ${counted(rules.trial.matches, "trial match", "trial matches")} below the strike limit.</li>
<li>A match ends after ${counted(rules.match.max_turns, "turn")} at the latest. A model with ${counted(rules.match.strike_limit, "strike")} forfeits it.</li>
<li>A rating is provisional during the first ${counted(rules.provisional_matches, "match", "matches")}.</li>
${
  rules.learn_spread === 1 &&
  html`<li>The season learns how far strengths lie apart. When it has learned more, all ratings of the round are computed again.</li>
`
}</ul>`

/** Boards of the season that are drawn; the table has all. */
const PICTURES_MAX = 12

/** Each with a picture that says more than its size does; those in play first. */
export const boardPictures = (at: Places, { game, slug }: Season, boards: ReadonlyArray<BoardRow>): Html | "" => {
  const shown = boards.toSorted((a, b) => Number(b.enabled) - Number(a.enabled)).slice(0, PICTURES_MAX)
  if (shown.length === 0) return ""
  return html`<ul class="cards boards">
${shown.map(
  ({ board, cols, enabled, map_id, matches, players, rows }) => html`<li>
<h3><a href="${at.board(game, slug, map_id)}">${map_id}</a></h3>
${made(boardPicture(board))}
<p>${counted(players, "seat")}, ${rows} × ${cols}${!enabled && ", out of play"}<br><span class="faint">${counted(matches, "match", "matches")}</span></p>
</li>
`
)}</ul>`
}

/** The table of a season that has more boards than are drawn. */
export const boardList = (at: Places, { game, slug }: Season, boards: ReadonlyArray<BoardRow>): Html | "" =>
  boards.length === 0
    ? html`<p class="faint">There is no board yet.</p>`
    : boards.length <= PICTURES_MAX
      ? ""
      : html`<div class="scroll" role="region" aria-label="Boards" tabindex="0"><table class="lines">
<caption>Boards in the order in which they were added</caption>
<thead><tr><th scope="col">Board</th><th scope="col">Seats</th><th scope="col">Size</th><th scope="col">Matches</th><th scope="col">In play</th></tr></thead>
<tbody>
${boards.map(
  ({ cols, enabled, map_id, matches, players, rows }) => html`<tr>
<th scope="row"><a href="${at.board(game, slug, map_id)}">${map_id}</a></th>
<td class="n">${players}<span class="unit"> seats</span></td>
<td class="n">${rows} × ${cols}</td>
<td class="n">${count(matches)}<span class="unit"> ${matches === 1 ? "match" : "matches"}</span></td>
<td><span class="unit">in play: </span>${enabled ? "yes" : "no"}</td>
</tr>
`
)}</tbody>
</table></div>`
