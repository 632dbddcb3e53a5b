/**
 * A runner's part in the trace of a match: `work`, with its parts below, and `report`,
 * until the service has the result.
 */
import type { Work } from "@agon/api/runner/protocol.ts"
import { Clock, Effect, Exit, Option, type Tracer } from "effect"
import { Headers, HttpTraceContext } from "effect/http"

/** The match's span in the service; undefined where it is not traced, or the service wrote something else. */
const matchOf = (work: Work): Tracer.ExternalSpan | undefined =>
  work.kind !== "match" || work.traceparent === undefined
    ? undefined
    : Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent: work.traceparent })))

export const around = <A, E, R>(work: Work, working: Effect.Effect<A, E, R>) => {
  const parent = matchOf(work)
  if (parent === undefined) return working
  return Effect.withSpan(working, "work", { parent, attributes: { lease: work.lease }, captureStackTrace: false })
}

/** The result is there, and waits for a request that carries it. */
export const reporting = (reports: Map<string, Tracer.Span>, work: Work): Effect.Effect<void> => {
  const parent = matchOf(work)
  if (parent === undefined) return Effect.void
  return Effect.map(Effect.makeSpan("report", { parent, attributes: { lease: work.lease } }), (span) => {
    reports.set(work.lease, span)
  })
}

/** The service has answered for these results. */
export const reported = (reports: Map<string, Tracer.Span>, leases: Iterable<string>): Effect.Effect<void> =>
  reports.size === 0
    ? Effect.void
    : Effect.map(Clock.currentTimeNanos, (now) => {
        for (const lease of leases) {
          reports.get(lease)?.end(now, Exit.void)
          reports.delete(lease)
        }
      })
