/** The parts of the player as templates of what it shows; whatever a person wrote stands in them as text. */
import { html, nothing, svg, type TemplateResult } from "lit"
import { causeText, type Names, seatName, textBoard, textBoardKey } from "../../src/picture/describe.ts"
import type { Position } from "../../src/picture/Position.ts"
import { seatBadge } from "../../src/picture/seats.ts"
import type { Moment } from "./moments.ts"
import type { Fact, Verdict } from "./prove.ts"

export const ICONS = {
  first: "M4 3h2v14H4zM17 3v14L7 10z",
  back: "M15 3v14L5 10z",
  play: "M5 3l12 7-12 7z",
  pause: "M4 3h4v14H4zM12 3h4v14h-4z",
  on: "M5 3v14l10-7z",
  last: "M14 3h2v14h-2zM3 3v14l10-7z",
  full: "M3 3h6v2H5v4H3zM11 3h6v6h-2V5h-4zM3 11h2v4h4v2H3zM15 11h2v6h-6v-2h4z"
} as const

export const icon = (path: string) => html`<svg viewBox="0 0 20 20" aria-hidden="true"><path d=${path}></path></svg>`

export const seatTable = (position: Position, names: Names, strikes: ReadonlyArray<number>) => html`
<table class="seats">
<caption class="unseen">Seats</caption>
<thead><tr><th scope="col">Seat</th>${columns(position).map((column) => html`<th scope="col" class="number">${column}</th>`)}<th scope="col" class="number">Strikes</th></tr></thead>
<tbody>${position.seats.map(
  (seat, index) => html`<tr><th scope="row"><span .innerHTML=${seatBadge(position.game, index)}></span>
<span class=${seat.out === null ? "" : "gone"}>${seatName(index, names)}</span>${seat.out === null ? nothing : html` out: ${causeText(seat.out)}`}</th>
${values(position, index).map((value) => html`<td class="number">${value}</td>`)}<td class="number">${strikes[index] ?? 0}</td></tr>`
)}</tbody></table>`

const columns = ({ game }: Position) => (game === "snakes" ? ["Length", "Health"] : ["Discs"])

const values = (position: Position, index: number): ReadonlyArray<number> => {
  if (position.game === "othello") return [[...position.cells].filter((cell) => cell === String(index)).length]
  const seat = position.seats[index]!
  return [seat.length, seat.health]
}

const MARKS_MAX = 300
const SHAPES: Readonly<Record<Moment["kind"], string>> = {
  strike: "M-4 12L0 4 4 12z",
  out: "M-3.5 4.5l7 7m0-7l-7 7",
  end: "M-1 0h2v14h-2z"
}

/** Strikes are triangles, seats that leave are crosses, and the end is a bar; each also stands in the list of moments. */
export const marks = (moments: ReadonlyArray<Moment>, turns: number) =>
  html`<svg aria-hidden="true">${moments
    .slice(-MARKS_MAX)
    .map(
      ({ kind, text, turn }) =>
        svg`<svg x="${(100 * turn) / Math.max(1, turns)}%" overflow="visible"><path class=${kind} d=${SHAPES[kind]}><title>${text}</title></path></svg>`
    )}</svg>`

const LISTED_MAX = 100

export const momentList = (moments: ReadonlyArray<Moment>, go: (turn: number) => void) => html`
<details><summary>Moments (${moments.length})</summary>
<ol class="moments">${moments
  .slice(0, LISTED_MAX)
  .map(({ text, turn }) => html`<li><button type="button" @click=${() => go(turn)}>Turn ${turn}: ${text}</button></li>`)}</ol>
${moments.length > LISTED_MAX ? html`<p>and ${moments.length - LISTED_MAX} more</p>` : nothing}
</details>`

export const textView = (position: Position, words: string) => html`
<details><summary>Board as text</summary>
<p>${words}</p>
<pre tabindex="0" role="group" aria-label="Board as text">${textBoard(position).join("\n")}</pre>
<p>${textBoardKey(position.game)} Rows and columns are counted from 1 at the top left.</p>
</details>`

export const verdictView = (verdict: Verdict | undefined, turns: number, go: (turn: number) => void): TemplateResult =>
  verdict === undefined
    ? html`<div class="verdict" role="status"><p>This browser recomputes the match …</p></div>`
    : html`<div class="verdict ${verdict.equal ? "good" : "bad"}" role="status">
<p><strong>${verdict.sentence}</strong></p>
${
  verdict.equal
    ? html`<p>Your browser played all ${turns} turns again by the rules, from board, seed, moves and strikes, and came to the same outcome, events and last state.</p>`
    : html`<ul>${verdict.differences.map(
        ({ text, turn }) =>
          html`<li>${turn === undefined || turn > turns ? nothing : html`<button type="button" @click=${() => go(turn)}>Turn ${turn}</button> `}<span class="hash">${text}</span></li>`
      )}</ul>`
}</div>`

export const factTable = (facts: ReadonlyArray<Fact>) => html`
<details><summary>Facts, and what was recomputed</summary>
<table class="facts"><thead><tr><th scope="col">Fact</th><th scope="col">The replay says</th><th scope="col">Recomputed here</th></tr></thead>
<tbody>${facts.map(
  ({ found, name, told }) => html`<tr><th scope="row">${name}</th><td class="hash">${told}</td>
<td class="hash ${found === undefined || found === told ? "" : "unequal"}">${found === undefined ? "given" : found === told ? "equal" : found}</td></tr>`
)}</tbody></table>
<p>The same check on your own machine: <code>agon verify REPLAY.json</code></p>
</details>`

export const keyList = html`
<details><summary>Keys</summary>
<dl>
<dt><kbd>Space</kbd> or <kbd>K</kbd></dt><dd>play and pause</dd>
<dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>one turn back or on; with <kbd>Shift</kbd> ten</dd>
<dt><kbd>Home</kbd> <kbd>End</kbd></dt><dd>the start, the end</dd>
<dt><kbd>,</kbd> <kbd>.</kbd></dt><dd>slower, faster</dd>
<dt><kbd>F</kbd></dt><dd>full screen</dd>
</dl>
<p>They work while the focus is in the player.</p>
</details>`
