/**
 * The levels of `@agon/api/Authorization.ts`. Each runs its checks in the order of
 * docs/contract.md#order-of-checks; all of them run before HttpApi decodes params, query or body.
 *
 * A credential that this node does not remember as valid takes a token of its address's public bucket
 * before it is looked up, so guessing is limited like any other public traffic and spares the database.
 */

import { hash } from "node:crypto"
import * as A from "@agon/api/Authorization.ts"
import { Rate } from "@agon/api/Boundary.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Context, Deferred, Effect, Layer, Option, Redacted } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import { PublicOrigin } from "../config/publicOrigin.ts"
import { CurrentCallerClass } from "../database/CallerClass.ts"
import { clientAddress } from "../http/ClientAddress.ts"
import { type InCommunity, Lookups, type NameInSeason } from "../http/Lookups.ts"
import { refusesOrigin } from "../http/Origin.ts"
import { RateLimits } from "../http/RateLimits.ts"
import { Caller, CurrentCaller } from "../process/Caller.ts"
import { CappedMap } from "../process/CappedMap.ts"
import { Accounts } from "./Accounts.ts"
import { Ongoing } from "./Ongoing.ts"
import { clearSessionCookie } from "./sessionCookie.ts"

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
    first: <A, E, R>(name: string, asks: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const answered = Deferred.makeUnsafe<void>()
        asked.set(name, answered)
        const end = Effect.suspend(() => {
          asked.delete(name)
          return Deferred.succeed(answered, undefined)
        })
        return Effect.onExit(asks, () => end)
      })
  }
}

const ofOurOrigin = Effect.gen(function* () {
  if (refusesOrigin(yield* HttpServerRequest.HttpServerRequest, yield* PublicOrigin)) {
    return yield* new A.CrossOrigin({ detail: "A page of another origin may not do this." })
  }
})

/** A request without a cookie is anonymous, so its origin does not matter. */
const sameOrigin: A.SameOrigin["Service"] = Effect.fnUntraced(function* (httpEffect) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  if (headers["cookie"] !== undefined) yield* ofOurOrigin
  return yield* httpEffect
})

const ownOrigin: A.OwnOrigin["Service"] = (httpEffect) => Effect.andThen(ofOurOrigin, httpEffect)

