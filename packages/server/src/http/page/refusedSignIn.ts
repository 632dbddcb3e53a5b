/**
 * A refused sign-in as a page. People are led to the addresses of a sign-in by links and by its provider, so a browser, which names HTML
 * among what it accepts, gets the sentences of the problem in the site's look. Programs get the problem, as everywhere.
 */
import { HttpBody, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { escaped, plainPage } from "./plainPage.ts"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method" | "url">
type Response = HttpServerResponse.HttpServerResponse

/** Beginning and end of a sign-in; those of a device, one part longer or called otherwise, are asked for by programs. */
const SIGN_IN = /^\/v1\/auth\/(?!device(?:[/?]|$))[^/?]+(?:\/callback)?(?:\?|$)/
/** Statuses of what may be taken a little later. */
const PASSING: ReadonlySet<number> = new Set([429, 503])

const isPersons = ({ headers, method, url }: Request) =>
  method === "GET" && SIGN_IN.test(url) && headers["accept"]?.includes("text/html") === true

/** The answer as this client reads it. */
export const refusedSignIn = (request: Request, response: Response): Response => {
  const { body, status } = response
  if (status < 400 || body._tag !== "Uint8Array" || !isPersons(request)) return response
  const { detail, title }: Readonly<Record<"detail" | "title", string>> = JSON.parse(new TextDecoder().decode(body.body))
  const { policy, text } = plainPage(escaped(title), escaped(detail), PASSING.has(status) ? "Try to sign in again" : undefined)
  return HttpServerResponse.setBody(response, HttpBody.text(text, "text/html; charset=utf-8")).pipe(
    HttpServerResponse.setHeaders({ "content-security-policy": policy, vary: "Accept" })
  )
}
