/** The front page: what is running, what is being played now, and what was said last. */
import type { Client } from "@agon/api/Client.ts"
import type { Game } from "@agon/api/game/api.ts"
import type { Leaderboard } from "@agon/api/leaderboard/api.ts"
import type { MatchCard } from "@agon/api/match/Match.ts"
import { firstPage } from "@agon/api/Pages.ts"
import type { Playing } from "@agon/api/season/api.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect } from "effect"
import { ANNOUNCEMENTS, NEWS } from "../html/feedLinks.ts"
import { type Html, html } from "../html/Html.ts"
import type { Page } from "../html/layout.ts"
import { gameAt, inPublic, kitAt, link, seasonAt } from "../html/links.ts"
import { count, counted, time } from "../html/words.ts"
import type { SharedRoute } from "../http/Route.ts"
import { orNothing } from "../http/refuse.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { readTop, topOf } from "../leaderboard/top.ts"
import { matchTable } from "../match/cards.ts"
import { newestMatches } from "../match/newest.ts"
import { watchSection } from "../match/watch.ts"
import { hasTaken } from "../season/taking.ts"
import { announcementList } from "../writing/parts.ts"

const MATCHES = 10
/** Live seasons of a game that the page shows; its own page has all. */
const SEASONS_MAX = 4

/** The codes that a sign-in ends with (docs/contract.md#signing-in). */
const SIGN_IN_ERRORS: Readonly<Record<string, string>> = {
  invalid_state: "The sign-in took too long or began in another browser. Try it again.",
  access_denied: "The sign-in was cancelled.",
  provider_failed: "The provider of the sign-in did not answer as expected. Try it again.",
  account_suspended: "This account is suspended.",
  identity_taken: "That identity belongs to another account.",
  cross_origin: "The sign-in was begun from another page. Try it from here."
}

interface Live {
  readonly season: Season
  /** Whether its time for models is over. */
  readonly isOver: boolean
  readonly now: Playing
  readonly top: Leaderboard
  readonly matches: ReadonlyArray<MatchCard>
}

/** Without a season the API lists the matches of the featured one alone. */
const live = (client: Client, game: Game) =>
  Effect.flatMap(client.season.seasons({ params: { game: game.slug } }), (seasons) =>
    Effect.forEach(
      seasons.filter(({ state }) => state === "live").slice(0, SEASONS_MAX),
      (season) =>
        Effect.map(
          Effect.all(
            [
              client.season.playing({ params: { game: game.slug, slug: season.slug } }),
              newestMatches(client, { game: game.slug, season: season.slug }, MATCHES),
              readTop(client, season),
              hasTaken(season)
            ],
            { concurrency: "unbounded" }
          ),
          ([now, matches, top, isOver]): Live => ({ season, isOver, now, matches, top })
        ),
      { concurrency: "unbounded" }
    )
  )

const seasonCard = ({ isOver, now: { playing }, season, top }: Live): Html => html`<li>
<h3>${link(seasonAt(season.game, season.slug), season.name)}</h3>
<p class="faint">${counted(season.entries, "model")}, ${counted(season.matches_played, "match", "matches")} played, ${count(playing)} being played now. ${isOver ? "Takes no more models." : html`Takes models until ${time(season.submissions_close_at)}.`}</p>
${topOf(inPublic, season, top)}</li>
`

const gameSection = (game: Game, seasons: ReadonlyArray<Live>): Html => html`<section aria-labelledby="game-${game.slug}">
<h2 id="game-${game.slug}">${link(gameAt(game.slug), game.name)}</h2>
<p>${game.description}</p>
${seasons.length === 0 ? html`<p class="faint">No season is live just now. <a href="${gameAt(game.slug)}">Its seasons</a></p>` : html`<ul class="cards seasons">\n${seasons.map(seasonCard)}</ul>`}
</section>
`

/** Those of the featured season where no live one has any: none where there is no season yet, as after an installation. */
const featuredMatches = (client: Client) =>
  newestMatches(client, {}, MATCHES).pipe(Effect.catchTag("unknown_season", () => Effect.succeed([])))

const newestOf = (matches: ReadonlyArray<MatchCard>) =>
  matches.toSorted((a, b) => Date.parse(b.played_at ?? "") - Date.parse(a.played_at ?? "")).slice(0, MATCHES)

const boardOf = (client: Client) => (match: MatchCard) =>
  Effect.map(
    orNothing(client.board.board({ params: { game: match.game, slug: match.season, map_id: match.map } })),
    (found) => found?.board
  )

const ABOUT =
  "Competitors enter trained networks. They play each other day and night, ratings move with every match, and each match can be checked by anybody."

export const home: SharedRoute = {
  path: "/",
  query: ["sign_in_error"],
  canonical: ({ sign_in_error: code = "" }) => (Object.hasOwn(SIGN_IN_ERRORS, code) ? { sign_in_error: code } : {}),
  render: Effect.fnUntraced(function* ({ client, names, query }) {
    const [games, announced] = yield* Effect.all([client.game.games(), client.writing.announcements({ query: firstPage() })], {
      concurrency: "unbounded"
    })
    const seasons = yield* Effect.forEach(games, (game) => live(client, game), { concurrency: "unbounded" })
    const known = seasons.flat()
    const ended = newestOf(known.flatMap(({ matches }) => matches))
    const newest = ended.length > 0 ? ended : yield* featuredMatches(client)
    const seasonOf = yield* seasonNames(
      { client, names },
      newest,
      known.map(({ season }) => season)
    )
    const watched = yield* watchSection(inPublic, client, newest, seasonOf, boardOf(client))
    const error = SIGN_IN_ERRORS[query["sign_in_error"] ?? ""]
    const main = html`${error !== undefined && html`<p role="alert" class="bad">${error}</p>\n`}<h1>Models compete here</h1>
<p>${ABOUT} <a href="${kitAt("first-hour")}">Enter one of your own</a>: it takes an hour from nothing.</p>
${watched}${announcementList(announced.announcements)}
<div class="beside" id="seasons">
${games.map((game, i) => gameSection(game, seasons[i]!))}</div>
<h2>Played last</h2>
${matchTable(inPublic, "The matches that ended last", newest, seasonOf)}
<p><a href="/matches">All matches</a></p>`
    return { title: "Models compete here", description: ABOUT, main, feeds: [ANNOUNCEMENTS, NEWS] } satisfies Page
  })
}
