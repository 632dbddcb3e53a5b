/**
 * `JsonBody` surrounds the endpoints that take a body. It bounds the body, looks at it before it is decoded, and turns what makes it
 * unreadable into the API's own typed refusals. Other faults of a request are Boundary.ts's.
 */

import { isUtf8 } from "node:buffer"
import { type BodyRefusal, JsonBody, Rate, RefusesBody } from "@agon/api/Boundary.ts"
import { bodyBytes, declaredBodyBytes } from "@agon/api/bodyBytes.ts"
import { fieldErrors, invalidRequest } from "@agon/api/fieldErrors.ts"
import * as P from "@agon/api/Problem.ts"
import { ByteSize, Cause, Context, Effect, Layer, Option, Schema, type SchemaIssue, Semaphore } from "effect"
import { HttpServerError, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiError, type HttpApiMiddleware } from "effect/http-api"
import { parsedJson } from "../../parsedJson.ts"
import { toItsEnd } from "../../process/toItsEnd.ts"
import { answerHeader } from "../answerHeader.ts"
import { type AllFaults, allFaultsOf } from "./allFaults.ts"
import { type FindOverlong, overlongIn } from "./lengths.ts"
import { unstorable } from "./unstorable.ts"

/** Bodies larger than their operation can use that are read at once: they hold 16 MiB of memory at most, however slowly they come. */
const LARGE_AT_ONCE = 16
const crowded = new P.Unavailable({ detail: "Too many large bodies are being read; send it again in a second." })

// The function runs once for each route, when it is built.
export const layer = Layer.effect(
  JsonBody,
  Effect.map(Semaphore.make(LARGE_AT_ONCE), (places) =>
    JsonBody.of((httpEffect, { endpoint }) => {
      const bytes_max = bodyBytes(endpoint.identifier)
      const declared_max = declaredBodyBytes(endpoint.identifier, Context.get(endpoint.annotations, Rate))
      const undeclared = bytes_max === declared_max ? "" : `, and ${bytes_max} without a Content-Length`
      const tooLarge = new P.BodyTooLarge({ detail: `The body of this request may have ${declared_max} bytes${undeclared}.` })
      const payloads = payloadsOf(endpoint)
      const overlong = overlongIn(payloads)
      const refusesPayload = refuseBody(Context.get(endpoint.annotations, RefusesBody), allFaultsOf(Schema.Union(payloads)))
      const reading = (max: number) =>
        looksAtBody(max, tooLarge, overlong).pipe(
          Effect.andThen(httpEffect),
          // 415 is the decoder's own successful plain-text answer; no handler of ours gives one.
          Effect.flatMap((response) => (response.status === 415 ? Effect.fail(unsupported) : Effect.succeed(response))),
          Effect.catchCause((cause) => translateBody(cause, refusesPayload, tooLarge)),
          Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(max))
        )
      const usual = reading(bytes_max)
      if (bytes_max === declared_max) return usual
      const large = Effect.flatMap(
        places.withPermitsIfAvailable(1)(reading(declared_max)),
        Option.match({ onNone: () => Effect.fail(crowded), onSome: Effect.succeed })
      )
      return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
        const declared = Number(headers["content-length"])
        return declared > bytes_max && declared <= declared_max ? large : usual
      })
    })
  )
)

const payloadsOf = ({ payload }: { readonly payload: HttpApiEndpoint.PayloadMap }): ReadonlyArray<Schema.Constraint> =>
  [...payload.values()].flatMap(({ schemas }) => schemas)

/**
 * Reads the body ahead of the decoder and makes the refusals that need no decoding: a body that is too large (at once where its
 * length is declared, otherwise when the limit is reached), one in a content coding, text that cannot be stored, and lists that are
 * too long. The decoder refuses a body of another content type.
 */
const looksAtBody = (bytes_max: number, tooLarge: P.BodyTooLarge, overlong: FindOverlong | undefined) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (request): Effect.Effect<void, BodyProblem> => {
    if (Number(request.headers["content-length"]) > bytes_max) return Effect.fail(tooLarge) // without waiting for it
    if (isCoded(request.headers["content-encoding"])) return Effect.andThen(answerHeader("accept-encoding", "identity"), Effect.fail(coded))
    const type = request.headers["content-type"]
    if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) return Effect.void
    return Effect.flatMap(textOf(request), (text) => {
      const errors = unstorable(text)
      const found = errors.length > 0 || overlong === undefined ? errors : overlong(parsedJson(text)) // the decoder refuses invalid JSON
      return found.length === 0 ? Effect.void : Effect.fail(invalidRequest(found))
    })
  })

