/** A season: its state and clock, its podium, its rules in words, its ladders and boards. */

import type { BoardRow } from "@agon/api/board/api.ts"
import type { Client } from "@agon/api/Client.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { pictureOf } from "../board/picture.ts"
import { ANNOUNCEMENTS } from "../html/feedLinks.ts"
import { html, said } from "../html/Html.ts"
import { inPublic, kitAt, myModelsAt, type Places } from "../html/links.ts"
import { counted } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { Asked, SharedRoute } from "../http/Route.ts"
import { orNothing } from "../http/refuse.ts"
import { ladderInWords, readTop, topOf } from "../leaderboard/top.ts"
import { matchTable } from "../match/cards.ts"
import { newestMatches } from "../match/newest.ts"
import { watchSection } from "../match/watch.ts"
import { boardList, boardPictures, clock, figures, ladderList, podiumSection, rulesSection } from "./parts.ts"
import { isTaking } from "./taking.ts"

const MATCHES = 10

/** Private seasons have none. */
const datasets = ({ game, slug, visibility }: Season) =>
  visibility === "public" ? html`<p><a href="/v1/games/${game}/seasons/${slug}/datasets">All matches as daily files (JSON)</a></p>` : ""

/** The same for everybody on the page of a public season: whoever is not signed in is asked to on the way. */
const takingPart = Effect.fnUntraced(function* ({ at, client }: Pick<Asked, "at" | "client">, season: Season) {
  if (!(yield* isTaking(season))) return ""
  const barred = at === inPublic ? undefined : yield* barredFrom(client, season)
  if (barred !== undefined) return html`<p class="faint">${said(barred)}</p>\n`
  return html`<ul class="acts">
<li><a class="act" href="${myModelsAt}">Enter a model</a></li>
<li><a class="act aside" href="${kitAt("first-hour")}">How it is done</a></li>
${season.entry === "restricted" && html`<li class="faint">People on the roster may enter.</li>\n`}</ul>
`
})

/** Why the visitor may not enter a season that they see: an administrator of a private one need not be on its roster. */
const barredFrom = (client: Client, { game, slug }: Season) =>
  Effect.map(
    orNothing(client.submission.preflight({ params: { game }, query: { season: slug } })),
    (preflight) => preflight?.refusals.find(({ code }) => code === "not_eligible")?.detail
  )

/** The page is long, on a phone above all. */
const parts = html`<nav aria-label="On this page"><ul>
<li><a href="#standings">Standings</a></li>
<li><a href="#ladders">Ladders</a></li>
<li><a href="#matches">Played last</a></li>
<li><a href="#rules">Rules</a></li>
<li><a href="#boards">Boards</a></li>
</ul></nav>`

/** Its first board in play, which stays the same while matches come and go. */
const previewOf = (at: Places, { game, slug }: Season, maps: ReadonlyArray<BoardRow>) => {
  const board = maps.find(({ enabled }) => enabled)
  return at === inPublic && board !== undefined ? { picture: pictureOf(game, slug, board) } : {}
}

export const seasonPage: SharedRoute = {
  path: "/games/:game/seasons/:slug",
  query: [],
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, params } = asked
    const of = { game: params["game"]!, slug: params["slug"]! }
    const [season, podium, { playing }, { maps }, matches, top] = yield* Effect.all(
      [
        client.season.season({ params: of }),
        client.season.podium({ params: of }),
        client.season.playing({ params: of }),
        client.board.boards({ params: of, query: { enabled: false, boards: true } }),
        newestMatches(client, { game: of.game, season: of.slug }, MATCHES),
        readTop(client, { game: of.game, slug: of.slug })
      ],
      { concurrency: "unbounded" }
    )
    const seasonOf = () => season.name
    const watched = yield* watchSection(at, client, matches, seasonOf, ({ map }) =>
      Effect.succeed(maps.find(({ map_id }) => map_id === map)?.board)
    )
    const standings = topOf(at, season, top)
    const main = html`${yield* crumbs(asked, { game: season.game })}
<h1>${said(season.name)}</h1>
${figures(season, playing)}
${yield* clock(season)}
${yield* takingPart(asked, season)}${parts}
${podiumSection(at, season, podium)}<div class="beside" id="standings">
<section aria-labelledby="open-title">
<h2 id="open-title">${top.closed ? "How it ended" : "Who leads"}</h2>
${standings === "" ? html`<p class="faint">Nobody is on the open ladder${!top.closed && " yet"}.</p>\n` : standings}</section>
${watched}</div>
<h2 id="ladders">Ladders</h2>
${ladderList(at, season, podium)}
<h2 id="matches">Played last</h2>
${matchTable(at, `The last matches of ${season.name}`, matches, seasonOf)}
<p><a href="${at.matches({ game: season.game, season: season.slug })}">All matches of this season</a></p>
${rulesSection(season)}
<h2 id="boards">Boards</h2>
${boardPictures(at, season, maps)}
${boardList(at, season, maps)}
${datasets(season)}`
    const description = `${counted(season.matches_played, "match", "matches")}, ${ladderInWords(top)}`
    return { title: season.name, description, main, ...previewOf(at, season, maps), feeds: [ANNOUNCEMENTS] }
  })
}
