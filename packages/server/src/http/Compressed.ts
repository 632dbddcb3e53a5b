/** Compresses answers that are not shared, off the event loop, where the client accepts it. Exceptions: encodings.ts. */
import { Effect } from "effect"
import { Cookies, HttpBody, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Coding, type Compression, codingOf, compress, LEAST_BYTES } from "./encodings.ts"

type Request = Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">
type Response = HttpServerResponse.HttpServerResponse

/** The JSON body, if it may be compressed. A shared answer, recognized by its Vary header, has been handled already. */
const bodyOf = ({ method }: Request, { body, cookies, headers }: Response) =>
  (method === "GET" || method === "HEAD") &&
  body._tag === "Uint8Array" &&
  body.contentLength > LEAST_BYTES && // `body.body` would make bytes of a text that goes out as it is
  /^application\/(problem\+)?json\b/.test(body.contentType) &&
  Cookies.isEmpty(cookies) &&
  !["content-encoding", "set-cookie", "vary"].some((name) => name in headers)
    ? body
    : undefined

/** In which coding the answer goes to this client; undefined where it is the same for all clients. */
export const codingFor = (request: Request, response: Response): Coding | undefined =>
  bodyOf(request, response) === undefined ? undefined : codingOf(request.headers["accept-encoding"])

/** The answer in that coding. */
export const compressed = (request: Request, response: Response, coding: Compression): Effect.Effect<Response> => {
  const plain = bodyOf(request, response)
  if (plain === undefined) return Effect.succeed(response)
  return Effect.map(
    Effect.promise(() => compress(plain.body, coding)),
    (body) =>
      body === undefined || body.length >= plain.body.length
        ? response
        : HttpServerResponse.setBody(response, HttpBody.uint8Array(body, plain.contentType)).pipe(
            HttpServerResponse.setHeader("content-encoding", coding)
          )
  )
}
