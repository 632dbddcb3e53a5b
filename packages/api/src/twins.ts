/**
 * Reads that stand twice in the API: a public one, which answers everybody the same from the shared cache,
 * and its private twin under `/v1/private`, which also shows the private seasons of the caller's. Both have
 * the same parameters, answer and errors, and the same documentation (documentation/operations.ts).
 */

import type { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { OptionalSession } from "./Authorization.ts"
import { Cached, Rate } from "./Boundary.ts"

/** The name of the private twin: `privatePodium` of `podium`. */
export type PrivateName<Name extends string> = `private${Capitalize<Name>}`
export const privateName = <Name extends string>(name: Name): PrivateName<Name> =>
  `private${name.slice(0, 1).toUpperCase()}${name.slice(1)}` as PrivateName<Name>

type Fields = Schema.Top | Schema.Struct.Fields

interface Contract<Params, Query, Success, Error> {
  readonly params?: Params
  readonly query?: Query
  readonly success: Success
  readonly error?: Error
}

/** Twins whose public one is computed for each request: its answer changes without a write. */
export const uncachedTwins = <
  const Name extends string,
  const Path extends `/${string}`,
  Success extends Schema.Top,
  Params extends Fields = never,
  Query extends Fields = never,
  const Error extends Schema.Top | ReadonlyArray<Schema.Top> = never
>(
  name: Name,
  path: Path,
  contract: Contract<Params, Query, Success, Error>
) => {
  // The library's check that no error is streamed does not see through a type parameter.
  const publicOne = HttpApiEndpoint.get<Name, `/v1${Path}`, Params, Query, never, never, Success, Error>(
    name,
    `/v1${path}`,
    contract as never
  )
  const privateOne = HttpApiEndpoint.get<PrivateName<Name>, `/v1/private${Path}`, Params, Query, never, never, Success, Error>(
    privateName(name),
    `/v1/private${path}`,
    contract as never
  )
  return [publicOne, privateOne.middleware(OptionalSession).annotate(Rate, "session")] as const
}

/** The public endpoint and its private twin, of a path without `/v1`. */
export const twins = <
  const Name extends string,
  const Path extends `/${string}`,
  Success extends Schema.Top,
  Params extends Fields = never,
  Query extends Fields = never,
  const Error extends Schema.Top | ReadonlyArray<Schema.Top> = never
>(
  name: Name,
  path: Path,
  contract: Contract<Params, Query, Success, Error>
) => {
  const [publicOne, privateOne] = uncachedTwins(name, path, contract)
  return [publicOne.middleware(Cached), privateOne] as const
}

type Pair = readonly [HttpApiEndpoint.Constraint, HttpApiEndpoint.Constraint]

/** The public endpoints of several twins. */
export const publicOnes = <const Pairs extends ReadonlyArray<Pair>>(...pairs: Pairs) =>
  pairs.map(([one]) => one) as unknown as { readonly [K in keyof Pairs]: Pairs[K][0] }

/** Their private twins, in the same order. */
export const privateOnes = <const Pairs extends ReadonlyArray<Pair>>(...pairs: Pairs) =>
  pairs.map(([, one]) => one) as unknown as { readonly [K in keyof Pairs]: Pairs[K][1] }
