/** Matches by every filter and sort of the API. */
import { MatchQuery } from "@agon/api/match/api.ts"
import { Effect, Exit } from "effect"
import { type Html, html } from "../html/Html.ts"
import { pager } from "../html/pager.ts"
import { counted } from "../html/words.ts"
import type { SharedRoute } from "../http/Route.ts"
import { ifAny } from "../http/refuse.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { matchTable } from "./cards.ts"
import { form, read, refusal } from "./filter.ts"

const ROWS = 25

const NAMES = Object.keys(MatchQuery.fields).filter((name) => name !== "limit")

export const matchList: SharedRoute = {
  path: "/matches",
  query: NAMES,
  render: Effect.fnUntraced(function* (asked) {
    const { at, client, query } = asked
    const games = (yield* client.game.games()).map(({ slug }) => slug)
    const { cursor: _, ...filters } = query
    const page = (found: Html, status = 200, fault: Html | "" = "") => ({
      title: "Matches",
      main: html`<h1>Matches</h1>\n${fault}${form(at, filters, games)}\n${found}`,
      status
    })
    const decoded = read({ ...query, limit: String(ROWS) })
    if (Exit.isFailure(decoded)) return page(html``, 400, refusal(filters))
    const list = yield* ifAny(client.match.matches({ query: decoded.value }))
    if (list === undefined) return page(html``, 404, html`<p role="alert" class="bad">There is no such game or season.</p>`)
    const { matches, next_cursor, total } = list
    const seasonOf = yield* seasonNames(asked, matches)
    const found = matchTable(at, `${counted(total, "rated match", "rated matches")} found`, matches, seasonOf)
    return page(
      html`${found}\n${pager({ path: at.matches(), query: filters, offset: decoded.value.cursor, rows: ROWS, next: next_cursor })}`
    )
  })
}
