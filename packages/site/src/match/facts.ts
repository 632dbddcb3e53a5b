/** The facts of a match, and how anybody who has its replay checks it. */
import type { MatchDetail } from "@agon/api/match/Match.ts"
import { type Html, html } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { count, time } from "../html/words.ts"
import { replaySource } from "./replay.ts"

/** `raw` leads to what the API says of it. `rare`: what few people look for, beside the rules and the runtime. */
export const facts = (at: Places, match: MatchDetail, raw: Html, rare?: readonly [name: string, terms: Html]): Html => html`<h2>Facts</h2>
<dl>
<dt>Board</dt><dd><a href="${at.board(match.game, match.season, match.map)}">${match.map}</a></dd>
${match.ladder !== null && html`<dt>Made for</dt><dd>the ladder <a href="${at.ladder(match.game, match.season, match.ladder)}">${match.ladder}</a></dd>\n`}${
  match.played_at !== null &&
  html`<dt>Played</dt><dd>${time(match.played_at)}${match.played_ms !== null && html`, in ${count(match.played_ms)} ms`}</dd>\n`
}${match.turns !== null && html`<dt>Turns</dt><dd>${count(match.turns)}</dd>\n`}<dt>Seed</dt><dd>${match.seed}</dd>
<dt>Raw</dt><dd>${raw}</dd>
</dl>
<details><summary>Rules, runtime${rare !== undefined && `, ${rare[0]}`}</summary>
<dl>
<dt>Rules</dt><dd><code>${match.engine_digest}</code></dd>
${match.runtime_version !== null && html`<dt>Runtime</dt><dd><code>${match.runtime_version}</code></dd>\n`}${rare?.[1]}</dl>
</details>`

/**
 * The replay comes from this origin, since browsers give no file of another one the name that a link says. Its address at the service is
 * signed for an hour, and a shared page is made anew before that.
 */
export const proof = (at: Places, match: MatchDetail): Html | "" => {
  const source = replaySource(at, match)
  if (source === undefined) return ""
  return html`<h2>Check it yourself</h2>
<p><a href="${source}" download="${match.id}.json">Download the replay</a>, then recompute the match by its rules:</p>
<pre tabindex="0"><code>agon verify ${match.id}.json</code></pre>`
}