/**
 * Bytes that are no UTF-8 read as U+FFFD, and would be stored as it. Only a text with that character is looked at again by its bytes,
 * which the request keeps. It is read on where the request ends, as that of a suspended account does: the library destroys the connection
 * where reading is interrupted, and the client would not hear why. A body that never ends has a time of its own (Connections.ts).
 */
const textOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<string, BodyProblem> =>
  Effect.flatMap(Effect.orDie(toItsEnd(request.text)), (text) =>
    text.includes("\ufffd")
      ? Effect.flatMap(Effect.orDie(request.arrayBuffer), (bytes) => (isUtf8(bytes) ? Effect.succeed(text) : Effect.fail(notUtf8)))
      : Effect.succeed(text)
  )

/** Whether the body is compressed or coded otherwise. We decode nothing: a small body could become a large one. */
const isCoded = (contentEncoding: string | undefined) =>
  contentEncoding?.split(",").some((coding) => !/^\s*(identity\s*)?$/i.test(coding)) === true

const unsupported = new P.UnsupportedMediaType({ detail: "Send the body as application/json." })
const coded = new P.UnsupportedMediaType({ detail: "Send the body as it is, without a Content-Encoding." })
const cutShort = new P.InvalidJson({ detail: "The body ended before it was whole." })
const notUtf8 = new P.InvalidJson({ detail: "The body is not encoded as UTF-8." })
const notJson = new P.InvalidJson({ detail: "The body could not be read as JSON." })

type BodyProblem = HttpApiMiddleware.Error<JsonBody>

const translateBody = <E>(
  cause: Cause.Cause<E>,
  refusesPayload: RefuseBody,
  tooLarge: P.BodyTooLarge
): Effect.Effect<never, E | BodyProblem, HttpServerRequest.HttpServerRequest> => {
  for (const reason of cause.reasons) {
    const unread = Cause.isDieReason(reason) ? unreadable(reason.defect, tooLarge) : undefined
    if (unread !== undefined) return Effect.fail(unread)
    if (Cause.isFailReason(reason) && HttpApiError.HttpApiSchemaError.is(reason.error) && reason.error.kind === "Payload") {
      return refusesPayload(reason.error.cause.issue)
    }
  }
  return Effect.failCause(cause)
}

/** Why a body could not be read: it is too large, or the client disconnected. */
const unreadable = (defect: unknown, tooLarge: P.BodyTooLarge): BodyProblem | undefined => {
  if (!HttpServerError.isHttpServerError(defect) || defect.reason._tag !== "RequestParseError") return undefined
  return defect.reason.reason === "BodyTooLarge" ? tooLarge : cutShort
}

type RefuseBody = (first: SchemaIssue.Issue) => Effect.Effect<never, BodyProblem, HttpServerRequest.HttpServerRequest>

const refuseBody =
  (refusesBody: BodyRefusal, allFaults: AllFaults): RefuseBody =>
  (first) => {
    // HttpApi reports unparsable JSON as a bare InvalidValue; a schema's refusal always has another tag.
    if (first._tag === "InvalidValue") return Effect.fail(notJson)
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      // Read and looked at before it was decoded; the request keeps it.
      Effect.flatMap(Effect.orDie(request.text), (text) => {
        if (text.trim() === "") return Effect.fail(notJson) // HttpApi takes it for null
        const body = parsedJson(text)
        const issue = allFaults(body, first)
        const errors = fieldErrors(issue)
        return Effect.fail((refusesBody(errors, [...missingKeys(issue, body)]) ?? invalidRequest(errors)) as BodyProblem)
      })
    )
  }

/** Required keys at the top level of the body that are missing, or null: forms send what was left empty as null. */
function* missingKeys(issue: SchemaIssue.Issue, body: unknown): Generator<string> {
  switch (issue._tag) {
    case "AnyOf": // HttpApi makes a union of the payload's schemas, even of a single one
    case "Composite":
      for (const inner of issue.issues) yield* missingKeys(inner, body)
      return
    case "Encoding":
      return yield* missingKeys(issue.issue, body)
    case "Pointer":
      if (issue.path.length > 1) return
      if (issue.issue._tag === "MissingKey" || (body as Readonly<Record<PropertyKey, unknown>>)[issue.path[0]!] === null)
        yield String(issue.path[0])
  }
}
