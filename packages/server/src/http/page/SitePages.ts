/**
 * Passes requests for pages on to the site: a process beside the service, or elsewhere. Everything is a page that is no path of the
 * service's own. The site is told the client's address, so that what it reads for a page counts against that address, and on personal
 * pages the session, no other cookie.
 *
 * A fault of the site stays there. An answer is bounded in time and bytes, and read whole before any of it is passed on; pages under
 * way are bounded in number, of all and of one address (PagesUnderWay.ts). Of requests with a body only forms are passed on
 * (SiteForms.ts), never twice: the site writes through the API, where they count against the account like all writes. A page whose
 * reads have not changed is answered here (KeptPages.ts). A request that is not passed on gets a page of the service's own
 * (siteRefusals.ts), which is 503 while the site is away.
 */
import { Agent, request as ask, type IncomingMessage, type ServerResponse } from "node:http"
import { SESSION_COOKIE, sessionOf } from "@agon/api/Client.ts"
import { isPersonal, VISITOR } from "@agon/api/Visitor.ts"
import { Context, Effect, Metric } from "effect"
import type { PublicOriginShape } from "../../config/publicOrigin.ts"
import type { Address } from "../../config/variables.ts"
import { fromZero } from "../../metric/fromZero.ts"
import type { Told } from "../ClientAddress.ts"
import { matches } from "../cache/Entry.ts"
import { isUnder } from "../isUnder.ts"
import { refusesOrigin } from "../Origin.ts"
import { nextRequestId } from "../RequestId.ts"
import { type Answered, makeKeptPages } from "./KeptPages.ts"
import { makePagesUnderWay } from "./PagesUnderWay.ts"
import { FORM_HEADERS, isForm, makeFormReader } from "./SiteForms.ts"
import { AWAY, BUSY_ADDRESS, FOREIGN, READ_ONLY, refuse, TOO_LONG, TOO_MANY } from "./siteRefusals.ts"

export interface SiteShape {
  /** Undefined while the site does not run. */
  readonly at: () => Address | undefined
  /** The facts of a client that the site is told, and repeats. */
  readonly told: Told
}

/** Undefined where there is no site. */
export class Site extends Context.Reference<SiteShape | undefined>("agon/Site", { defaultValue: () => undefined }) {}

/** Paths of the service itself; mounts such as the development sign-in come before. */
const OWN = ["/v1", "/docs", "/openapi.json", "/errors", "/healthz", "/readyz", "/objects"]

/** The site gives up a read after 6 s and a page that is drawn after 8 s, and shows one that says so (site/http/Reads.ts, site/http/Answers.ts). */
const PAGE_TIMEOUT_MS = 15_000
/** A hundred times the longest page. */
const PAGE_MAX_BYTES = 4 * 1024 * 1024
const CONNECTIONS = 64

const PASSED_ON = ["accept-encoding", "if-none-match"]
const PASSED_BACK = [
  ...["allow", "cache-control", "content-encoding", "content-security-policy", "content-type", "etag", "location", "referrer-policy"],
  ...["refresh", "retry-after", "set-cookie", "vary"]
]

/** Not repeated where the visitor has the page already. */
const OF_THE_BODY = ["content-encoding", "content-type"]

const pagesFailed = fromZero(
  Metric.counter("agon_site_pages_failed_total", {
    description: "Pages that the site did not answer, or was not asked for as it is away or busy",
    incremental: true
  })
)

interface Around {
  readonly clientOf: (request: IncomingMessage) => string
  /** Takes a public token of the address: 0, or the milliseconds until there is one. */
  readonly take: (address: string) => number | Effect.Effect<number>
  readonly fork: (effect: Effect.Effect<void>) => unknown
  /** The tag of the answer that this node keeps for a URL of the API, if any. */
  readonly tagOf: (url: string) => string | undefined
  readonly origin: PublicOriginShape
}

const isOwn = (url: string) => OWN.some((path) => isUnder(url, path))

