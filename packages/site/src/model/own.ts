/** The visitor's models: making one, another name for it, its retirement, and what is to be submitted to which season. */
import type { Game } from "@agon/api/game/api.ts"
import type { Model } from "@agon/api/model/api.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { rejectMeanings } from "@agon/api/version/rejectMeanings.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { inPrivate, link, modelAt, myModelAt, myModelsAt, myStoryAt, myVersionAt, submitAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { offsetOf, pager } from "../html/pager.ts"
import { time, words } from "../html/words.ts"
import { done } from "../http/form/done.ts"
import { form } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { invalid } from "../http/refuse.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { isTaking } from "../season/taking.ts"
import { REJECTED_UNTOLD, readRejected } from "../version/rejected.ts"
import { ownModel } from "./ownModel.ts"
import { versionTable } from "./versions.ts"

const ROWS = 100
const CANDIDATES = 100
const NAME_FIELD = { hint: "1 to 64 characters.", more: html`required autocomplete="off"` }
const NAME = { model_name_taken: "name", note_word_listed: "name", missing_name: "name" } as const

const create = form({
  name: "create",
  fields: ["game", "name"],
  codes: { ...NAME, unknown_game: "game" },
  send: ({ client, typed }) =>
    Effect.map(client.model.createModel({ params: { game: typed.one("game") }, payload: { name: typed.one("name") } }), ({ id }) => ({
      to: withQuery(myModelAt(id), { done: "made" })
    }))
})

const rename = form({
  name: "rename",
  fields: ["name"],
  codes: NAME,
  send: ({ client, params, typed }) => {
    const id = params["id"]!
    return Effect.as(client.model.editModel({ params: { id }, payload: { name: typed.one("name") } }), {
      to: withQuery(myModelAt(id), { done: "renamed" })
    })
  }
})

const retire = form({
  name: "retire",
  fields: ["retired"],
  send: ({ client, params, typed }) => {
    const id = params["id"]!
    const retired = typed.one("retired") === "yes"
    return Effect.as(client.model.editModel({ params: { id }, payload: { retired } }), {
      to: withQuery(myModelAt(id), { done: retired ? "retired" : "back" })
    })
  }
})

const SENTENCES = {
  made: "The model is made. Now submit a version of it.",
  renamed: "It has its new name.",
  retired: "The model is retired: it takes no submissions until you bring it back.",
  back: "The model is back: it takes submissions again."
}

const item =
  (games: ReadonlyArray<Game>) =>
  ({ created_at, game, id, name, retired }: Model): Html =>
    html`<li>${link(myModelAt(id), name)} <span class="faint">${games.find(({ slug }) => slug === game)?.name ?? game}, since ${time(created_at)}${retired && ", retired"}</span></li>\n`

export const myModels: PersonalRoute = {
  path: myModelsAt,
  query: ["cursor"],
  forms: [create],
  own: Effect.fnUntraced(function* ({ client, query, tried }) {
    const offset = offsetOf(query["cursor"])
    if (offset === undefined) return yield* invalid
    const [games, { models, next_cursor }] = yield* Effect.all(
      [client.game.games(), client.model.ownModels({ query: { limit: ROWS, cursor: offset } })],
      { concurrency: "unbounded" }
    )
    const { choice, text, whole } = inputs(create, tried)
    const main = html`<h1>My models</h1>
${myPagesNav(myModelsAt)}${models.length === 0 ? html`<p class="faint">${offset > 0 ? "There is none on this page." : "You have none yet."}</p>` : html`<ul>\n${models.map(item(games))}</ul>`}
${pager({ path: myModelsAt, query: {}, offset, rows: ROWS, next: next_cursor })}
<h2>Make a model</h2>
<p>A model is a name on the ladder; the files that you submit are its versions.</p>
${whole(
  html`${choice(
    "game",
    "Game",
    games.map(({ name, slug }) => ({ value: slug, label: name }))
  )}${text("name", "Name", NAME_FIELD)}`,
  "Make it"
)}`
    return { title: "My models", main }
  })
}

export const myModel: PersonalRoute = {
  path: `${myModelsAt}/:id`,
  query: ["done"],
  forms: [rename, retire],
  own: Effect.fnUntraced(function* ({ client, names, params, query, tried }) {
    const id = params["id"]!
    const model = yield* ownModel(client, id)
    const [seasons, { candidates }, { notifications }, isTold] = yield* Effect.all(
      [
        client.season.privateSeasons({ params: { game: model.game } }),
        client.version.candidates({ query: firstPage(CANDIDATES) }),
        client.notification.notifications({ query: firstPage(CANDIDATES) }),
        client.notification.notificationSettings()
      ],
      { concurrency: "unbounded" }
    )
    const rejected = (yield* readRejected(client, notifications)).filter(({ model_id }) => model_id === id)
    const taking = yield* Effect.filter(seasons, isTaking)
    const own = candidates.filter(({ model_id }) => model_id === id)
    const seasonOf = yield* seasonNames({ client, names }, [...own, ...rejected, ...model.versions], seasons)
    const game = yield* names.game(client, model.game)
    const main = html`<h1>${said(model.name)}</h1>
${myPagesNav(myModelsAt)}${done(tried, query["done"], SENTENCES)}<p><a href="${modelAt(id)}">Its public page</a></p>
<h2>Submit a version</h2>
${
  model.retired
    ? html`<p>A retired model takes no submissions.</p>`
    : taking.length === 0
      ? html`<p class="faint">No season of ${game} takes models just now.</p>`
      : html`<ul class="acts">${taking.map(({ name, slug }) => html`<li><a class="act" href="${submitAt(id, slug)}">Submit to ${said(name)}</a></li>\n`)}</ul>`
}
${
  own.length > 0 &&
  html`<h2>On their way</h2>
<ul>${own.map(({ phase, season, status, version, version_id }) => html`<li><a href="${myVersionAt(version_id)}">Version ${version} in ${said(seasonOf(model.game, season))}</a> <span class="faint">${words(phase ?? status)}</span></li>\n`)}</ul>`
}
${
  (rejected.length > 0 || !isTold.version_rejected) &&
  html`<h2>Rejected lately</h2>
${
  rejected.length > 0 &&
  html`<ul>${rejected.map(({ reject_reason, season, version, version_id }) => html`<li><a href="${myVersionAt(version_id)}">Version ${version} in ${said(seasonOf(model.game, season))}</a> <span class="bad">${reject_reason !== null && rejectMeanings[reject_reason]}</span></li>\n`)}</ul>
`
}${!isTold.version_rejected && REJECTED_UNTOLD}`
}<h2>Versions that have entered</h2>
${versionTable(inPrivate, model.versions, seasonOf)}
<h2>Its story</h2>
<p><a href="${myStoryAt(id)}">Write how it came about</a>, for everybody to read.</p>
<h2>Another name</h2>
${inputs(rename, tried, { name: model.name }).whole(inputs(rename, tried, { name: model.name }).text("name", "Name", NAME_FIELD), "Rename")}
<h2>${model.retired ? "Bring it back" : "Retire it"}</h2>
<p>A retired model takes no submissions; its version on the ladder plays on. No model is ever removed, since its matches stay.</p>
${inputs(retire, tried).whole(inputs(retire, tried).hidden("retired", model.retired ? "no" : "yes"), model.retired ? "Bring it back" : "Retire")}`
    return { title: model.name, main }
  })
}
