/** The way up from a page: its game, its season and its ladder, by their names. */
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { gameAt, link } from "../html/links.ts"
import type { Asked } from "./Route.ts"

interface Way {
  readonly game: string
  readonly season?: string
  /** Where the page has read it. */
  readonly season_name?: string | undefined
  readonly ladder?: string
}

export const crumbs = Effect.fnUntraced(function* (
  { at, client, names }: Pick<Asked, "at" | "client" | "names">,
  { game, ladder, season, season_name }: Way
) {
  const steps: Array<Html> = [link(gameAt(game), yield* names.game(client, game))]
  if (season !== undefined) steps.push(link(at.season(game, season), season_name ?? (yield* names.season(client, game, season))))
  if (season !== undefined && ladder !== undefined) steps.push(html`<a href="${at.ladder(game, season, ladder)}">ladder ${ladder}</a>`)
  return html`<p class="faint">${steps.map((step, i) => html`${i > 0 && ", "}${step}`)}</p>`
})
