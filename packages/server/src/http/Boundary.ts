/**
 * `Boundary` surrounds every endpoint. It turns the framework's errors and defects into the API's own typed refusals, which HttpApi
 * then encodes like a handler's. Faults of bodies are body/JsonBody.ts's, and requests that match no endpoint Edge.ts's.
 */

import { Boundary, Rate } from "@agon/api/Boundary.ts"
import { fieldErrors, invalidRequest } from "@agon/api/fieldErrors.ts"
import * as P from "@agon/api/Problem.ts"
import { Cause, Context, Effect, Layer, Metric, Predicate, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError, type HttpApiMiddleware } from "effect/http-api"
import { SqlError } from "effect/sql"
import { CurrentCallerClass, callerClassOf } from "../database/CallerClass.ts"
import { isOutOfResources, isOutOfTime, isReadOnly, isRestarting } from "../database/rows.ts"
import { byLabel } from "../metric/byLabel.ts"
import { Caller, CurrentCaller } from "../process/Caller.ts"
import { AnswerTimeout, withAnswerTimeout } from "./AnswerTimeout.ts"
import { type AllFaults, allFaultsOf } from "./body/allFaults.ts"
import { clientAddressIn } from "./ClientAddress.ts"
import { RateLimits, retryAfter } from "./limit/RateLimits.ts"
import { RequestId } from "./RequestId.ts"

type Refusal = HttpApiMiddleware.Error<Boundary>

/** Retry-After for a season that moves or a database that is away. */
const UNAVAILABLE_S = 1

// The function runs once for each route, when it is built.
export const layer = Layer.effect(
  Boundary,
  Effect.map(Effect.all([RateLimits, AnswerTimeout]), ([limits, timeout_ms]) =>
    Boundary.of((httpEffect, { endpoint }) => {
      const rate = Context.get(endpoint.annotations, Rate)
      const perAddress = rate === "public" || rate === "signin"
      const faultsOfQuery = allFaultsOf(Schema.toCodecArrayFromSingle(endpoint.query ?? Schema.Struct({})))
      const limited = perAddress
        ? Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) => {
            const address = clientAddressIn(context)
            return Effect.andThen(limits.take(rate, address), Effect.provideService(httpEffect, CurrentCaller, new Caller(address)))
          })
        : httpEffect
      const answer = Effect.catchCause(withAnswerTimeout(timeout_ms, limited), (cause) =>
        Effect.tapError(translate(cause, faultsOfQuery), countProblem)
      )
      return Effect.provideService(answer, CurrentCallerClass, callerClassOf(rate))
    })
  )
)

const problems = byLabel("agon_http_problems_total", "code", "Refusals of the API, by code")
/** Every error that leaves a route has one of the API's codes. */
const countProblem = (problem: unknown) =>
  Predicate.hasProperty(problem, "code") && typeof problem.code === "string" ? Metric.update(problems(problem.code), 1) : Effect.void

/** Passes a refusal that the route declares; translates the framework's errors and defects. */
const translate = <E>(
  cause: Cause.Cause<E>,
  faultsOfQuery: AllFaults
): Effect.Effect<never, E | Refusal, HttpServerRequest.ParsedSearchParams> => {
  const failed = cause.reasons.find(Cause.isFailReason)
  if (failed !== undefined) {
    if (HttpApiError.HttpApiSchemaError.is(failed.error)) return refuse(failed.error, faultsOfQuery)
    return failed.error instanceof P.Unavailable
      ? Effect.andThen(retryAfter(UNAVAILABLE_S), Effect.failCause(cause))
      : Effect.failCause(cause)
  }
  const died = cause.reasons.find(Cause.isDieReason)
  return died === undefined ? Effect.failCause(cause) : explain(died.defect, cause)
}

/** Translates a schema's refusal of a part of the request. An invalid path is answered as not found. */
const refuse = (
  error: HttpApiError.HttpApiSchemaError,
  faultsOfQuery: AllFaults
): Effect.Effect<never, Refusal, HttpServerRequest.ParsedSearchParams> => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") {
    return Effect.flatMap(logged(Cause.die(error)), Effect.fail) // the fault is in our answer, not in the request
  }
  if (error.kind === "Params") return Effect.fail(new P.NotFound({ detail: "There is nothing under this path." }))
  const { issue } = error.cause
  if (error.kind !== "Query") return Effect.fail(invalidRequest(fieldErrors(issue), error.kind.toLowerCase()))
  return Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) => {
    const errors = fieldErrors(faultsOfQuery(query, issue))
    return Effect.fail(
      errors[0]?.path === "cursor"
        ? new P.InvalidCursor({ detail: "Use the next_cursor of the page before." })
        : invalidRequest(errors, "query")
    )
  })
}

/** Whether the request had no effect, and may be sent again. */
const isAway = (error: SqlError.SqlError): boolean =>
  error.isRetryable || isRestarting(error) || isOutOfTime(error) || isOutOfResources(error) || isReadOnly(error)

/** Translates a defect for the client: the database is unavailable, or an internal error. */
const explain = (defect: unknown, cause: Cause.Cause<unknown>): Effect.Effect<never, Refusal> =>
  SqlError.isSqlError(defect) && isAway(defect)
    ? Effect.andThen(
        Effect.andThen(
          isOutOfResources(defect) ? Effect.logError("the database has no disk, memory or connections left", defect) : Effect.void,
          isReadOnly(defect) ? Effect.logError("the database takes no writes", defect) : Effect.void
        ),
        Effect.andThen(
          retryAfter(UNAVAILABLE_S),
          Effect.fail(new P.Unavailable({ detail: "The database does not answer just now; try again in a second." }))
        )
      )
    : Effect.flatMap(logged(cause), Effect.fail)

/** The one place where an unexpected failure is logged. */
export const logged = (cause: Cause.Cause<unknown>) =>
  Effect.flatMap(RequestId, (request_id) =>
    Effect.logError("unexpected", cause).pipe(
      Effect.annotateLogs({ request_id }),
      Effect.as(new P.Internal({ detail: "This is our fault. Quote the request id when you report it.", request_id }))
    )
  )
