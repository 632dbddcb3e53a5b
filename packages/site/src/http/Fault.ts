/** Refusals and failures as pages in the site's own form. */
import { ASKED_AGAIN_S } from "@agon/api/Visitor.ts"
import { Cause, Data, Effect, Exit } from "effect"
import { HttpClientError, type HttpServerRequest } from "effect/http"
import { html } from "../html/Html.ts"
import { layout } from "../html/layout.ts"
import { meAt } from "../html/links.ts"
import { type Rendered, rendered } from "./Rendered.ts"

/** A failure with the status that its page has. */
export interface Fault {
  readonly status: number
  /** In whole seconds, where it is worth trying again. */
  readonly retry_after_s?: number
  /** Title and sentence, where they are not those of the status. */
  readonly words?: readonly [string, string]
}

const NOT_FOUND: Fault = { status: 404 }
const AWAY: Fault = { status: 503, retry_after_s: 2 }
const BROKEN: Fault = { status: 500 }

const WORDS: Readonly<Record<number, readonly [string, string]>> = {
  400: ["Not a question this page understands", "A value in the address is not one that this page takes."],
  403: ["Not for you", "The account that you are signed in with may not see this page. Whoever runs the season or the site knows who may."],
  413: [
    "Too much at once",
    "The form is longer than any that this site takes. Nothing has happened. Go back in your browser and shorten it."
  ],
  415: ["Not a form", "This site takes what its own forms send. Nothing has happened."],
  404: ["Nothing here", "There is no page at this address, or not for everybody."],
  405: ["Not in this way", "Pages are asked for with GET, and forms sent with POST."],
  414: ["Too long an address", "No page has an address that long."],
  429: ["Too many requests", "Your address has asked for a lot within a short time. Try again in a few seconds."],
  500: ["This page is broken", "This is our fault, and it has been written down. Other pages work."],
  503: ["Away for a moment", "The service does not answer just now."]
}

export const isRateFault = (error: unknown): boolean => statusOf(error) === 429

/** Refusals of the API have a status; no other failure does. */
export const statusOf = (error: unknown): number | undefined =>
  typeof error === "object" && error !== null && "status" in error && typeof error.status === "number" ? error.status : undefined

/** Of whatever stands before the service, which answers so while no service does, in words of its own. */
const OF_A_PROXY: ReadonlySet<number> = new Set([502, 503, 504])

const isAway = (error: unknown) =>
  Cause.isTimeoutError(error) ||
  (HttpClientError.isHttpClientError(error) && (error.reason._tag === "TransportError" || OF_A_PROXY.has(error.response?.status ?? 0)))

/** The API's own refusals; anything else that fails here is ours. */
export const faultOf = (error: unknown): Fault => {
  if (error instanceof Refused) return error.fault
  if (isAway(error)) return AWAY
  switch (statusOf(error)) {
    case 400:
    case 403:
      return { status: statusOf(error)! }
    case 401: // pages for one person look for the session themselves
    case 404:
      return NOT_FOUND
    case 429:
      return { status: 429, retry_after_s: 2 }
    case 503:
      return AWAY
    default:
      return BROKEN
  }
}

/** The page of another origin has posted a form to this one. */
export const FOREIGN: Fault = {
  status: 403,
  words: ["Not from here", "This form was sent from a page of another site. Nothing has happened."]
}
/** Its encoding, or a form that the page does not have. */
export const ILL_FORM: Fault = { status: 400, words: ["Not a form of this page", "The form could not be read. Nothing has happened."] }

/** The site itself refuses the request. */
export class Refused extends Data.TaggedError("Refused")<{ readonly fault: Fault }> {}

/** Title and sentence. */
export const wordsOf = ({ status, words }: Fault): readonly [string, string] => words ?? WORDS[status] ?? WORDS[500]!

/** Statuses of pages that may be there a little later. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 503])

const AFTER_FORM = "Go back in your browser, where the form is as it was typed, and look whether it was taken before you send it again."

/**
 * In the frame of every page; `signIn` is that of `layout`. Where the service is away a browser asks for a page again, and sends no form
 * again.
 */
export const faultPage = (fault: Fault, signIn: boolean, method: string): Rendered => {
  const [title, sentence] = wordsOf(fault)
  const passes = PASSING.has(fault.status)
  const ofForm = method === "POST"
  const again = fault.status === 503 && !ofForm
  const main = html`<h1>${title}</h1>
<p>${sentence}${again && ` Your browser asks for it again in ${ASKED_AGAIN_S} seconds.`}${passes && ofForm && ` ${AFTER_FORM}`}</p>
${passes && !ofForm && html`<p><a href="">Ask for this page again</a></p>\n`}<p><a href="/">To the front page</a>${fault.status === 403 && fault.words === undefined && html`, or <a href="${meAt}">to my page</a>`}</p>`
  return rendered(layout({ title, main }, signIn), {
    status: fault.status,
    ...(again ? { headers: { refresh: String(ASKED_AGAIN_S) } } : {})
  })
}

/** A page, and the fault that it tells of. */
export type Shown = readonly [Rendered, Fault | undefined]

/** The fault that a failure is; an unexpected one is logged, once. */
export const faultedBy = <E>(address: string, cause: Cause.Cause<E>): Effect.Effect<Fault> => {
  const failed = cause.reasons.find(Cause.isFailReason)
  const fault = failed === undefined ? BROKEN : faultOf(failed.error)
  if (fault !== BROKEN) return Effect.succeed(fault)
  return Effect.as(Effect.annotateLogs(Effect.logError("a page is broken", cause), { address: address.slice(0, 200) }), fault)
}

/** The page, or one that says why there is none. */
export const orFault = <E>(
  { method, url }: Pick<HttpServerRequest.HttpServerRequest, "method" | "url">,
  signIn: boolean,
  effect: Effect.Effect<Rendered, E>
): Effect.Effect<Shown> =>
  Effect.flatMap(Effect.exit(effect), (exit): Effect.Effect<Shown> => {
    if (Exit.isSuccess(exit)) return Effect.succeed([exit.value, undefined])
    return Effect.map(faultedBy(url, exit.cause), (fault) => [faultPage(fault, signIn, method), fault])
  })
