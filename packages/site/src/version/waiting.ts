/** What a version waits for, and how long the service reckons that it takes: sentences of the fields `waiting` and `next_match_eta_s`. */
import { type Html, html } from "../html/Html.ts"
import { counted, words } from "../html/words.ts"

/** In seconds: most waits end between the two. */
type Span = readonly [low_s: number, high_s: number]

/** The fields of an own version that a service may have; an older one has neither. */
export interface Awaited {
  readonly waiting?: { readonly reason: string; readonly ahead?: number | null; readonly eta_s?: Span | null } | null
  readonly next_match_eta_s?: Span | null
}

const REASONS: Readonly<Record<string, string>> = {
  upload: "It waits for your files.",
  no_admitter: "It waits for a runner that reviews: none is there just now.",
  admission_queue: "It waits for its review.",
  trial: "It waits for its trial matches.",
  no_runner: "It waits for a runner that plays: none is there just now.",
  season_not_open: "It waits for the season to open.",
  no_board: "It waits for a board: the season has none in play.",
  suspended: "It is not paired, since its matches kept failing. The season's administrators can bring it back."
}

const MINUTE_S = 60
const HOUR_S = 3_600
const LATER_S = 172_800

const about = (seconds: number): string => {
  if (seconds < MINUTE_S) return counted(Math.ceil(seconds), "second")
  if (seconds < HOUR_S) return counted(Math.ceil(seconds / MINUTE_S), "minute")
  return seconds < LATER_S ? counted(Math.ceil(seconds / HOUR_S), "hour") : counted(Math.ceil(seconds / (24 * HOUR_S)), "day")
}

/** `2 minutes`, or `30 seconds to 5 minutes`. */
const span = ([low, high]: Span): string => (about(low) === about(high) ? about(high) : `${about(low)} to ${about(high)}`)

const sentences = ({ next_match_eta_s, waiting }: Awaited): ReadonlyArray<string> => [
  ...(waiting == null ? [] : [REASONS[waiting.reason] ?? `It waits: ${words(waiting.reason)}.`]),
  ...(waiting?.ahead != null && waiting.ahead > 0 ? [`Before it: ${waiting.ahead}.`] : []),
  ...(waiting?.eta_s != null ? [`That takes ${span(waiting.eta_s)}.`] : []),
  ...(next_match_eta_s == null ? [] : [`Its next match begins in ${span(next_match_eta_s)}.`])
]

export const awaited = (version: Awaited): Html | "" => {
  const said = sentences(version)
  return said.length === 0 ? "" : html`<p>${said.join(" ")}</p>\n`
}
