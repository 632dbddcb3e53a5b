/**
 * A version of the visitor's on its way: upload, review, trial, ladder; after a rejection what to mend; and the note on it, to be changed.
 */
import type { Client } from "@agon/api/Client.ts"
import type { OwnMatch } from "@agon/api/match/Match.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { foundByRunner, type RejectReason } from "@agon/api/version/RejectReason.ts"
import { rejectMeanings } from "@agon/api/version/rejectMeanings.ts"
import type { OwnVersion } from "@agon/api/version/Version.ts"
import { Effect } from "effect"
import { type Html, html, said } from "../html/Html.ts"
import { withTimes } from "../html/instants.ts"
import { kitAt, link, myMatchAt, myModelAt, myModelsAt, myVersionAt, type Places, submitAt, withQuery } from "../html/links.ts"
import { myPagesNav } from "../html/myPagesNav.ts"
import { count, counted, decimal, sentence, time } from "../html/words.ts"
import { done } from "../http/form/done.ts"
import { form, type Tried } from "../http/form/Form.ts"
import { inputs } from "../http/form/inputs.ts"
import type { PersonalRoute } from "../http/Route.ts"
import { orNothing } from "../http/refuse.ts"
import { examineCommand } from "../season/commands.ts"
import { seenSeason } from "../season/places.ts"
import { stateOf, trialPlayed, waitingOf } from "./waiting.ts"

/** The longest page of the API. */
const LAST_MATCHES = 60
const STEPS = ["upload", "review", "trial", "ladder"] as const

/** How many steps are behind it. */
const stepOf = ({ phase, status }: OwnVersion): number => {
  if (status !== "testing") return STEPS.length
  return Math.max(0, STEPS.indexOf((phase ?? "upload") as (typeof STEPS)[number]))
}

const step = (at: number) => (name: string, index: number) =>
  html`<li${index === at && html` aria-current="step"`}>${name}${index < at ? ": done" : index === at ? ": now" : ""}</li>\n`

/** Reasons that `examine` finds: it has no upload whose hash could differ, and plays no trial. */
const EXAMINED: ReadonlySet<RejectReason> = new Set(foundByRunner.filter((reason) => reason !== "hash_mismatch"))

interface Remedy {
  /** The command that examines the mended files. */
  readonly examine: Html
  /** Why a submission would be refused now, such as the wait after the version before it. */
  readonly hindered: ReadonlyArray<string>
}

const rejection = (
  { model_id, reject_detail, reject_reason, season }: OwnVersion,
  { examine, hindered }: Remedy
): Html => html`<h2>What to mend</h2>
<p class="bad alert">${reject_reason === null ? "Nothing is known of the reason." : sentence(rejectMeanings[reject_reason])}${reject_detail !== null && html` ${said(reject_detail)}`}</p>
<ul>
${reject_reason !== null && html`<li><a href="${kitAt("reject-reasons")}#${reject_reason}">Why that happens, and the remedy</a></li>\n`}${reject_reason !== null && EXAMINED.has(reject_reason) && html`<li>${examine} finds it on your own machine.</li>\n`}<li><a href="${submitAt(model_id, season)}">Submit the mended files</a>${hindered.map((detail) => html`<br>${said(withTimes(detail))}`)}</li>
</ul>`

const standings = (at: Places, { game, ratings, season }: OwnVersion): Html => html`<h2>On the ladders</h2>
<ul>${Object.entries(ratings).map(
  ([ladder, { matches, rank, rating }]) =>
    html`<li><a href="${at.ladder(game, season, ladder)}">${ladder}</a>: ${rank === null ? "no rank yet" : `rank ${count(rank)}`}, rating ${decimal(rating)} after ${counted(matches, "match", "matches")}</li>\n`
)}</ul>`

const trialOf = ({ trial }: OwnVersion): Html | "" =>
  trial === null
    ? ""
    : html`<h2>Trial</h2>
<p>${trialPlayed(trial)}${trial.failed > 0 && `, ${trial.failed} at the strike limit`}.</p>
${trial.match_ids.length > 0 && html`<ol>\n${trial.match_ids.map((id, i) => html`<li><a href="${myMatchAt(id)}">Trial match ${i + 1}</a></li>\n`)}</ol>\n`}`

/**
 * Those of the owner's newest matches that this version sat in and that could not be played, or were voided. Trials are listed by
 * themselves.
 */
