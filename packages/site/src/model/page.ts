/** A model: where it stands in a season, how it came there, its versions, its rivals, its story, and what people say about it. */
import { firstPage } from "@agon/api/Pages.ts"
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { placeIn, readThread, THREAD_QUERY } from "../comment/place.ts"
import { threadSection } from "../comment/thread.ts"
import { html, said } from "../html/Html.ts"
import { inPublic, owned, resultFeedAt } from "../html/links.ts"
import { markdown } from "../html/markdown.ts"
import { count, time } from "../html/words.ts"
import { crumbs } from "../http/crumbs.ts"
import type { SharedRoute } from "../http/Route.ts"
import { ifAny, invalid, notFound } from "../http/refuse.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { matchTable } from "../match/cards.ts"
import { newestMatches } from "../match/newest.ts"
import { pictureOf } from "../match/picture.ts"
import { choices, mapTable, ratingChart, rivalTable, seasonRecord } from "./record.ts"
import { versionTable } from "./versions.ts"

const MATCHES = 10
const isLadder = Schema.is(Ladder)

/** The season and the ladder that the visitor has chosen, in the query beside a place in the thread. */
const chosenIn = (query: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(query).filter(([name]) => name === "season" || name === "ladder"))

export const modelPage: SharedRoute = {
  path: "/models/:id",
  query: ["season", "ladder", ...THREAD_QUERY],
  render: Effect.fnUntraced(function* (page) {
    const { at, client, params, query, script } = page
    const model = yield* client.model.model({ params: { id: params["id"]! } })
    if (model === null) return yield* notFound
    const place = placeIn(query)
    const ladder = query["ladder"] ?? "open"
    if (place === undefined || !isLadder(ladder)) return yield* invalid
    const of = { params: { id: model.id } }
    const seasons = [...new Set(model.versions.map(({ season }) => season))]
    const season = query["season"] ?? seasons[0]
    if (season !== undefined && !seasons.includes(season)) return yield* notFound
    const asked = { ladder, ...(season === undefined ? {} : { season }) }
    const [record, series, maps, played, { rivals }, story, thread] = yield* Effect.all(
      [
        season === undefined ? Effect.succeed(undefined) : ifAny(client.model.modelSeason({ ...of, query: asked })),
        season === undefined ? Effect.succeed(undefined) : ifAny(client.leaderboard.series({ params: { game: model.game }, query: asked })),
        season === undefined ? Effect.succeed(undefined) : ifAny(client.model.modelMaps({ ...of, query: { season } })),
        season === undefined ? Effect.succeed([]) : newestMatches(client, { model: model.id, game: model.game, season }, MATCHES),
        client.model.rivals({ ...of, query: firstPage(12) }),
        ifAny(client.writing.story(of)),
        readThread(client, { model: model.id }, place)
      ],
      { concurrency: "unbounded" }
    )
    const choice = { seasons, season, ladder }
    const seasonOf = yield* seasonNames(page, model.versions)
    const drawn = series === undefined ? "" : ratingChart(series, model)
    const main = html`${yield* crumbs(page, { game: model.game })}
<h1>${said(model.name)}</h1>
<p>By ${owned(model.owner)}, since ${time(model.created_at)}.${model.retired && " It is retired."}</p>
${choices(at, model, choice, seasonOf)}
${record !== undefined && seasonRecord(at, model, choice, record)}
${drawn}
<h2>Last matches</h2>
${matchTable(at, "The newest first, with its place in each", played, seasonOf, model.id)}
<p><a href="${at.matches({ model: model.id })}">All matches of this model</a></p>
${maps !== undefined && html`<h2>On boards</h2>\n${mapTable(at, model, maps)}\n`}<h2>Versions</h2>
${versionTable(at, model.versions, seasonOf)}
<h2>Rivals</h2>
${rivalTable(at, model.id, rivals)}
${story !== undefined && html`<section id="story" aria-labelledby="story-title">\n<h2 id="story-title">Its story</h2>\n${markdown(story.body, 2)}\n</section>\n`}${threadSection(thread, at.model(model.id), chosenIn(query))}`
    // Private seasons have no feed.
    const feeds = at === inPublic ? [{ path: resultFeedAt(model.id), title: `Results of ${model.name}` }] : []
    const rank =
      record === undefined || record.rank === null
        ? ""
        : ` Rank ${count(record.rank)} on the ladder ${ladder} of ${seasonOf(model.game, season!)}.`
    const description = `A model of ${model.owner ?? "the season itself"}.${rank}`
    const [last] = played
    const preview = at === inPublic && last !== undefined ? { picture: pictureOf(last) } : {}
    return { title: model.name, description, main, ...preview, feeds, ...(drawn === "" ? {} : { scripts: script("chart") }) }
  })
}
