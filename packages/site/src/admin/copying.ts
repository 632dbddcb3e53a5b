/**
 * The part of an administration page that copies boards or baselines of another season of the game: those that the administrator may read, as a
 * list.
 */
import type { Client } from "@agon/api/Client.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { plainLine } from "../html/plainLine.ts"
import type { Choice, Inputs } from "../http/form/inputs.ts"
import type { OfSeason } from "./forms.ts"

/** In characters: the longest name that a season may have. */
const NAME_MAX = 100

/** The newest first. A game has as many seasons as its administrators have made, and its own page lists them all too. */
export const otherSeasons = (client: Client, { game, slug }: OfSeason) =>
  Effect.map(client.season.privateSeasons({ params: { game } }), (seasons) =>
    seasons
      .filter((season) => season.slug !== slug)
      .map((season): Choice => ({ value: season.slug, label: `${plainLine(season.name, NAME_MAX)} (${season.slug}), ${season.state}` }))
  )

interface Copying {
  /** `boards`, as the page calls them. */
  readonly what: string
  readonly seasons: ReadonlyArray<Choice>
  readonly fields: Pick<Inputs<"from">, "choice" | "whole">
  /** The field that names some of them. */
  readonly which: Html
}

export const copying = ({ fields, seasons, what, which }: Copying): Html =>
  seasons.length === 0
    ? html`<p class="faint">You see no other season of this game.</p>\n`
    : fields.whole(html`${fields.choice("from", "Season", seasons)}${which}`, "Copy", `Copy ${what} of another season`)