const failedOf = ({ version_id }: OwnVersion, matches: ReadonlyArray<OwnMatch>): Html | "" => {
  const failed = matches.filter(
    ({ is_trial, seats, status }) => status === "failed" && !is_trial && seats.some((seat) => seat.version_id === version_id)
  )
  return failed.length === 0
    ? ""
    : html`<h2>Failed lately</h2>
<ul>
${failed.map(({ created_at, id, map }) => html`<li><a href="${myMatchAt(id)}">A match on ${map}, made ${time(created_at)}</a></li>\n`)}</ul>
`
}

const progress = (at: Places, version: OwnVersion, matches: ReadonlyArray<OwnMatch>, remedy: Remedy): Html => {
  const { model_id, phase, season, status, version_id } = version
  const now = stepOf(version)
  return html`<p class="state${status === "rejected" && " bad"}"><b>${stateOf(version)}</b></p>
${status !== "rejected" && html`<ol class="steps" aria-label="The way to the ladder">\n${STEPS.map(step(status === "testing" ? now : STEPS.length))}</ol>\n`}${waitingOf(version)}${
  status === "testing" &&
  phase === "upload" &&
  html`<p>If the upload broke off, <a href="${submitAt(model_id, season)}">submit the same files again</a>: it goes on where it was.</p>\n`
}${status === "rejected" && rejection(version, remedy)}${trialOf(version)}${failedOf(version, matches)}${Object.keys(version.ratings).length > 0 && standings(at, version)}${
  status === "entered" && html`<p><a href="${at.matches({ version: version_id })}">Its rated matches</a></p>\n`
}`
}

/** Without a text there is no note. */
const annotate = form({
  name: "note",
  fields: ["note"],
  codes: { note_too_long: "note", note_word_listed: "note" },
  send: ({ client, params, typed }) => {
    const id = params["id"]!
    const note = typed.one("note").trim()
    return Effect.as(client.version.editVersion({ params: { id }, payload: { note: note === "" ? null : note } }), {
      to: withQuery(myVersionAt(id), { done: "noted" })
    })
  }
})

const noteForm = ({ note }: OwnVersion, max: number | undefined, tried: Tried | undefined): Html => {
  const { area, whole } = inputs(annotate, tried, { note: note ?? "" })
  const hint = `Everybody who sees the version reads it.${max === undefined ? "" : ` At most ${counted(max, "character")}.`} Without a text there is none.`
  return html`<h2>Its note</h2>\n${whole(area("note", "Note", { hint }), "Save", "Its note")}`
}

/** Refusals that another version in its place would meet; none where they cannot be told. */
const hindrances = (client: Client, { game, model_id, season }: OwnVersion) =>
  Effect.map(
    orNothing(client.submission.preflight({ params: { game }, query: { model: model_id, season } })),
    (preflight) => preflight?.refusals.map(({ detail }) => detail) ?? []
  )

const lastMatches = (client: Client, game: string) =>
  Effect.map(client.match.ownMatches({ query: { game, ...firstPage(LAST_MATCHES) } }), ({ matches }) => matches)

export const myVersion: PersonalRoute = {
  path: "/me/versions/:id",
  query: ["done"],
  forms: [annotate],
  own: Effect.fnUntraced(function* ({ client, origin, params, query, script, tried }) {
    const version = yield* client.version.ownVersion({ params: { id: params["id"]! } })
    const { created_at, game, model, model_id, note, season, status, version_id } = version
    // A candidate's matches are its trial, which its page names one by one; the page of one asks every three seconds.
    const played = status === "testing" ? Effect.succeed([]) : lastMatches(client, game)
    const refused = status === "rejected" ? hindrances(client, version) : Effect.succeed([])
    const [{ at, season: seen }, matches, hindered] = yield* Effect.all([seenSeason(client, game, season), played, refused], {
      concurrency: "unbounded"
    })
    const main = html`<h1>${said(model)}, version ${version.version}</h1>
${myPagesNav(myModelsAt)}${done(tried, query["done"], { noted: "The note is saved." })}<p>Season ${link(at.season(game, season), seen?.name ?? season)}, submitted ${time(created_at)}. <a href="${myModelAt(model_id)}">Its model</a></p>
${note !== null && html`<p>${said(note)}</p>\n`}<agon-follow${status !== "testing" && html` settled`}><div id="progress" role="status">
${progress(at, version, matches, { hindered, examine: examineCommand({ at, game, season, origin }) })}</div></agon-follow>
${status === "testing" && html`<noscript><p><a href="${myVersionAt(version_id)}">Look again</a></p></noscript>\n`}${noteForm(version, seen?.rules.note_max_length, tried)}`
    return { title: `${model}, version ${version.version}`, main, scripts: script("follow") }
  })
}
