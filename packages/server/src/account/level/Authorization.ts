/**
 * The levels of `@agon/api/Authorization.ts`. Each runs its checks in the order of
 * docs/contract.md#order-of-checks; all of them run before HttpApi decodes params, query or body.
 */

import * as A from "@agon/api/Authorization.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Context, Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import { CurrentCallerClass } from "../../database/CallerClass.ts"
import { clientAddress } from "../../http/ClientAddress.ts"
import { Lookups } from "../../http/Lookups.ts"
import { Caller, CurrentCaller } from "../../process/Caller.ts"
import { makeAuthenticate } from "./authenticate.ts"
import { makeRunnerLevel, makeUntilSuspended } from "./endingLevels.ts"
import { makeCommunityLevels, makeNamedAccount, makeNamedWebhook } from "./namedLevels.ts"
import { ownOrigin, sameOrigin } from "./originLevels.ts"
import { makeSeasonLevels } from "./seasonLevels.ts"

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
