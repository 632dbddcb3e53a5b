/**
 * Every refusal of the service, in the form of RFC 9457: one class per code, declared once with its
 * status, title and extension members. An endpoint or a level lists the classes it may fail with;
 * the same line makes the answer, the OpenAPI document and the typed client's error. A class is
 * caught by its code (`Effect.catchTag("unknown_season", ...)`); no `_tag` travels.
 */
import { Schema, SchemaGetter } from "effect"
import { HttpApiError } from "effect/http-api"

/** A refusal is read by people: a longer detail echoes the request, and is cut. */
const DETAIL_MAX = 1_000
const PATH_MAX = 200
const MESSAGE_MAX = 300
/** The most faults that one refusal lists. */
const ERRORS_MAX = 10

const cut = (text: string, length: number) => (text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`)

/** Bounds every sentence of a refusal on the wire, wherever the refusal was made. */
const Sentences = Schema.String.pipe(
  Schema.decode({ decode: SchemaGetter.passthrough(), encode: SchemaGetter.transform((text: string) => cut(text, DETAIL_MAX)) })
)

type Base<Code extends string> = { readonly detail: Schema.String; readonly code: Schema.tag<Code> }

/** `class X extends Problem<X>()(code, status, title, extensions?)`; instances always have a `detail`. */
export const Problem =
  <Self>() =>
  <const Code extends string, const Status extends number, const Fields extends HttpApiError.ProblemExtensionFields = {}>(
    code: Code,
    status: Status,
    title: string,
    fields?: Fields
  ) =>
    // The library's own type is conditional on Self, which a generic wrapper cannot resolve.
    HttpApiError.Problem<any>()(
      code,
      { type: `/errors#${code}`, status, title },
      { detail: Sentences, code: Schema.tag(code), ...fields }
    ) as unknown as HttpApiError.ProblemClass<Self, Code, `/errors#${Code}`, Status, Base<Code> & Fields, {}>

/** The first few faults of a body, query or file: the path and the reason of each. */
export const FieldErrors = Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })).pipe(
  Schema.decode({
    decode: SchemaGetter.passthrough(),
    encode: SchemaGetter.transform((errors: ReadonlyArray<{ readonly path: string; readonly message: string }>) =>
      errors.slice(0, ERRORS_MAX).map(({ message, path }) => ({ path: cut(path, PATH_MAX), message: cut(message, MESSAGE_MAX) }))
    )
  })
)
export type FieldErrors = typeof FieldErrors.Type

export class InvalidRequest extends Problem<InvalidRequest>()("invalid_request", 400, "The request is not valid", {
  errors: FieldErrors
}) {}
/** A request with one fault, whose sentence is the `detail` as well; `path` is that of a field, or empty for the whole. */
export const invalidField = (path: string, detail: string) => new InvalidRequest({ detail, errors: [{ path, message: detail }] })
export class InvalidJson extends Problem<InvalidJson>()("invalid_json", 400, "The body is not JSON") {}
export class InvalidCursor extends Problem<InvalidCursor>()("invalid_cursor", 400, "The cursor is not one of ours") {}
export class NotFound extends Problem<NotFound>()("not_found", 404, "Not found") {}
export class MethodNotAllowed extends Problem<MethodNotAllowed>()("method_not_allowed", 405, "Method not allowed") {}
export class RequestTimeout extends Problem<RequestTimeout>()("request_timeout", 408, "The request took too long") {}
export class BodyTooLarge extends Problem<BodyTooLarge>()("body_too_large", 413, "The body is too large") {}
export class UnsupportedMediaType extends Problem<UnsupportedMediaType>()("unsupported_media_type", 415, "Unsupported media type") {}
export class HeadersTooLarge extends Problem<HeadersTooLarge>()("headers_too_large", 431, "The headers are too large") {}
export class RateLimited extends Problem<RateLimited>()("rate_limited", 429, "Too many requests", { retry_after_ms: Schema.Int }) {}
export class Internal extends Problem<Internal>()("internal", 500, "Internal error", { request_id: Schema.String }) {}
export class Unavailable extends Problem<Unavailable>()("unavailable", 503, "Temporarily unavailable") {}
