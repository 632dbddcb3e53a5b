/**
 * What surrounds every route, whatever it does: the refusals any of them may answer, the rate class
 * it counts against, and the shared cache it may answer from. The server implements these.
 */
import { Context, Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import * as P from "./Problem.ts"

/** Which bucket a request takes from; `public` and `signin` count per address, the rest per account. */
export type RateClass = "public" | "signin" | "session" | "read" | "write" | "upload" | "runner"
export const Rate = Context.Reference<RateClass>("agon/Rate", { defaultValue: () => "public" })

/**
 * A body whose refusal has a code of its own (`missing_hash`, `reenter_invalid`): given what the schema
 * found and which keys were missing, the problem to answer with, or undefined for `invalid_request`.
 * The endpoint declares that problem among its errors.
 */
export type BodyRefusal = (errors: P.FieldErrors, missing: ReadonlyArray<string>) => { readonly code: string } | undefined
export const RefusesBody = Context.Reference<BodyRefusal>("agon/RefusesBody", { defaultValue: () => () => undefined })

/** On every endpoint of the API: turns whatever goes wrong into one of these. */
export class Boundary extends HttpApiMiddleware.Service<Boundary>()("agon/Boundary", {
  error: [P.InvalidRequest, P.InvalidCursor, P.NotFound, P.RateLimited, P.Internal, P.Unavailable]
}) {}

/** On every endpoint that takes a body (docs/contract.md#bodies): what is wrong with it before its schema looks. */
export class JsonBody extends HttpApiMiddleware.Service<JsonBody>()("agon/JsonBody", {
  error: [P.InvalidRequest, P.InvalidJson, P.BodyTooLarge, P.UnsupportedMediaType]
}) {}

/** The tags under which an answer is kept; a write purges by them. `until_ms` is when it stops being true by itself, where it does. */
export interface Keeping extends Set<string> {
  until_ms?: number
}
export class CacheTags extends Context.Service<CacheTags, Keeping>()("agon/CacheTags") {}

/** An answer that is the same for everyone: kept as bytes for up to 600 s, with a strong ETag. */
export class Shared extends HttpApiMiddleware.Service<Shared, { provides: CacheTags }>()("agon/Shared", { error: P.Unavailable }) {}

/** A handler under `Shared` says what its answer was made from; saying nothing is a defect. */
export const tagged = (...tags: ReadonlyArray<string>) =>
  Effect.map(CacheTags, (set) => {
    for (const tag of tags) set.add(tag)
  })

/** A handler under `Shared` whose answer the clock will change says when it next does; null where only writes do. */
export const trueUntil = (instant: string | null) =>
  Effect.map(CacheTags, (kept) => {
    if (instant !== null) kept.until_ms = Math.min(kept.until_ms ?? Infinity, Date.parse(instant))
  })
