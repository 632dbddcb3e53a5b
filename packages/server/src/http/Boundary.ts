/**
 * `BoundaryLayer` surrounds every endpoint, `JsonBodyLayer` those that take a body. Between them they
 * turn what the framework or a defect made of the request into the API's own typed refusals, which
 * HttpApi then encodes as it does a handler's. What is no endpoint at all is Edge.ts's.
 */
import { Cause, Context, Effect, Layer, SchemaIssue } from "effect"
import { HttpServerError, HttpServerRequest } from "effect/http"
import { HttpApiError, type HttpApiMiddleware } from "effect/http-api"
import { SqlError } from "effect/sql"
import { Boundary, type BodyRefusal, JsonBody, Rate, RefusesBody } from "@agon/api/Boundary.ts"
import * as P from "@agon/api/Problem.ts"
import { isOutOfResources, isRestarting } from "../database/rows.ts"
import { clientAddress } from "./ClientAddress.ts"
import { AnswerTimeout, withAnswerTimeout } from "./AnswerTimeout.ts"
import { RateLimits, retryAfter } from "./RateLimits.ts"
import { RequestId } from "./RequestId.ts"
import { unstorable } from "./unstorable.ts"

type Refusal = HttpApiMiddleware.Error<Boundary>

/** Of a body (DECISIONS.md section 2). */
export const maxBodyBytes = 1024 * 1024

/** How long a caller is told to wait for a season that moves or a database that is away. */
const unavailable_s = 1

// Both functions run once per route, when it is built.
export const BoundaryLayer = Layer.effect(
  Boundary,
  Effect.map(Effect.all([RateLimits, AnswerTimeout]), ([limits, timeout_ms]) =>
    Boundary.of((httpEffect, { endpoint }) => {
      const rate = Context.get(endpoint.annotations, Rate)
      const perAddress = rate === "public" || rate === "signin"
      const limited = perAddress
        ? Effect.flatMap(clientAddress, (address) => Effect.andThen(limits.take(rate, address), httpEffect))
        : httpEffect
      return Effect.catchCause(withAnswerTimeout(timeout_ms, limited), translate)
    })
  )
)

export const JsonBodyLayer = Layer.succeed(
  JsonBody,
  JsonBody.of((httpEffect, { endpoint }) => {
    const refusesBody = Context.get(endpoint.annotations, RefusesBody)
    return refuseUnstorable.pipe(
      Effect.andThen(httpEffect),
      // 415 is the decoder's own successful plain-text answer; no handler of ours gives one.
      Effect.flatMap((response) => (response.status === 415 ? Effect.fail(unsupported) : Effect.succeed(response))),
      Effect.catchCause((cause) => translateBody(cause, refusesBody))
    )
  })
)

/** Reads the body that the decoder then finds read. A body of another type is the decoder's to refuse. */
const refuseUnstorable = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Effect.Effect<void, BodyProblem> => {
  if (Number(request.headers["content-length"]) > maxBodyBytes) return Effect.fail(tooLarge) // without waiting for it
  const type = request.headers["content-type"]
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) return Effect.void
  return Effect.flatMap(Effect.orDie(request.text), (text) => {
    const errors = unstorable(text)
    return errors.length === 0 ? Effect.void : Effect.fail(invalid(errors))
  })
})

const unsupported = new P.UnsupportedMediaType({ detail: "Send the body as application/json." })
const cutShort = new P.InvalidJson({ detail: "The body ended before it was whole." })
const notJson = new P.InvalidJson({ detail: "The body could not be read as JSON." })
const tooLarge = new P.BodyTooLarge({ detail: "A body may have 1 MiB." })

type BodyProblem = HttpApiMiddleware.Error<JsonBody>

