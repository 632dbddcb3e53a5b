/**
 * Plain reads of the service, which nearly all of the site's requests are, go to undici directly. The framework's client makes a URL, an
 * AbortController, an entry in a FinalizationRegistry, a stream and cached effects for each. Any other request takes that client: with a
 * body, to another origin, or for a file, whose answer goes on as it comes.
 */
import type { Dispatcher } from "@effect/platform-node/Undici"
import { Effect, Inspectable, Option, Stream } from "effect"
import { Cookies, Headers, HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse, HttpIncomingMessage } from "effect/http"
import { pipeArguments } from "effect/Pipeable"

type Request = HttpClientRequest.HttpClientRequest
type Failure = HttpClientError.HttpClientError

/** Path and query of a request to the service, below its own address; undefined where it is no plain read of the API. */
export const plainPathOf = ({ body, hash, method, url, urlParams }: Request, service: string): string | undefined => {
  if (method !== "GET" || body._tag !== "Empty" || Option.isSome(hash)) return undefined
  if (!url.startsWith(`${service}/v1/`) || /[?#]/.test(url)) return undefined
  const path = url.slice(service.length)
  const { params } = urlParams
  // As URL writes them, too. A list is enough for URLSearchParams, but its type wants pairs that can be written.
  return params.length === 0 ? path : `${path}?${new URLSearchParams(params as Array<[string, string]>)}`
}

/** The time limit is the caller's (Reads.ts). */
const NO_LIMIT_MS = 0

/** `service` has no slash at its end. */
export const plainReads = (client: HttpClient.HttpClient, dispatcher: Dispatcher, service: string): HttpClient.HttpClient => {
  const { origin } = new URL(service)
  const below = service.slice(origin.length) // "" but where the service is reached below a path
  const send = (request: Request): Effect.Effect<HttpClientResponse.HttpClientResponse, Failure> => {
    const path = plainPathOf(request, service)
    if (path === undefined) return client.execute(request)
    return Effect.callback((resume) => {
      let abort: (() => void) | undefined
      let isLeft = false
      let [status, headers] = [0, {} as Readonly<Record<string, string | Array<string> | undefined>>]
      const chunks: Array<Buffer> = []
      dispatcher.dispatch(
        { origin, path: `${below}${path}`, method: "GET", headers: request.headers, headersTimeout: NO_LIMIT_MS, bodyTimeout: NO_LIMIT_MS },
        {
          onRequestStart: (controller) => {
            abort = () => controller.abort(new Error("nobody waits for the answer any more"))
            if (isLeft) abort()
          },
          onResponseStart: (_controller, statusCode, given) => {
            status = statusCode
            headers = given
          },
          onResponseData: (_controller, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resume(Effect.succeed(new Answer(request, `${service}${path}`, status, headers, bodyOf(chunks)))),
          onResponseError: (_controller, cause) => resume(Effect.fail(broken(request, cause)))
        }
      )
      return Effect.sync(() => {
        isLeft = true
        abort?.()
      })
    })
  }
  return HttpClient.makeWith((request: Effect.Effect<Request>) => Effect.flatMap(request, send), Effect.succeed)
}

const broken = (request: Request, cause: unknown) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })

/** In an ArrayBuffer of its own, as decoders take it. */
const bodyOf = (chunks: ReadonlyArray<Buffer>): Buffer<ArrayBuffer> => {
  let length = 0
  for (const chunk of chunks) length += chunk.length
  const body = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}

/** A whole answer. */
class Answer extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId] = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId] = HttpClientResponse.TypeId
  readonly remoteAddress = Option.none<string>()
  readonly request: Request
  readonly url: string
  readonly status: number
  readonly headers: Headers.Headers
  readonly #body: Buffer<ArrayBuffer>

  constructor(
    request: Request,
    url: string,
    status: number,
    headers: Readonly<Record<string, string | Array<string> | undefined>>,
    body: Buffer<ArrayBuffer>
  ) {
    super()
    this.request = request
    this.url = url
    this.status = status
    this.headers = Headers.fromInput(headers)
    this.#body = body
  }
  get arrayBuffer(): Effect.Effect<ArrayBuffer> {
    return Effect.succeed(this.#body.buffer)
  }
  get text(): Effect.Effect<string> {
    return Effect.sync(() => this.#body.toString())
  }
  get stream(): Stream.Stream<Uint8Array> {
    return Stream.make(this.#body)
  }
  get cookies(): Cookies.Cookies {
    return Cookies.fromSetCookie(this.headers["set-cookie"] ?? [])
  }
  get json() {
    return this.#asOnTheWeb().json
  }
  get urlParamsBody() {
    return this.#asOnTheWeb().urlParamsBody
  }
  get formData() {
    return this.#asOnTheWeb().formData
  }
  get upgrade() {
    return this.#asOnTheWeb().upgrade
  }
  /** For what nobody asks of a read. */
  #asOnTheWeb(): HttpClientResponse.HttpClientResponse {
    const body = this.#body.length === 0 ? null : this.#body
    return HttpClientResponse.fromWeb(this.request, new Response(body, { status: this.status, headers: this.headers }))
  }
  toJSON(): unknown {
    return HttpIncomingMessage.inspect(this, { _id: "agon/site/Answer", request: this.request.toJSON(), status: this.status })
  }
  pipe() {
    // biome-ignore lint/complexity/noArguments: as Pipeable is made
    return pipeArguments(this, arguments)
  }
}
