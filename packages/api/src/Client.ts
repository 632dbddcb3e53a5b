/**
 * The typed client: one method for each endpoint (`client.runner.lease({ payload })`); refusals are
 * instances of their code's class. Runners call it with a bearer key, a website's backend on behalf of its
 * visitors; README.md shows how.
 */
import { Data, Duration, Effect, Schema } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "./Api.ts"

/** The parts of a browser's request that the service needs when a website's backend calls on the browser's behalf. */
export interface Visit {
  /** Header names in lower case, as node:http gives them. Only the session, `origin` and `sec-fetch-site` travel on. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The address for public rate limits, where the backend is among the service's TRUSTED_PROXIES. */
  readonly address?: string
}

export type Credential = { readonly key: string } | { readonly session: string } | { readonly visit: Visit } | undefined

export const SESSION_COOKIE = "service_session"

/** The session in a browser's `cookie` header, where there is one. */
export const sessionOf = (cookies: string | undefined): string | undefined =>
  cookies
    ?.split(";")
    .map((pair) => pair.trim().split("="))
    .find(([name]) => name === SESSION_COOKIE)?.[1]

const headersOf = (credential: Credential): Record<string, string> => {
  if (credential === undefined) return {}
  if ("key" in credential) return { authorization: `Bearer ${credential.key}` }
  if ("session" in credential) return { cookie: `${SESSION_COOKIE}=${credential.session}` }
  const { address, headers } = credential.visit
  const one = (name: string) => {
    const value = headers[name]
    return typeof value === "string" ? value : value?.join("; ")
  }
  const session = sessionOf(one("cookie"))
  const passed = {
    cookie: session === undefined ? undefined : `${SESSION_COOKIE}=${session}`,
    // Without these two, a page of another origin could write through the backend, though it cannot write directly.
    origin: one("origin"),
    "sec-fetch-site": one("sec-fetch-site"),
    "x-forwarded-for": address
  }
  return Object.fromEntries(Object.entries(passed).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

interface ClientOptions {
  /**
   * Seconds until an answer begins, and again for its body; then the call fails as over a broken line. Without it there is no limit. With
   * it an answer that does not fit fails as `IllAnswer`, and a failure of a schema is one of the request, which has not been sent.
   */
  readonly timeout_s?: number
}

/** The answer is none that the endpoint has: of another program, or of another version of the service. */
export class IllAnswer extends Data.TaggedError("IllAnswer")<{ readonly cause: unknown }> {}

/** `baseUrl` is the service's origin; the caller provides an HttpClient. */
export const makeClient = (baseUrl: string, credential?: Credential, { timeout_s }: ClientOptions = {}) =>
  HttpApiClient.make(Api, timeout_s === undefined ? optionsOf(baseUrl, credential) : within(timeout_s, optionsOf(baseUrl, credential)))

/**
 * The strict client for many callers at one time: each call has the credential that `current` gives in its
 * own fiber. Making a client takes 10 ms of CPU, which is much for a single request.
 */
export const makeSharedClient = (baseUrl: string, current: Effect.Effect<Credential>): ReturnType<typeof makeClient> =>
  HttpApiClient.make(Api, {
    ...strictly(baseUrl),
    transformClient: (client: HttpClient.HttpClient) =>
      HttpClient.mapRequestEffect(client, (request) =>
        Effect.map(current, (credential) => HttpClientRequest.setHeaders(request, headersOf(credential)))
      )
  })

const optionsOf = (baseUrl: string, credential: Credential) => ({
  baseUrl,
  transformClient: (client: HttpClient.HttpClient) => HttpClient.mapRequest(client, HttpClientRequest.setHeaders(headersOf(credential)))
})

/** Another program's body under a status that the endpoint has for a refusal of its own: the library makes it a defect. */
const foreign = <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E | HttpClientError.HttpClientError, R> =>
  Effect.catchDefect(answer, (defect) => (HttpClientError.isHttpClientError(defect) ? Effect.fail(defect) : Effect.die(defect)))

/** An answer that does not fit, told from a request that does not: both fail as a `SchemaError` of the library. */
const fitting = <A, E, R>(answer: Effect.Effect<A, E, R>): Effect.Effect<A, E | IllAnswer, R> =>
  Effect.catchIf(answer, Schema.isSchemaError, (cause) => Effect.fail(new IllAnswer({ cause })))

const within = (timeout_s: number, { baseUrl, transformClient }: ReturnType<typeof optionsOf>) => {
  const request = HttpClientRequest.get(baseUrl)
  const description = `no answer within ${timeout_s} seconds`
  const late = new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, description }) })
  const inTime = Effect.timeoutOrElse({ duration: Duration.seconds(timeout_s), orElse: () => Effect.fail(late) })
  return {
    baseUrl,
    transformClient: (client: HttpClient.HttpClient) => HttpClient.transform(transformClient(client), inTime),
    transformResponse: <A, E, R>(answer: Effect.Effect<A, E, R>) => inTime(foreign(fitting(answer)))
  }
}

/**
 * The same, where a failure of a schema is always one of the request, which has not been
 * sent; an ill answer is a defect.
 */
export const makeStrictClient = (baseUrl: string, credential?: Credential): ReturnType<typeof makeClient> =>
  HttpApiClient.make(Api, { ...strictly(baseUrl), ...optionsOf(baseUrl, credential) })

const strictly = (baseUrl: string) => ({
  baseUrl,
  transformResponse: <A, E, R>(answer: Effect.Effect<A, E, R>) => Effect.catchIf(answer, Schema.isSchemaError, (error) => Effect.die(error))
})

export type Client = Effect.Success<ReturnType<typeof makeClient>>
