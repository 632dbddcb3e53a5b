/** In words, for whoever has a seat in it: what became of a match, why, and what to mend. */
import type { FaultReason, OwnMatch, WithdrawnReason } from "@agon/api/match/Match.ts"
import { type Html, html } from "../html/Html.ts"
import { kitAt, myVersionAt } from "../html/links.ts"
import { count, counted, words } from "../html/words.ts"

/** Why it failed, and what its owners do about it. */
const FAILED: Readonly<Record<typeof FaultReason.Type, readonly [why: string, mend: string]>> = {
  runner_lost: [
    "It was tried three times. The last time, the machine that played it was lost.",
    "One such match does no harm. After five in a row that only your version explains it is suspended: agon examine says what memory and time it takes."
  ],
  engine_fault: [
    "It was tried three times. The last time, the machine could not play it, through a fault of its own.",
    "There is nothing to mend: it blames no model, and the season makes other matches."
  ],
  weights_unavailable: [
    "It was tried three times. The last time, the machine could not get the files of a model in it.",
    "One such match does no harm. After five in a row the version is suspended: then submit its files again."
  ],
  replay_mismatch: [
    "It was played and then voided: its replay does not follow the rules, machines disagree about its end, or an administrator has said so.",
    "There is nothing to mend: it counts for nobody, and the season makes another."
  ]
}

const WITHDRAWN: Readonly<Record<typeof WithdrawnReason.Type, string>> = {
  superseded: "A newer version of a model in it has entered",
  baseline_disabled: "A baseline in it was taken out of play",
  board_disabled: "Its board was taken out of play",
  season_closed: "The season was closed",
  round_reset: "A new round had begun",
  suspended: "A version in it was suspended",
  disqualified: "A version in it was disqualified",
  owner_removed: "A competitor in it has left the season"
}

const STATES: Readonly<Record<OwnMatch["status"], (match: OwnMatch) => string>> = {
  queued: () => "It waits for a machine that plays it, or is being played.",
  finished: ({ is_trial }) =>
    is_trial ? "A trial match was played. It moves no rating." : "It was played, and moves no rating: a new round had begun meanwhile.",
  rated: () => "It was played, and counts.",
  cancelled: ({ successor, withdrawn_reason }) =>
    withdrawn_reason === null
      ? "It was withdrawn before it was played."
      : `${WITHDRAWN[withdrawn_reason]}${successor === null ? "" : `, version ${successor}`}: the match was withdrawn before it was played.`,
  failed: ({ fault_reason }) => (fault_reason === null ? "It could not be played." : FAILED[fault_reason][0])
}

type Own = OwnMatch["seats"][number]

/** `limit` is undefined where the season does not show its rules to the visitor. */
const strikes =
  (limit: number | undefined) =>
  ({ seat, strikes }: Own): Html | "" => {
    if (strikes === null || strikes === 0) return ""
    if (limit === undefined || strikes < limit)
      return html`<p>Your seat ${seat + 1} had ${counted(strikes, "strike")}${limit !== undefined && ` of ${count(limit)}`}.</p>\n`
    return html`<p class="bad">Your seat ${seat + 1} had ${counted(strikes, "strike")}, the season's limit, and forfeited.</p>\n`
  }

const failsTrial = ({ is_trial, seats }: OwnMatch, limit: number | undefined): boolean =>
  is_trial && limit !== undefined && seats.some(({ mine, strikes }) => mine && strikes !== null && strikes >= limit)

const mend = (match: OwnMatch, limit: number | undefined): ReadonlyArray<Html> => {
  const own = match.seats.filter(({ mine }) => mine)
  const versions = [...new Map(own.map((seat) => [seat.version_id, seat])).values()]
  const struck = own.some(({ strikes }) => (strikes ?? 0) > 0)
  return [
    ...(match.fault_reason === null ? [] : [html`<li>${FAILED[match.fault_reason][1]}</li>\n`]),
    ...(failsTrial(match, limit)
      ? [html`<li>A version whose trial has such a match is refused. Mend the model and submit it again.</li>\n`]
      : []),
    ...(struck
      ? [
          html`<li><a href="${kitAt("strikes")}">What a strike is, and the usual causes</a>.${match.replay_removed_at === undefined && " The replay shows in which turns they were."}</li>\n`,
          html`<li><code>agon play --game ${match.game} --board FILE --seed ${match.seed} --watch MODEL…</code> shows the strikes of each seat on your own machine.</li>\n`
        ]
      : []),
    ...versions.map(
      ({ version, version_id }) => html`<li><a href="${myVersionAt(version_id)}">Your version ${version}</a>, where it stands</li>\n`
    )
  ]
}

export const endingOf = (
  match: OwnMatch,
  limit: number | undefined
): Html => html`<p><b>${words(match.status)}${match.is_trial && ", in a trial"}</b></p>
<p${match.status === "failed" && html` class="bad"`}>${STATES[match.status](match)}</p>
${match.reason !== null && html`<p>Its ending: ${words(match.reason)}${match.turns !== null && `, after ${counted(match.turns, "turn")}`}.</p>\n`}${match.seats.filter(({ mine }) => mine).map(strikes(limit))}<h2>What to do</h2>
<ul>
${mend(match, limit)}</ul>`
