/**
 * The middleware around every route: the refusals that any route may answer, the rate class
 * it counts against, and the shared cache it may answer from. The server implements these.
 */
import { Context, Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import * as P from "./Problem.ts"

/** Which bucket a request takes from; `public` and `signin` count per address, the rest per account. */
export type RateClass = "public" | "signin" | "session" | "read" | "write" | "upload" | "runner"
export const Rate = Context.Reference<RateClass>("agon/Rate", { defaultValue: () => "public" })

/**
 * The refusal of a body with a code of its own (`missing_hash`, `reenter_invalid`): from the schema's errors
 * and the missing keys it makes the problem to answer with, or undefined for `invalid_request`.
 * The endpoint declares that problem among its errors.
 */
export type BodyRefusal = (errors: P.FieldErrors, missing: ReadonlyArray<string>) => { readonly code: string } | undefined
export const RefusesBody = Context.Reference<BodyRefusal>("agon/RefusesBody", { defaultValue: () => () => undefined })

/** On every endpoint of the API: turns undeclared failures into one of these. */
export class Boundary extends HttpApiMiddleware.Service<Boundary>()("agon/Boundary", {
  error: [P.InvalidRequest, P.InvalidCursor, P.NotFound, P.RateLimited, P.Internal, P.Unavailable]
}) {}

/** On every endpoint that takes a body (docs/contract.md#bodies): its checks run before the body's schema. */
export class JsonBody extends HttpApiMiddleware.Service<JsonBody>()("agon/JsonBody", {
  error: [P.InvalidRequest, P.InvalidJson, P.BodyTooLarge, P.UnsupportedMediaType, P.Unavailable]
}) {}

/**
 * The tags under which an answer is cached; a write purges by them. `until_ms`, where set, is when
 * the answer expires by itself.
 */
export interface Keeping extends Set<string> {
  until_ms?: number
}
export class CacheTags extends Context.Service<CacheTags, Keeping>()("agon/CacheTags") {}

/** An answer that is the same for everyone: cached as bytes for up to 600 s, with a strong ETag. */
export class Cached extends HttpApiMiddleware.Service<Cached, { provides: CacheTags }>()("agon/Cached", { error: P.Unavailable }) {}

/** Sets the tags of an answer under `Cached`; a handler that sets none is a defect. */
export const tagged = (...tags: ReadonlyArray<string>) => Effect.map(CacheTags, (kept) => addTags(kept, tags))

export const addTags = (kept: Keeping, tags: ReadonlyArray<string>): void => {
  for (const tag of tags) kept.add(tag)
}

/** Sets when an answer under `Cached` next changes with the clock; null where only writes change it. */
export const trueUntil = (instant: string | null) =>
  Effect.map(CacheTags, (kept) => {
    if (instant !== null) kept.until_ms = Math.min(kept.until_ms ?? Infinity, Date.parse(instant))
  })