/** Whether the site answers the request. */
export const makeSitePages = (site: SiteShape | undefined, { clientOf, fork, origin, tagOf, take }: Around) => {
  if (site === undefined) return () => false
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const kept = makeKeptPages({ tagOf })
  const readForm = makeFormReader()
  const underWay = makePagesUnderWay()

  const away = (response: ServerResponse) => {
    fork(Metric.update(pagesFailed, 1))
    refuse(response, AWAY)
  }
  const pass = (request: IncomingMessage, response: ServerResponse, address: string, form?: Buffer) => {
    const known = kept.get(request)
    if (known !== undefined) return passBack(request, response, known)
    const at = site.at()
    if (at === undefined) return away(response)
    const entry = underWay.enter(address)
    if (entry !== "entered") return entry === "busy" ? away(response) : refuse(response, BUSY_ADDRESS)
    const whole = kept.isKept(request)
    const headers: Record<string, string> = { ...passedOn(request, form), [VISITOR]: site.told(address) }
    if (whole) delete headers["if-none-match"]
    const asked = { host: at.host, port: at.port, agent, method: request.method, path: request.url, headers }
    // A form has a connection of its own: on a kept one that breaks nobody knows whether the site has seen it.
    const answered =
      form === undefined
        ? fetched(asked, response).catch((error) => (isStale(error) ? fetched(asked, response) : Promise.reject(error)))
        : fetched({ ...asked, agent: false }, response, form)
    answered
      .then((answer) => {
        kept.keep(request, answer)
        passBack(request, response, answer)
      })
      .catch(() => response.destroyed || away(response)) // where it is, the visitor has left
      .finally(() => underWay.leave(address))
  }

  const passForm = (request: IncomingMessage, response: ServerResponse, address: string) => {
    if (!isPersonal(request.url!)) return refuse(response, READ_ONLY) // no other page has a form
    if (refusesOrigin(request, origin)) return refuse(response, FOREIGN)
    const read = readForm(request, address)
    if (read === undefined) return refuse(response, TOO_MANY, 1)
    read.then(
      (form) => {
        if (form === "too_long") refuse(response, TOO_LONG)
        else if (form === "given_up") refuse(response, TOO_MANY, 1)
        else pass(request, response, address, form)
      },
      () => {} // the visitor has left
    )
  }

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (isOwn(request.url!)) return false
    response.setHeader("x-request-id", nextRequestId())
    if (request.method !== "GET" && request.method !== "HEAD" && !isForm(request)) {
      refuse(response, READ_ONLY)
      return true
    }
    const address = clientOf(request)
    const judge = (wait_ms: number) => {
      if (wait_ms > 0) refuse(response, TOO_MANY, Math.ceil(wait_ms / 1000))
      else if (isForm(request)) passForm(request, response, address)
      else pass(request, response, address)
    }
    const wait_ms = take(address)
    if (typeof wait_ms === "number") judge(wait_ms)
    else fork(Effect.map(wait_ms, judge))
    return true
  }
}

const passedOn = ({ headers, url }: IncomingMessage, form: Buffer | undefined): Record<string, string> => {
  const passed: Record<string, string> = form === undefined ? {} : { "content-length": String(form.length) }
  for (const name of form === undefined ? PASSED_ON : [...PASSED_ON, ...FORM_HEADERS]) {
    if (typeof headers[name] === "string") passed[name] = headers[name]
  }
  const session = isPersonal(url!) ? sessionOf(headers.cookie) : undefined
  if (session !== undefined) passed["cookie"] = `${SESSION_COOKIE}=${session}`
  return passed
}

/** A kept connection that the site closed at the moment of the request, which it has not seen. */
class Stale extends Error {}
const isStale = (error: unknown) => error instanceof Stale

/** The whole answer. Ends with the visitor's own connection. */
const fetched = (asked: Parameters<typeof ask>[1] & object, response: ServerResponse, form?: Buffer): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const upstream = ask(asked)
    const end = () => void upstream.destroy()
    const timer = setTimeout(end, PAGE_TIMEOUT_MS)
    response.once("close", end)
    const settled = () => {
      clearTimeout(timer)
      response.off("close", end)
    }
    upstream.on("error", (error: NodeJS.ErrnoException) =>
      reject(upstream.reusedSocket && error.code === "ECONNRESET" ? new Stale() : error)
    )
    upstream.on("close", () => {
      settled()
      reject(new Error("the site broke off its answer")) // no effect after a whole answer
    })
    upstream.on("response", (answer) => {
      const chunks: Array<Buffer> = []
      let bytes = 0
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > PAGE_MAX_BYTES) end()
        else chunks.push(chunk)
      })
      answer.on(
        "end",
        () => answer.complete && resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(chunks) })
      )
      answer.on("error", reject)
    })
    upstream.end(form)
  })

const passBack = (
  { headers: { "if-none-match": has } }: IncomingMessage,
  response: ServerResponse,
  { body, headers, status }: Answered
) => {
  if (response.destroyed) return
  if (status < 200 || status > 599) throw new Error(`the site answered with status ${status}`)
  for (const name of PASSED_BACK) if (headers[name] !== undefined) response.setHeader(name, headers[name])
  if (status === 200 && headers.etag !== undefined && matches(has, headers.etag) !== undefined) {
    for (const name of OF_THE_BODY) response.removeHeader(name)
    return void response.writeHead(304).end()
  }
  if (status !== 304) response.setHeader("content-length", headers["content-length"] ?? body.length)
  response.writeHead(status).end(body)
}
