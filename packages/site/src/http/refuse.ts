/** Refusals that a page makes itself, with the statuses of the API's. */
import { InvalidRequest, NotFound } from "@agon/api/Problem.ts"
import { Effect } from "effect"

export const notFound = Effect.suspend(() => Effect.fail(new NotFound({ detail: "There is no such page." })))

export const invalid = Effect.suspend(() =>
  Effect.fail(new InvalidRequest({ detail: "A value is not one that this page takes.", errors: [] }))
)

/** The answer where there is one; undefined where the API knows nothing of it. */
export const ifAny = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, E, R> =>
  Effect.catchIf(read, isNotFound, () => Effect.succeed(undefined))

/** For a part that a page can do without, such as a picture that takes the service too long. */
export const orNothing = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A | undefined, never, R> =>
  Effect.catch(read, () => Effect.succeed(undefined))

const isNotFound = (error: unknown) => typeof error === "object" && error !== null && "status" in error && error.status === 404

export const found = <A>(value: A | undefined) => (value === undefined ? notFound : Effect.succeed(value))
