/**
 * The HTTP client beneath the typed one. It names the visitor on whose behalf a page reads, so that the service counts the read against
 * that visitor's address, and remembers what each page has read: a page is out of date when a read beneath it is.
 */
import { VISITOR } from "@agon/api/Visitor.ts"
import { Context, Effect, Option } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest } from "effect/http"

/** One read beneath a page. */
export interface Read {
  readonly request: HttpClientRequest.HttpClientRequest
  /** Undefined where the service lets nobody keep the answer. */
  readonly etag: string | undefined
}

/** A page under way: who asks, and what has been read for it. */
export interface Reading {
  /** The visitor's headers, as the service sent them; undefined for reads of the site's own. */
  readonly visitor: string | undefined
  readonly reads: Array<Read>
}

export class CurrentReading extends Context.Reference<Reading | undefined>("agon/site/CurrentReading", { defaultValue: () => undefined }) {}

/** Reads take milliseconds. A page is confirmed and then drawn within the 15 s that the service waits for it. */
const READ_TIMEOUT = "6 seconds"

const named = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(CurrentReading, (reading) =>
    reading?.visitor === undefined ? request : HttpClientRequest.setHeader(request, VISITOR, reading.visitor)
  )

const tooSlow = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, description: `no answer within ${READ_TIMEOUT}` })
  })

const remembered = (request: HttpClientRequest.HttpClientRequest, headers: Readonly<Record<string, string | undefined>>) =>
  Effect.map(CurrentReading, (reading) => {
    const kept = headers["cache-control"]?.startsWith("public") === true
    reading?.reads.push({ request, etag: kept ? headers["etag"] : undefined })
  })

export const reading = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  client.pipe(
    HttpClient.mapRequestEffect(named),
    HttpClient.transform((send, request) =>
      Effect.timeoutOrElse(send, { duration: READ_TIMEOUT, orElse: () => Effect.fail(tooSlow(request)) }).pipe(
        Effect.tap(({ headers }) => remembered(request, headers)),
        Effect.tapError(() => remembered(request, {})) // a page that does without it is out of date at once
      )
    )
  )

/**
 * A read that counts against the visitor and by which the page does not go out of date. A page that has `otherwise` in its place, since the
 * read has failed, is out of date at once.
 */
export const aside = <A, E, R>(read: Effect.Effect<A, E, R>, otherwise: A): Effect.Effect<A, never, R> =>
  Effect.flatMap(CurrentReading, (reading) => {
    const own: Reading | undefined = reading === undefined ? undefined : { visitor: reading.visitor, reads: [] }
    return Effect.catch(Effect.provideService(read, CurrentReading, own), () =>
      Effect.sync(() => {
        if (own !== undefined) reading?.reads.push(...own.reads.map(({ request }) => ({ request, etag: undefined })))
        return otherwise
      })
    )
  })

/** Node takes 16 KiB of headers. */
const NAMED_MAX_LENGTH = 8_192

/** The value of the header READS; undefined where it cannot be told. */
export const namedIn = (reads: ReadonlyArray<Read>): string | undefined => {
  const named: Array<string> = []
  for (const { etag, request } of reads) {
    const url = Option.getOrUndefined(HttpClientRequest.toUrl(request))
    if (etag === undefined || url === undefined) return undefined
    named.push(etag, `${url.pathname}${url.search}`)
  }
  const text = named.join(" ")
  return text.length > 0 && text.length <= NAMED_MAX_LENGTH ? text : undefined
}

/** Whether every read would be answered as it was; one that may not be kept is out of date at once. */
export const unchanged = (
  client: HttpClient.HttpClient,
  reads: ReadonlyArray<Read>
): Effect.Effect<boolean, HttpClientError.HttpClientError> =>
  reads.every(({ etag }) => etag !== undefined)
    ? Effect.map(
        Effect.forEach(
          reads,
          ({ etag, request }) =>
            // The body of another answer is read, so that its connection is free again.
            Effect.flatMap(client.execute(HttpClientRequest.setHeader(request, "if-none-match", etag!)), ({ status, text }) =>
              status === 304 ? Effect.succeed(true) : Effect.as(text, false)
            ),
          { concurrency: "unbounded" }
        ),
        (all) => all.every((one) => one)
      )
    : Effect.succeed(false)
