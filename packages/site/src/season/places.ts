/** Where a season that a personal page tells of is shown, and what is in it: in public where everybody may see it. */
import type { Client } from "@agon/api/Client.ts"
import type { Game } from "@agon/api/game/api.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { type Html, html } from "../html/Html.ts"
import { inPrivate, inPublic, link } from "../html/links.ts"
import { ifAny } from "../http/refuse.ts"

/** A season that the visitor has to do with, as far as they see it, and where it is shown. */
export const seenSeason = Effect.fnUntraced(function* (client: Client, game: string, slug: string) {
  const of = { params: { game, slug } }
  const open = yield* ifAny(client.season.season(of))
  return open === undefined ? { at: inPrivate, season: yield* ifAny(client.season.privateSeason(of)) } : { at: inPublic, season: open }
})

export type HiddenSeasons = ReadonlyArray<Pick<Season, "game" | "slug" | "name">>

/** The private seasons that the visitor may see, of every game. */
export const privateSeasons = (client: Client): Effect.Effect<ReadonlyArray<Season>, unknown> =>
  Effect.gen(function* () {
    const games = yield* client.game.games()
    const seasons = yield* Effect.forEach(games, ({ slug }) => client.season.privateSeasons({ params: { game: slug } }), {
      concurrency: "unbounded"
    })
    return seasons.flat().filter(({ visibility }) => visibility === "private")
  })

export const privateSeasonList = (seasons: ReadonlyArray<Season>, games: ReadonlyArray<Game>): Html | "" =>
  seasons.length === 0
    ? ""
    : html`<h2>Private seasons</h2>
<ul>
${seasons.map(({ game, name, slug, state }) => html`<li>${link(inPrivate.season(game, slug), name)} <span class="faint">${games.find((one) => one.slug === game)?.name ?? game}, ${state}</span></li>\n`)}</ul>
`
