/**
 * Spans, metrics and logs of a program for an OpenTelemetry collector (OTLP_URL). This file is here since
 * this is the package that every program imports. Without a collector a program has nothing of it.
 *
 * A collector that is slow, dead or ill holds up nobody and costs a bounded amount of memory. Effect's
 * exporter gathers 1,000 spans or lines, or five seconds of them, into a batch, and repeats a batch that was
 * refused; batches of a collector that never answers would pile up. So a few batches are on their way at
 * most, each for ten seconds at most, with its repeats. After a failure the exporter throws away what it has,
 * and takes nothing for a minute.
 */
import { type Cause, Clock, Context, Effect, Layer, Option, Random, Schedule, Tracer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse, UrlParams } from "effect/http"
import { Otlp } from "effect/observability"

/**
 * Batches on their way, of spans, metrics and logs together: with the one that is being gathered
 * 17,000 spans, or some 20 MB.
 */
export const IN_FLIGHT_MAX = 16
const EXPORT_TIMEOUT = "10 seconds"
const REPEATS = { times: 2, while: HttpClient.isTransientError, schedule: Schedule.spaced("1 second") } as const
/** A program that ends waits so long for the last batch of each of the three. */
const SHUTDOWN_TIMEOUT = "1 second"
/** A collector that takes nothing is told of once in this time. */
const TELL_EVERY_MS = 60_000

/** Parameters of our URLs that are secrets for a while, besides those of object stores. */
const SECRET_PARAMETERS = ["code", "state", "token", /signature/i, /credential/i, "X-Amz-Security-Token", "AWSAccessKeyId", "sig"]

/**
 * On a span that begins a trace: it is chosen, whatever the share, with these ids where they are given. Other
 * spans that begin a trace are chosen by chance, and those below another one as that was.
 */
export class Chosen extends Context.Reference<Partial<SpanIds> | undefined>("agon/Telemetry/Chosen", { defaultValue: () => undefined }) {}

export interface SpanIds {
  /** 32 hexadecimal digits, and 16. */
  readonly traceId: string
  readonly spanId: string
}

export interface Collector {
  readonly url: string
  /** The program's name. */
  readonly name: string
  /** The share of traces that are sent, 0 to 1. */
  readonly share: number
}

/** Needs a client of its own, without the tracing and headers of others. */
export const layer = ({ name, share, url }: Collector): Layer.Layer<never, never, HttpClient.HttpClient> => {
  const otlp = Otlp.layerJson({ baseUrl: url, resource: { serviceName: name }, shutdownTimeout: SHUTDOWN_TIMEOUT })
  const exporters = Layer.provide(otlp, Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, bounded)))
  const sampled = Layer.effect(
    Tracer.Tracer,
    Effect.zipWith(Effect.tracer, Random.Random, (tracer, random) => sampling(tracer, share, random))
  )
  return Layer.mergeAll(sampled, Layer.succeed(UrlParams.CurrentRedactedNames, SECRET_PARAMETERS)).pipe(Layer.provideMerge(exporters))
}

/** The tracer that begins no more traces than the share. */
export const sampling = (tracer: Tracer.Tracer, share: number, random: Random.Random): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const chosen = Context.get(options.annotations, Chosen)
      if (chosen !== undefined) return withIds(tracer.span({ ...options, sampled: true }), chosen)
      const left = options.sampled && Option.isNone(options.parent) && random.nextDoubleUnsafe() >= share
      return tracer.span(left ? { ...options, sampled: false } : options)
    }
  })

const withIds = (span: Tracer.Span, ids: Partial<SpanIds>): Tracer.Span => {
  for (const [name, value] of Object.entries(ids)) Object.defineProperty(span, name, { value })
  return span
}

/** Something that the collector did not take; not repeated, and no failure of whoever made the span. */
class NotTaken extends Error {}

const whyNot = (error: HttpClientError.HttpClientError | Cause.TimeoutError): string => {
  if (!HttpClientError.isHttpClientError(error)) return `no answer within ${EXPORT_TIMEOUT}`
  return error.response === undefined ? error.reason._tag : `it answers ${error.response.status}`
}

const bounded = (client: HttpClient.HttpClient): HttpClient.HttpClient => {
  let inFlight = 0
  let told_ms = -Infinity
  const notTaken = (request: HttpClientRequest.HttpClientRequest, why: string) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      if (now - told_ms >= TELL_EVERY_MS) {
        told_ms = now
        yield* Effect.logWarning("the collector at OTLP_URL does not take what it is sent; it is sent nothing for a minute", { why })
      }
      return yield* Effect.die(new NotTaken(`${request.url}: ${why}`))
    })
  return HttpClient.transform(client, (answer, request) =>
    Effect.suspend(() => {
      if (inFlight >= IN_FLIGHT_MAX) return notTaken(request, `${IN_FLIGHT_MAX} batches wait for its answer`)
      inFlight++
      return answer.pipe(
        Effect.tap((response) => response.arrayBuffer),
        Effect.flatMap(HttpClientResponse.filterStatusOk),
        Effect.retry(REPEATS),
        Effect.timeout(EXPORT_TIMEOUT),
        Effect.catch((error) => notTaken(request, whyNot(error))),
        Effect.ensuring(Effect.sync(() => inFlight--))
      )
    })
  )
}
