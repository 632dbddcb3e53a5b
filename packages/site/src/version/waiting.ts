/** In words: what a version of the visitor's waits for, and about when it plays next. Without figures where none are known. */
import type { OwnVersion, Waiting } from "@agon/api/version/Version.ts"
import { type Html, html } from "../html/Html.ts"
import { counted, words } from "../html/words.ts"

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A figure of more digits would promise too much: rounded up to whole minutes, hours or days. */
const rounded = (seconds: number): string => {
  if (seconds < 2 * MINUTE) return counted(seconds, "second")
  if (seconds < 2 * HOUR) return counted(Math.ceil(seconds / MINUTE), "minute")
  return seconds < 2 * DAY ? counted(Math.ceil(seconds / HOUR), "hour") : counted(Math.ceil(seconds / DAY), "day")
}

/** `within 20 seconds`, `in 2 minutes to 1 hour` */
export const within = ([low, high]: ReadonlyArray<number>): string => {
  const [from, to] = [rounded(low!), rounded(high!)]
  if (low === 0) return `within ${to}`
  return from === to ? `in about ${to}` : `in ${from} to ${to}`
}

const before = (ahead: number, one: string, many: string): string =>
  ahead === 0 ? "" : `; ${counted(ahead, one, many)} ${ahead === 1 ? "comes" : "come"} first`

const FOR: Readonly<Record<Waiting["reason"], (ahead: number) => string>> = {
  upload: () => "It waits for its files.",
  admission_queue: (ahead) => `It waits for its examination${before(ahead, "other", "others")}.`,
  no_admitter: (ahead) => `It waits for a machine that examines models: none is there just now${before(ahead, "other", "others")}.`,
  trial: (ahead) => `It plays its trial${before(ahead, "other match", "other matches")}.`,
  no_runner: () => "It waits for a machine that plays matches: none is there just now.",
  season_not_open: () => "It waits for the opening of the season.",
  no_board: () => "It waits for a board: none is in play just now.",
  suspended: () => "It is not paired, since its matches kept failing, until an administrator lets it play again."
}

/** `2 of 3 matches played` */
export const trialPlayed = ({ matches, played }: Pick<NonNullable<OwnVersion["trial"]>, "matches" | "played">, one = "match"): string =>
  `${played} of ${counted(matches, one, `${one}es`)} played`

/** `in review`, `entered` */
export const stateOf = ({ phase, status }: Pick<OwnVersion, "phase" | "status">): string =>
  phase === null ? words(status) : phase === "upload" ? "being uploaded" : `in ${words(phase)}`

export const waitingOf = ({ next_match_eta_s, waiting }: OwnVersion): Html | "" => {
  const eta = waiting === null ? next_match_eta_s : waiting.eta_s
  if (waiting === null && eta === null) return ""
  if (waiting?.reason === "season_not_open" && eta !== null) return html`<p>The season opens ${within(eta)}.</p>\n`
  return html`<p>${waiting !== null && FOR[waiting.reason](waiting.ahead)}${waiting !== null && eta !== null && " "}${eta !== null && `Its next match starts ${within(eta)}, most likely.`}</p>
`
}
