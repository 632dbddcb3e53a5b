/** Matches by every filter and sort of the API, as a form that asks with GET. */
import { MatchQuery, Sort } from "@agon/api/match/api.ts"
import { Outcome } from "@agon/api/match/Match.ts"
import { ladders } from "@agon/api/Wire.ts"
import { Effect, Exit, Schema } from "effect"
import { type Html, html } from "../html/Html.ts"
import type { Places } from "../html/links.ts"
import { pager } from "../html/pager.ts"
import { counted } from "../html/words.ts"
import type { SharedRoute } from "../http/Route.ts"
import { ifAny } from "../http/refuse.ts"
import { matchTable } from "./cards.ts"

const ROWS = 25

type Query = Readonly<Record<string, string>>

const decode = Schema.decodeUnknownExit(Schema.toCodecStringTree(MatchQuery))

/** A day, as a form's field has it, begins at midnight UTC. */
const asked = (query: Query): Query => {
  const since = query["since"]
  return since !== undefined && /^\d{4}-\d\d-\d\d$/.test(since) ? { ...query, since: `${since}T00:00:00Z` } : query
}

const field = (name: string, label: string, query: Query, attributes: Html | "" = ""): Html =>
  html`<label>${label}<input name="${name}" value="${query[name]}" ${attributes} autocomplete="off"></label>\n`

const choice = (name: string, label: string, query: Query, values: ReadonlyArray<string>, none?: string): Html =>
  html`<label>${label}<select name="${name}">${none !== undefined && html`<option value="">${none}</option>`}${values.map(
    (value) => html`<option${value === query[name] && html` selected`}>${value}</option>`
  )}</select></label>\n`

const players = html`type="number" min="1" max="8"`
const id = html`placeholder="an id, from a page's address"`

const form = (
  at: Places,
  query: Query,
  games: ReadonlyArray<string>
): Html => html`<form class="filter" method="get" action="${at.matches()}" aria-label="Filter">
${choice("sort", "Sort by", query, Sort.literals)}${choice("game", "Game", query, games, "any")}${field("season", "Season", query)}${choice(
  "ladder",
  "Made for the ladder",
  query,
  ladders,
  "any"
)}${choice("class", "A model of class", query, ladders, "any")}${field("map", "Board", query)}${field("owner", "Owner", query)}${field("model", "Model", query, id)}${field("version", "Version", query, id)}${choice(
  "outcome",
  "Its outcome (of an owner, model or version)",
  query,
  Outcome.literals,
  "any"
)}${field("vs", "Two models that met", query, html`placeholder="two ids with a comma between"`)}${field("players_min", "Seats, at least", query, players)}${field("players_max", "Seats, at most", query, players)}${field("since", "Played since", { ...query, since: (query["since"] ?? "").slice(0, 10) }, html`type="date"`)}${field("top", "With one of the best", query, html`type="number" min="1" max="1000"`)}<button>Show</button>
</form>`

const NAMES = Object.keys(MatchQuery.fields).filter((name) => name !== "limit")

export const matchList: SharedRoute = {
  path: "/matches",
  query: NAMES,
  render: Effect.fnUntraced(function* ({ at, client, query }) {
    const games = (yield* client.game.games()).map(({ slug }) => slug)
    const { cursor: _, ...filters } = query
    const page = (main: Html, status = 200) => ({
      title: "Matches",
      main: html`<h1>Matches</h1>\n${form(at, filters, games)}\n${main}`,
      status
    })
    const decoded = decode(asked({ ...query, limit: String(ROWS) }))
    if (Exit.isFailure(decoded)) return page(refusal(filters), 400)
    const list = yield* ifAny(client.match.matches({ query: decoded.value }))
    if (list === undefined) return page(html`<p role="alert" class="bad">There is no such season.</p>`, 404)
    const { matches, next_cursor, total } = list
    const found = matchTable(at, `${counted(total, "rated match", "rated matches")} found`, matches)
    return page(
      html`${found}\n${pager({ path: at.matches(), query: filters, offset: decoded.value.cursor, rows: ROWS, next: next_cursor })}`
    )
  })
}

const refusal = ({ model, outcome, owner, version }: Query): Html =>
  html`<p role="alert" class="bad">${
    outcome !== undefined && (owner ?? model ?? version) === undefined
      ? "An outcome is somebody's: name an owner, a model or a version."
      : "One of the fields has a value that it does not take."
  }</p>`
