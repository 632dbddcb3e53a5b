/** Matches by every filter and sort of the API. */
import { type Matches, MatchQuery } from "@agon/api/match/api.ts"
import type { MatchCard } from "@agon/api/match/Match.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { Effect, Exit } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { link, type Places } from "../html/links.ts"
import { pager } from "../html/pager.ts"
import { counted } from "../html/words.ts"
import type { SharedRoute } from "../http/Route.ts"
import { ifAny } from "../http/refuse.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { matchTable } from "./cards.ts"
import { canonical, form, type Query, read, refusal } from "./filter.ts"

const ROWS = 25

const NAMES = Object.keys(MatchQuery.fields).filter((name) => name !== "limit")

const SEASONS_MAX = 8

/** Without a season and a side the list is of the featured season: from here to the others. */
const seasonNav = (
  at: Places,
  seasons: ReadonlyArray<Season>,
  current: { readonly game: string | undefined; readonly season: string | null }
): Html | "" =>
  seasons.length < 2
    ? ""
    : html`<nav aria-label="Seasons"><ul>
${seasons
  .slice(0, SEASONS_MAX)
  .map(
    ({ game, name, slug }) =>
      html`<li><a href="${at.matches({ game, season: slug })}"${game === current.game && slug === current.season && html` aria-current="page"`}>${said(name)}</a></li>\n`
  )}</ul></nav>
`

/** Whether the list may leave matches of its season out. */
const isFiltered = (filters: Query): boolean => Object.keys(filters).some((name) => !["game", "season", "sort"].includes(name))

/** Whose season a list is of that names no game: the first game's that has it, in the order of the games and so of `seasons`. */
const gameOf = (seasons: ReadonlyArray<Season>, { matches, season }: Matches): string | undefined =>
  matches[0]?.game ?? seasons.find(({ slug }) => slug === season)?.game

/** How many count is told; trials stand among the newest, and are not counted. */
const captionOf = (total: number, matches: ReadonlyArray<MatchCard>): string =>
  `${counted(total, "rated match", "rated matches")} found${matches.some(({ is_trial }) => is_trial) ? "; trials are listed besides" : ""}`

export const matchList: SharedRoute = {
  path: "/matches",
  query: NAMES,
  canonical,
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, query } = asked
    const known = yield* client.game.games()
    const games = known.map(({ slug }) => slug)
    const { cursor: _, ...filters } = query
    const page = (found: Html, status = 200, fault: Html | "" = "") => ({
      title: "Matches",
      main: html`<h1>Matches</h1>\n${fault}${form(at, filters, games)}\n${found}`,
      status
    })
    const decoded = read({ ...query, limit: String(ROWS) })
    if (Exit.isFailure(decoded)) return page(html``, 400, refusal(filters))
    const list = yield* ifAny(client.match.matches({ query: decoded.value }))
    if (list === undefined) {
      const game = filters["season"] === undefined ? known.find(({ slug }) => slug === filters["game"]) : undefined
      if (game !== undefined) return page(html`<p class="faint">There is no season of ${game.name} yet.</p>`)
      return page(html``, 404, html`<p role="alert" class="bad">There is no such game or season.</p>`)
    }
    const { matches, next_cursor, season, total } = list
    const offset = decoded.value.cursor
    const seasons = (yield* Effect.forEach(games, (game) => client.season.seasons({ params: { game } }), {
      concurrency: "unbounded"
    })).flat()
    const seasonOf = yield* seasonNames(asked, matches, seasons)
    const game = filters["game"] ?? gameOf(seasons, list)
    const where =
      season !== null && game !== undefined && html`<p>Of season ${link(at.season(game, season), seasonOf(game, season))}.</p>\n`
    const found =
      matches.length === 0 && (offset > 0 || isFiltered(filters))
        ? html`<p class="faint">${offset > 0 ? "There is no match on this page." : "No match fits these filters."}</p>`
        : matchTable(at, captionOf(total, matches), matches, seasonOf)
    return page(
      html`${seasonNav(at, seasons, { game, season })}${where}${found}\n${pager({ path: at.matches(), query: filters, offset, rows: ROWS, next: next_cursor })}`
    )
  })
}