const translateBody = <E>(cause: Cause.Cause<E>, refusesBody: BodyRefusal): Effect.Effect<never, E | BodyProblem> => {
  for (const reason of cause.reasons) {
    const unread = Cause.isDieReason(reason) ? unreadable(reason.defect) : undefined
    if (unread !== undefined) return Effect.fail(unread)
    if (Cause.isFailReason(reason) && HttpApiError.HttpApiSchemaError.is(reason.error) && reason.error.kind === "Payload") {
      return Effect.fail(refuseBody(reason.error.cause.issue, refusesBody) as BodyProblem)
    }
  }
  return Effect.failCause(cause)
}

/** What kept a body from being read: it is too large, or who sent it went away. */
const unreadable = (defect: unknown): BodyProblem | undefined => {
  if (!HttpServerError.isHttpServerError(defect) || defect.reason._tag !== "RequestParseError") return undefined
  return defect.reason.reason === "BodyTooLarge" ? tooLarge : cutShort
}

const refuseBody = (issue: SchemaIssue.Issue, refusesBody: BodyRefusal) => {
  // HttpApi reports unparsable JSON as a bare InvalidValue; a schema's refusal always has another tag.
  if (issue._tag === "InvalidValue") return notJson
  const errors = fieldErrors(issue)
  return refusesBody(errors, [...missingKeys(issue)]) ?? invalid(errors)
}

/** Keys at the top of the body that are not there. */
function* missingKeys(issue: SchemaIssue.Issue): Generator<string> {
  switch (issue._tag) {
    case "AnyOf": // HttpApi makes a union of the payload's schemas, be it one
    case "Composite":
      for (const inner of issue.issues) yield* missingKeys(inner)
      return
    case "Encoding":
      return yield* missingKeys(issue.issue)
    case "Pointer":
      if (issue.path.length === 1 && issue.issue._tag === "MissingKey") yield String(issue.path[0])
  }
}

/** A refusal that the route declares passes; what the framework made of the request gets its own. */
const translate = <E>(cause: Cause.Cause<E>): Effect.Effect<never, E | Refusal> => {
  const failed = cause.reasons.find(Cause.isFailReason)
  if (failed !== undefined) {
    if (HttpApiError.HttpApiSchemaError.is(failed.error)) return refuse(failed.error)
    return failed.error instanceof P.Unavailable
      ? Effect.andThen(retryAfter(unavailable_s), Effect.failCause(cause))
      : Effect.failCause(cause)
  }
  const died = cause.reasons.find(Cause.isDieReason)
  return died === undefined ? Effect.failCause(cause) : explain(died.defect, cause)
}

/** A part of the request that its schema refuses. A path that cannot be ours names nothing. */
const refuse = (error: HttpApiError.HttpApiSchemaError): Effect.Effect<never, Refusal> => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") {
    return Effect.flatMap(logged(Cause.die(error)), Effect.fail) // our answer, not their request
  }
  if (error.kind === "Params") return Effect.fail(new P.NotFound({ detail: "There is nothing under this path." }))
  const errors = fieldErrors(error.cause.issue)
  return Effect.fail(
    errors[0]?.path === "cursor" && error.kind === "Query"
      ? new P.InvalidCursor({ detail: "Use the next_cursor of the page before." })
      : invalid(errors)
  )
}

const invalid = (errors: P.FieldErrors) =>
  new P.InvalidRequest({ detail: errors.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; "), errors })

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()
const fieldErrors = (issue: SchemaIssue.Issue): P.FieldErrors =>
  formatIssues(issue).issues.map(({ message, path = [] }) => ({ path: path.map(String).join("."), message }))

/** What a defect looks like from outside: a database that is away, or our fault. */
const explain = (defect: unknown, cause: Cause.Cause<unknown>): Effect.Effect<never, Refusal> =>
  SqlError.isSqlError(defect) && (defect.isRetryable || isRestarting(defect) || isOutOfResources(defect))
    ? Effect.andThen(
        isOutOfResources(defect) ? Effect.logError("the database has no disk, memory or connections left", defect) : Effect.void,
        Effect.andThen(
          retryAfter(unavailable_s),
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