const makeAuthenticate = Effect.gen(function* () {
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

type Authenticate = Effect.Success<typeof makeAuthenticate>

/**
 * A level as its middleware runs it: given the rest of the request and what was asked. Its
 * types differ from level to level.
 */
type Guard = (httpEffect: any, asked: any) => Effect.Effect<any, any, any>

/**
 * A guard whose requests end with the account or the runner key that they are made under, those that wait for
 * work as well. The moment is taken before the guard looks the credential up.
 */
const makeEndingWith = Effect.map(
  Ongoing,
  (ongoing) =>
    (
      holder: Effect.Effect<{ readonly id: string }, never, any>,
      refused: Effect.Effect<never, A.Unauthenticated, any>,
      guard: Guard
    ): Guard =>
    (httpEffect, asked) => {
      const moment = ongoing.moment()
      const request = Effect.flatMap(holder, ({ id }) => ongoing.inNameOf(id, moment, httpEffect as ReturnType<Guard>))
      return guard(
        Effect.catchTag(request, "Ended", () => refused),
        asked
      )
    }
)

/** A level whose writes are interrupted when the account is suspended; reads run on. */
const makeUntilSuspended = Effect.map(makeEndingWith, (endingWith) => <Level extends { readonly session: Guard }>({ session }: Level) => {
  const writing = endingWith(A.CurrentAccount, suspended, session)
  return {
    session: ((httpEffect, asked) => (asked.endpoint.method === "GET" ? session : writing)(httpEffect, asked)) as Level["session"]
  }
})

/** A runner's key, with which every request under it ends. */
const makeRunnerLevel = (authenticate: Authenticate) =>
  Effect.map(makeEndingWith, (endingWith): A.RunnerKey["Service"] => {
    const key: A.RunnerKey["Service"]["key"] = (httpEffect, asked) =>
      Effect.flatMap(authenticate.runnerKey(asked), (found) => Effect.provideService(httpEffect, A.CurrentKey, found))
    return { key: endingWith(A.CurrentKey, revoked, key) as typeof key }
  })

const revoked = Effect.fail(new A.Unauthenticated({ detail: "The runner key was revoked meanwhile." }))

const suspended = Effect.andThen(clearSessionCookie, Effect.fail(new A.Unauthenticated({ detail: "The account was suspended meanwhile." })))

/** By the parameters of a path; an `:id` is that of a version, a match or a webhook, as the path says before it. */
const nameInSeason = (path: string, { baseline, id, map_id, n = "" }: Readonly<Record<string, string | undefined>>): NameInSeason => {
  if (map_id !== undefined) return { map_id }
  if (baseline !== undefined) return { baseline }
  if (id === undefined) return { n }
  if (path.includes("/webhooks/:id")) return { webhook: id }
  return path.includes("/matches/:id") ? { match: id } : { version: id }
}

const WHAT = { map_id: "board", baseline: "baseline", n: "round", match: "match", version: "version" } as const

/** `match 0198…`, `board open-7` */
const wordsOf = (name: NameInSeason): string => {
  const [[what, called] = ["n", ""]] = Object.entries(name)
  return `${WHAT[what as keyof typeof WHAT]} ${called}`
}

/** The levels that look up a season by its path, and the thing in it that the path names. */
const makeSeasonLevels = Effect.fnUntraced(function* (authenticate: Authenticate) {
  const lookups = yield* Lookups

  const seasonAdmin: A.SeasonAdmin["Service"] = {
    session: Effect.fnUntraced(function* (httpEffect, asked) {
      const account = yield* authenticate.session(asked)
      const { game = "", slug = "" } = yield* HttpRouter.params // raw: decoding comes after the level
      const season = yield* lookups.seasonForAdmin(account, game, slug)
      if (!season.administers) return yield* new A.SeasonAdminOnly({ detail: `You do not administer ${slug}.` })
      const known = Context.make(A.CurrentAccount, account).pipe(
        Context.add(A.CurrentSeason, season),
        Context.add(CurrentCallerClass, "service")
      )
      return yield* Effect.provide(httpEffect, known)
    })
  }

  const namedGame: A.NamedGame["Service"] = Effect.fnUntraced(function* (httpEffect) {
    const { game = "" } = yield* HttpRouter.params
    yield* lookups.game(game)
    return yield* httpEffect
  })

  const namedSeason: A.NamedSeason["Service"] = Effect.fnUntraced(function* (httpEffect) {
    const { game = "", slug = "" } = yield* HttpRouter.params
    const season = yield* lookups.seasonForAdmin(yield* A.CurrentAccount, game, slug)
    return yield* Effect.provideService(httpEffect, A.CurrentSeason, season)
  })

  const inSeason: A.InSeason["Service"] = Effect.fnUntraced(function* (httpEffect, { endpoint }) {
    const name = nameInSeason(endpoint.path, yield* HttpRouter.params)
    const { id, slug } = yield* A.CurrentSeason
    if (yield* lookups.inSeason(id, name)) return yield* httpEffect
    return yield* new NotFound({ detail: `Season ${slug} has no ${wordsOf(name)}.` })
  })

  const untilSuspended = yield* makeUntilSuspended
  return Context.make(A.SeasonAdmin, untilSuspended(seasonAdmin)).pipe(
    Context.add(A.NamedGame, namedGame),
    Context.add(A.NamedSeason, namedSeason),
    Context.add(A.InSeason, inSeason)
  )
})

/** The community's thing that a path names; runs inside the level that authenticates the caller. */
const makeCommunityLevels = Effect.gen(function* () {
  const lookups = yield* Lookups

  const there = (kind: InCommunity, what: string, key: "id" | "slug" | "model" = "id"): A.NamedComment["Service"] =>
    Effect.fnUntraced(function* (httpEffect) {
      const { [key]: id = "" } = yield* HttpRouter.params
      const account = yield* A.CurrentAccount
      if (yield* lookups.inCommunity(account.id, kind, id)) return yield* httpEffect
      return yield* new NotFound({ detail: `There is no such ${what}.` })
    })

  return Context.make(A.NamedComment, there("comment", "comment")).pipe(
    Context.add(A.StandingComment, there("standing", "comment")),
    Context.add(A.NamedThread, there("thread", "thread")),
    Context.add(A.NamedAnnouncement, there("announcement", "announcement")),
    Context.add(A.NamedPost, there("post", "post", "slug")),
    Context.add(A.NamedStory, there("story", "story", "model"))
  )
})

/** The account that a path names; runs inside the level that authenticates the caller. */
const makeNamedAccount = Effect.map(Lookups, (lookups): A.NamedAccount["Service"] =>
  Effect.fnUntraced(function* (httpEffect) {
    const { username = "" } = yield* HttpRouter.params
    if (yield* lookups.account(username)) return yield* httpEffect
    return yield* new NotFound({ detail: "There is no account of this name." })
  })
)

/** The account's webhook that a path names; runs inside the level that authenticates the caller. */
const makeNamedWebhook = Effect.map(Lookups, (lookups): A.NamedWebhook["Service"] =>
  Effect.fnUntraced(function* (httpEffect) {
    const { id = "" } = yield* HttpRouter.params
    if (yield* lookups.webhookOwnedBy((yield* A.CurrentAccount).id, id)) return yield* httpEffect
    return yield* new NotFound({ detail: "You have no such webhook." })
  })
)

/** The caller for routes that allow anonymous callers too. */
const asVisitor = (account: A.SignedIn | undefined, address: string) =>
  Context.make(A.Visitor, account).pipe(
    Context.add(CurrentCallerClass, account === undefined ? "anonymous" : "session"),
    Context.add(CurrentCaller, new Caller(account?.id ?? address))
  )

const asAccount = (account: A.SignedIn) => Context.make(A.CurrentAccount, account).pipe(Context.add(CurrentCaller, new Caller(account.id)))

const makeLevels = Effect.gen(function* () {
  const authenticate = yield* makeAuthenticate
  const lookups = yield* Lookups

  const session: A.Session["Service"] = {
    session: (httpEffect, asked) => Effect.flatMap(authenticate.session(asked), (account) => Effect.provide(httpEffect, asAccount(account)))
  }

  const optionalSession: A.OptionalSession["Service"] = {
    session: Effect.fnUntraced(function* (httpEffect, asked) {
      const account = yield* authenticate.visitor(asked)
      return yield* Effect.provide(httpEffect, asVisitor(account, yield* clientAddress))
    })
  }

  const platformAdmin: A.PlatformAdmin["Service"] = {
    session: Effect.fnUntraced(function* (httpEffect, asked) {
      const account = yield* authenticate.session(asked)
      if (!account.admin) return yield* new A.AdminOnly({ detail: "Only platform administrators may do this." })
      return yield* Effect.provide(httpEffect, Context.make(A.CurrentAccount, account).pipe(Context.add(CurrentCallerClass, "service")))
    })
  }

  const modelOwner: A.ModelOwner["Service"] = {
    session: Effect.fnUntraced(function* (httpEffect, asked) {
      const account = yield* authenticate.session(asked)
      const { id = "" } = yield* HttpRouter.params
      const model = yield* lookups.modelOwnedBy(account.id, id)
      if (Option.isNone(model)) return yield* new NotFound({ detail: "You have no model of this id." })
      return yield* Effect.provide(httpEffect, asAccount(account).pipe(Context.add(A.OwnModel, model.value)))
    })
  }

  const versionOwner: A.VersionOwner["Service"] = {
    session: Effect.fnUntraced(function* (httpEffect, asked) {
      const account = yield* authenticate.session(asked)
      const { id = "" } = yield* HttpRouter.params
      const version = yield* lookups.versionOwnedBy(account.id, id)
      if (Option.isNone(version)) return yield* new NotFound({ detail: "You have no version of this id." })
      return yield* Effect.provide(httpEffect, asAccount(account).pipe(Context.add(A.OwnVersion, version.value)))
    })
  }

  const matchOwner: A.MatchOwner["Service"] = {
    session: Effect.fnUntraced(function* (httpEffect, asked) {
      const account = yield* authenticate.session(asked)
      const { id = "" } = yield* HttpRouter.params
      if (yield* lookups.matchOwnedBy(account.id, id)) return yield* Effect.provide(httpEffect, asAccount(account))
      return yield* new NotFound({ detail: "You have no match of this id." })
    })
  }

  const untilSuspended = yield* makeUntilSuspended
  return Context.make(A.Session, untilSuspended(session)).pipe(
    Context.add(A.OptionalSession, optionalSession),
    Context.add(A.SameOrigin, sameOrigin),
    Context.add(A.OwnOrigin, ownOrigin),
    Context.add(A.PlatformAdmin, untilSuspended(platformAdmin)),
    Context.add(A.ModelOwner, untilSuspended(modelOwner)),
    Context.add(A.VersionOwner, untilSuspended(versionOwner)),
    Context.add(A.MatchOwner, matchOwner),
    Context.add(A.RunnerKey, yield* makeRunnerLevel(authenticate)),
    Context.add(A.NamedAccount, yield* makeNamedAccount),
    Context.add(A.NamedWebhook, yield* makeNamedWebhook),
    Context.merge(yield* makeSeasonLevels(authenticate)),
    Context.merge(yield* makeCommunityLevels)
  )
})

export const layer = Layer.effectContext(makeLevels)
