/**
 * The holder of a credential: a session's account or a runner's key, with the tokens that its request takes.
 *
 * A credential that this node does not remember as valid takes a token of its address's public bucket
 * before it is looked up, so guessing is limited like any other public traffic and spares the database.
 */

import { hash } from "node:crypto"
import * as A from "@agon/api/Authorization.ts"
import { Rate } from "@agon/api/Boundary.ts"
import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { Context, Deferred, Effect, Option, Redacted } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { clientAddress } from "../../http/ClientAddress.ts"
import { Lookups } from "../../http/Lookups.ts"
import { RateLimits } from "../../http/limit/RateLimits.ts"
import { Accounts } from "../Accounts.ts"
import { clearSessionCookie } from "../sessionCookie.ts"
import { ofOurOrigin } from "./originLevels.ts"

interface Asked {
  readonly credential: Redacted.Redacted
  readonly endpoint: HttpApiEndpoint.Top
}

/**
 * Valid credentials remembered at once, by their hashes; an evicted one takes a token
 * of its address's bucket again.
 */
const SEEN_MAX = 100_000

const nameOf = (credential: string) => hash("sha256", credential, "base64url")

/** Requests with the same unknown credential share one look-up, so that a fleet that reconnects takes one token. */
const makeAsking = () => {
  const asked = new Map<string, Deferred.Deferred<void>>()
  return {
    other: (name: string) => asked.get(name),
    first: <A, E, R>(name: string, asks: Effect.Effect<A, E, R>) => {
      const begin = Effect.sync(() => {
        const answered = Deferred.makeUnsafe<void>()
        asked.set(name, answered)
        return answered
      })
      const end = (answered: Deferred.Deferred<void>) =>
        Effect.suspend(() => {
          asked.delete(name)
          return Deferred.succeed(answered, undefined)
        })
      return Effect.acquireUseRelease(begin, () => asks, end)
    }
  }
}

export const makeAuthenticate = Effect.gen(function* () {
  const accounts = yield* Accounts
  const limits = yield* RateLimits
  const lookups = yield* Lookups
  const seen = new CappedMap<string, true>(SEEN_MAX)
  const asking = makeAsking()

  const takePublic = Effect.flatMap(clientAddress, (address) => limits.take("public", address))

  /** The holder of a credential; an unknown credential takes a public token of its address. */
  const holder = <Holder>(credential: string, find: (credential: string) => Effect.Effect<Option.Option<Holder>>) =>
    Effect.gen(function* () {
      const name = nameOf(credential)
      const other = seen.has(name) ? undefined : asking.other(name)
      if (other !== undefined) yield* Deferred.await(other)
      const known = seen.has(name)
      const finding = Effect.tap(find(credential), (found) =>
        Effect.sync(() => {
          if (Option.isNone(found)) seen.delete(name)
          else if (!known) seen.set(name, true)
        })
      )
      if (known) return yield* finding
      const paying = Effect.andThen(takePublic, finding)
      return yield* asking.other(name) === undefined ? asking.first(name, paying) : paying
    })

  const takeOwn = ({ annotations }: HttpApiEndpoint.Top, caller: string) => limits.take(Context.get(annotations, Rate), caller)

  /** Authentication, origin, and the account's bucket of the route's class. */
  const session = Effect.fnUntraced(function* ({ credential, endpoint }: Asked) {
    const token = Redacted.value(credential)
    if (token === "") return yield* new A.Unauthenticated({ detail: "This needs a session." })
    const found = yield* holder(token, accounts.bySession)
    if (Option.isNone(found)) {
      yield* clearSessionCookie
      return yield* new A.Unauthenticated({ detail: "The session has ended." })
    }
    yield* ofOurOrigin
    yield* takeOwn(endpoint, found.value.id)
    return found.value
  })

  /**
   * The account, or undefined: a bad cookie counts as none, and an anonymous caller only
   * takes from its address's bucket.
   */
  const visitor = Effect.fnUntraced(function* ({ credential, endpoint }: Asked) {
    const token = Redacted.value(credential)
    if (token === "") return void (yield* takePublic)
    const found = yield* holder(token, accounts.bySession)
    if (Option.isSome(found)) yield* takeOwn(endpoint, found.value.id)
    return Option.getOrUndefined(found)
  })

  const runnerKey = Effect.fnUntraced(function* ({ credential, endpoint }: Asked) {
    const secret = Redacted.value(credential)
    const found = secret === "" ? Option.none() : yield* holder(secret, lookups.runnerByKey)
    if (Option.isNone(found)) return yield* new A.Unauthenticated({ detail: "This needs a runner key that is in force." })
    yield* takeOwn(endpoint, found.value.id)
    return found.value
  })

  return { session, visitor, runnerKey }
})

export type Authenticate = Effect.Success<typeof makeAuthenticate>
