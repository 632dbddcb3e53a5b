/**
 * Submitting a version: the element hashes and uploads two files; without scripts the page says how a terminal does it. A version of
 * another season is entered again by a form.
 */

import type { Season } from "@agon/api/season/Season.ts"
import type { Preflight } from "@agon/api/submission/api.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { withTimes } from "../html/instants.ts"
import { kitAt, link, myModelAt, myModelsAt, myVersionAt, settingsAt } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { count, counted, words } from "../html/words.ts"
import { alsoAsking } from "../http/headers.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { seasonNames } from "../http/seasonNames.ts"
import { ownModel } from "../model/ownModel.ts"
import { examineCommand } from "../season/commands.ts"
import { seenSeason } from "../season/places.ts"
import { reenter, reentry } from "./reenter.ts"

/** How many of its models and versions the season has, and why it would refuse another one now. */
const standing = ({
  candidate,
  models,
  refusals,
  versions
}: Preflight): Html => html`<p>In the season are ${count(models.held)} of ${counted(models.cap, "model")}, and ${count(versions.held)} of ${counted(versions.cap, "version")} of this one.</p>
${
  candidate !== null &&
  html`<p><a href="${myVersionAt(candidate.version_id)}">A version of yours is on its way</a>, in ${words(candidate.phase ?? candidate.status)}. The same two files go on with its upload.</p>\n`
}${refusals.length > 0 && html`<div class="bad alert"><p>${candidate === null ? "A submission" : "A submission of other files"} would be refused now:</p>\n<ul>${refusals.map(({ code, detail }) => html`<li>${said(withTimes(detail))}${code === "not_eligible" && html` <a href="${settingsAt}#sign-ins">To Settings</a>`}</li>`)}</ul></div>\n`}`

/**
 * The limits that the element checks before anything is sent, and those of the note: a file that is plainly wrong costs no version and no
 * wait.
 */
const limits = ({ rules, weight_classes }: Season): Html =>
  html` largest="${Math.max(...weight_classes.map(({ max_bytes }) => max_bytes))}" note="${rules.note_max_length}"`

const terminal = ({
  examine,
  game,
  model,
  season
}: Readonly<Record<"game" | "model" | "season", string>> & { readonly examine: Html }): Html => html`<div class="without">
<h2>Without scripts</h2>
<p>A browser without scripts cannot hash the files, and the service takes no file whose hash it does not know. A terminal can:</p>
<ol>
<li>${examine} says beforehand what the review would say.</li>
<li><a href="${kitAt("submit")}">The starter kit</a> has the commands that submit and upload. In them stand <code>GAME=${game}</code>, <code>MODEL=${model}</code> and <code>SEASON=${season}</code>.</li>
<li>Then this site shows the version on its way.</li>
</ol>
</div>`

export const submitPage: PersonalRoute = {
  path: "/me/models/:id/submit/:season",
  forms: [reenter],
  own: Effect.fnUntraced(function* ({ client, names, params, script, file, objects, origin, tried }) {
    const { game, id, name } = yield* ownModel(client, params["id"]!)
    const season = params["season"]!
    const preflight = yield* client.submission.preflight({ params: { game }, query: { model: id, season } })
    const [{ at, season: seen }, detail] = yield* Effect.all(
      [seenSeason(client, game, season), client.model.privateModel({ params: { id } })],
      {
        concurrency: "unbounded"
      }
    )
    const seasonOf = yield* seasonNames({ client, names }, detail?.versions ?? [])
    const main = html`<h1>Submit a version of ${said(name)}</h1>
${myPagesNav(myModelsAt)}<p>To season ${link(at.season(game, season), seen?.name ?? season)}. <a href="${myModelAt(id)}">Back to the model</a></p>
${standing(preflight)}<agon-submit game="${game}" season="${season}" model="${id}" hasher="${file("hasher")}"${seen !== undefined && limits(seen)}${objects !== undefined && html` objects="${objects}"`}>${terminal({ game, model: id, season, examine: examineCommand({ at, game, season, origin }) })}</agon-submit>
${reentry(detail, season, tried, seasonOf)}<p>The rules for the files are in <a href="${kitAt("model-contract")}">the starter kit</a>.</p>`
    return { title: `Submit a version of ${name}`, main, scripts: script("submit"), headers: alsoAsking(objects) }
  })
}
