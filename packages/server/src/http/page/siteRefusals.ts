/**
 * The pages with which the service itself answers a request that it does not pass on to the site: the site is away, or does not take such a
 * request, or the visitor asks too much.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { ASKED_AGAIN_S, isPersonal } from "@agon/api/Visitor.ts"
import { type PlainPage, plainPage } from "./plainPage.ts"
import { isForm } from "./SiteForms.ts"

interface Refusal {
  readonly status: number
  readonly page: PlainPage
  /** The page that answers a form, where it differs. */
  readonly ofForm?: PlainPage
}

const READ_AGAIN = "Ask for this page again"
const STILL_TYPED = "Go back in your browser, where the form is as it was typed"

export const AWAY: Refusal = {
  status: 503,
  page: plainPage(
    "Away for a moment",
    `The pages do not answer just now. Your browser asks again in ${ASKED_AGAIN_S} seconds.`,
    READ_AGAIN
  ),
  ofForm: plainPage(
    "Away for a moment",
    `The pages do not answer just now. ${STILL_TYPED}, and look whether it was taken before you send it again.`
  )
}
export const READ_ONLY: Refusal = {
  status: 405,
  page: plainPage("Not in this way", "Pages are asked for with GET, and forms sent with POST.", READ_AGAIN)
}
export const FOREIGN: Refusal = {
  status: 403,
  page: plainPage("Not from here", "This form was sent from a page of another site. Nothing has happened.")
}
export const TOO_LONG: Refusal = {
  status: 413,
  page: plainPage(
    "Too much at once",
    "The form is longer than any that this site takes. Nothing has happened. Go back in your browser and shorten it."
  )
}
export const TOO_MANY: Refusal = {
  status: 429,
  page: plainPage("Too many requests", "Your address has asked for a lot within a short time. Try again in a few seconds.", READ_AGAIN),
  ofForm: plainPage(
    "Too many requests",
    `Your address has asked for a lot within a short time. Nothing has happened. ${STILL_TYPED}, and send it again in a few seconds.`
  )
}
export const BUSY_ADDRESS: Refusal = {
  status: 429,
  page: plainPage(
    "Too many pages at once",
    "Your address waits for many pages already. Ask again when some of them are there, in a few seconds.",
    READ_AGAIN
  ),
  ofForm: plainPage(
    "Too many pages at once",
    `Your address waits for many pages already. Nothing has happened. ${STILL_TYPED}, and send it again in a few seconds.`
  )
}

const RETRY_AFTER_S = 2

/** Whether no body can follow that nobody reads. */
const isRead = ({ complete, method }: IncomingMessage) => complete || method === "GET" || method === "HEAD"

/** Answers with the refusal's page, unless an answer has begun. `retry_after_s` counts where asking again may help. */
export const refuse = (response: ServerResponse, { ofForm, page, status }: Refusal, retry_after_s = RETRY_AFTER_S) => {
  if (response.destroyed || response.headersSent) return
  const { policy, text } = isForm(response.req) ? (ofForm ?? page) : page
  response.setHeader("content-type", "text/html; charset=utf-8")
  response.setHeader("content-security-policy", policy)
  response.setHeader("cache-control", "no-store")
  if (status === READ_ONLY.status) response.setHeader("allow", isPersonal(response.req.url!) ? "GET, HEAD, POST" : "GET, HEAD")
  if (status === AWAY.status || status === TOO_MANY.status) response.setHeader("retry-after", String(retry_after_s))
  if (status === AWAY.status && /^(GET|HEAD)$/.test(response.req.method!)) response.setHeader("refresh", String(ASKED_AGAIN_S))
  if (!isRead(response.req)) response.shouldKeepAlive = false
  response.writeHead(status).end(text)
}
