import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect } from "effect"
import { ladderTag, modelTag, seasonTag, unseenTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { Accounts, profileTag } from "./Accounts.ts"
import { clearSessionCookie } from "./sessionCookie.ts"
import { Providers } from "./signin/Providers.ts"
import { makeSignInHandlers } from "./signin/signInHandlers.ts"

export const AccountHandlers = group(
  Api,
  "account",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const providers = yield* Providers
    const signIn = yield* makeSignInHandlers
    const list = providers.list.map(({ label, slug }) => ({ slug, label }))
    return handlers.handleAll({
      authProviders: () => Effect.as(tagged("auth-providers"), list),
      signIn: ({ params, query, request }) => signIn.begin(params.provider, query.return_to, request),
      signInCallback: ({ params, request }) => signIn.complete(params.provider, request),
      me: () => Effect.flatMap(CurrentAccount, ({ id }) => accounts.get(id)),
      editMe: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => accounts.edit(account, payload)),
      sessions: ({ query }) => Effect.flatMap(CurrentAccount, (account) => accounts.sessions(account, query)),
      revokeSession: Effect.fnUntraced(function* ({ params }) {
        const account = yield* CurrentAccount
        const ended = yield* accounts.endSession(account, params.sid)
        if (ended.current) yield* clearSessionCookie
        return ended
      }),
      profile: Effect.fnUntraced(function* ({ params }) {
        const { ladders, profile } = yield* accounts.profile(params.username)
        const standing = ladders.flatMap(({ ladder, season_id }) => [seasonTag(season_id), ladderTag(season_id, ladder)])
        yield* tagged(profileTag(profile.username), unseenTag, ...profile.models.map(({ id }) => modelTag(id)), ...standing)
        return profile
      }),
      signOut: Effect.fnUntraced(function* () {
        const account = yield* CurrentAccount
        yield* Effect.ignore(accounts.endSession(account, account.session_id)) // it may have ended meanwhile
        yield* clearSessionCookie
      })
    })
  })
)
