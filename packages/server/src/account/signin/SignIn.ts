/**
 * Signing in (docs/contract.md#accounts-and-sessions): from the button to the provider, back, and into an account.
 *
 * begin: store provider, state and return path in a signed cookie, and redirect the browser to the provider.
 * complete: the cookie must be ours, and is used up on every node even where the sign-in fails; the
 * provider's answer must match it. Then, in one transaction, the identity is found, linked to the account
 * that was signed in when it began, or made into a new account, and its session opened. Every failure ends at
 * `/?sign_in_error=<code>`, with nothing changed.
 */

import { UnknownProvider } from "@agon/api/account/api.ts"
import { nameFrom } from "@agon/api/Name.ts"
import { Context, Data, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { PublicOrigin } from "../../config/publicOrigin.ts"
import { newId } from "../../database/newId.ts"
import { SharedClock } from "../../database/SharedClock.ts"
import { Accounts, sha256 } from "../Accounts.ts"
import { checkAccount, shareLogins } from "../ownerQueries.ts"
import { Words } from "../Words.ts"
import { type AdminLogin, makeAppoint } from "./administrator.ts"
import { firstOf, type Identity } from "./identity.ts"
import { type ProviderFailed, Providers } from "./Providers.ts"
import { returnTo } from "./returnTo.ts"
import { makeSignInStates, STATE_LIFETIME_S } from "./SignInState.ts"
import { makeQueries } from "./signInQueries.ts"
import { usernameOf } from "./username.ts"

interface SignInConfig {
  /** Signs the state cookie. */
  readonly secret: string
  /** The login whose first holder becomes a platform administrator when they sign in (AGON_ADMIN). */
  readonly admin: AdminLogin | undefined
}

type SignInError = "invalid_state" | "access_denied" | "provider_failed" | "account_suspended" | "identity_taken" | "cross_origin"

export class SignInRefused extends Data.TaggedError("SignInRefused")<{ readonly code: SignInError }> {}

export interface Asked {
  readonly return_to: string | undefined
  readonly session_token: string
  /** Whether a page of another origin sent the browser here. */
  readonly from_elsewhere: boolean
}

export interface Begun {
  readonly location: string
  /** The state cookie's value. */
  readonly cookie: string
}

interface Completed {
  readonly return_to: string
  /** A new session's token; undefined where an identity was linked to the session that asked. */
  readonly token: string | undefined
}

interface Callback {
  readonly provider: string
  /** The address that the browser came back to. */
  readonly url: URL
  readonly state_cookie: string
  readonly session_token: string
  readonly user_agent: string | undefined
}

export class SignIn extends Context.Service<
  SignIn,
  {
    readonly begin: (provider: string, asked: Asked) => Effect.Effect<Begun, UnknownProvider | SignInRefused>
    readonly complete: (callback: Callback) => Effect.Effect<Completed, UnknownProvider | SignInRefused>
  }
>()("agon/SignIn") {
  static readonly layer = (config: SignInConfig): Layer.Layer<SignIn, never, Accounts | Providers | SqlClient.SqlClient> =>
    Layer.effect(SignIn, makeSignIn(config)).pipe(Layer.provide([SharedClock.layer, Words.layer]))
}

const DISPLAY_NAME_CHARACTERS_MAX = 64
/** A name or a login as everybody may read it: of an e-mail address, which is either at some providers, the part before the @. */
const shownOf = (text: string) => text.replace(/^([^\s@]+)@[^\s@]+$/, "$1")
const nameOf = (text: string) => nameFrom(firstOf(shownOf(text), DISPLAY_NAME_CHARACTERS_MAX))
/** The display name of somebody whose names all have a listed word. */
const NAMELESS = "user"
/**
 * Expired used states deleted at each use; more than one, so that in the end only those of
 * the last twenty minutes remain.
 */
const PRUNED_AT_ONCE = 20

const makeSignIn = Effect.fnUntraced(function* (config: SignInConfig) {
  const accounts = yield* Accounts
  const enter = yield* makeEnter(config)
  const providers = yield* Providers
  const queries = yield* makeQueries
  const shared = yield* SharedClock // the browser may come back to another node
  const states = makeSignInStates(config.secret)

  const providerOf = (slug: string) =>
    Effect.suspend(() => {
      const provider = providers.bySlug(slug)
      return provider === undefined
        ? Effect.fail(new UnknownProvider({ detail: `There is no sign-in through ${slug}.` }))
        : Effect.succeed(provider)
    })

  /** Reads the state in the browser's cookie and marks it as used; undefined where it is invalid or was used before. */
  const use = Effect.fnUntraced(function* ({ provider, state_cookie }: Callback) {
    const now_ms = yield* shared.now_ms
    const found = states.read(state_cookie, provider, now_ms)
    if (found === undefined) return undefined
    const { expires_ms, state } = found.state
    const forgotten_at = new Date(expires_ms + STATE_LIFETIME_S * 1000) // another node may have read the time a little later
    const first = yield* queries.useState({ state, expires_at: forgotten_at, now: new Date(now_ms), pruned: PRUNED_AT_ONCE })
    return Option.isSome(first) ? found : undefined
  }, Effect.orDie)

  const signedIn = (token: string) => (token === "" ? Effect.succeedNone : accounts.bySession(token))
  const redirectUri = (slug: string) => Effect.map(PublicOrigin, ({ origin }) => `${origin}/v1/auth/${slug}/callback`)

  const begin: SignIn["Service"]["begin"] = Effect.fn("SignIn.begin")(function* (slug, asked) {
    const provider = yield* providerOf(slug)
    const { origin } = yield* PublicOrigin
    const account = yield* signedIn(asked.session_token)
    // This would link an identity, and a page of another origin could have signed this browser
    // in at the provider as itself.
    if (Option.isSome(account) && asked.from_elsewhere) return yield* new SignInRefused({ code: "cross_origin" })
    const about = {
      provider: slug,
      return_to: returnTo(asked.return_to, origin),
      link_to: Option.isSome(account) ? account.value.id : null
    }
    const { checks, cookie } = states.begin(about, yield* shared.now_ms)
    const location = yield* provider.begin(yield* redirectUri(slug), checks).pipe(Effect.catch(refuseProvider))
    return { location: location.href, cookie }
  })

  const complete: SignIn["Service"]["complete"] = Effect.fn("SignIn.complete")(function* (callback) {
    const provider = yield* providerOf(callback.provider)
    const used = yield* use(callback)
    if (used === undefined) return yield* new SignInRefused({ code: "invalid_state" })
    if (callback.url.searchParams.get("state") !== used.checks.state) return yield* new SignInRefused({ code: "invalid_state" })
    const account = yield* signedIn(callback.session_token)
    const { link_to, return_to } = used.state
    if (link_to !== null && !(Option.isSome(account) && account.value.id === link_to)) {
      return yield* new SignInRefused({ code: "invalid_state" }) // the session that asked for the link is gone
    }
    const identity = yield* provider.complete(callback.url, used.checks).pipe(Effect.catch(refuseProvider))
    const token = yield* enter(identity, link_to, callback)
    if (token !== undefined) yield* accounts.sweepSessions
    return { return_to, token }
  })

  return { begin, complete }
})

const refuseProvider = ({ cause, code }: ProviderFailed) =>
  Effect.andThen(
    code === "access_denied" ? Effect.void : Effect.logWarning(`sign-in provider failed: ${explain(cause)}`),
    Effect.fail(new SignInRefused({ code }))
  )

/** Only the error's own message. The library's other fields may contain a provider's answer, tokens included. */
const explain = (error: unknown): string =>
  error instanceof Error ? [error.message, ...(error.cause instanceof Error ? [explain(error.cause)] : [])].join(": ") : "no reason given"

/**
 * Finds, links or makes the identity's account in one transaction, and opens a session unless it is linked. A
 * suspension waits for the account's lock and ends this session with the others. No shared answer shows an
 * account before it has done something, so none is purged.
 */
const makeEnter = Effect.fnUntraced(function* (config: SignInConfig) {
  const accounts = yield* Accounts
  const queries = yield* makeQueries
  const sql = yield* SqlClient.SqlClient
  const words = yield* Words
  const appoint = yield* makeAppoint(config.admin, queries)

  /** The first of these without a listed word: nobody here has typed the provider's name, so a listed one refuses no sign-in. */
  const firstUnlisted = Effect.fnUntraced(function* (names: ReadonlyArray<string | undefined>) {
    for (const name of names) if (name !== undefined && (yield* words.listedIn(name)) === undefined) return name
    return NAMELESS
  })

  /** Tries again where somebody takes the name at the same moment. */
  const addAccount = Effect.fnUntraced(function* ({ login, name }: Identity, now: Date) {
    for (;;) {
      const { username } = yield* queries.freeUsername({ username: usernameOf(login) })
      const display_name = yield* firstUnlisted([...[name ?? "", login].map(nameOf), username])
      const added = yield* queries.addAccount({ id: yield* newId, username, display_name, now })
      if (Option.isSome(added)) return added.value.id
    }
  })

  /** Asking the provider took a while: the session that asked for the link may be gone since, or its account suspended. */
  const stillAsked = Effect.fnUntraced(function* (account_id: string, session_token: string, now: Date) {
    const held = yield* queries.holdAsking({ account_id, token_sha256: sha256(session_token), now })
    if (Option.isNone(held)) return yield* new SignInRefused({ code: "invalid_state" })
  })

  const enter = Effect.fnUntraced(function* (identity: Identity, link_to: string | null, { session_token, user_agent }: Callback) {
    const { email = null, login, provider, subject } = identity
    const now = yield* DateTime.nowAsDate
    yield* shareLogins(sql)
    yield* queries.lockIdentity(provider, subject)
    const holder = yield* queries.holderOf({ provider, subject })
    if (Option.isSome(holder)) {
      if (link_to !== null && holder.value.account_id !== link_to) return yield* new SignInRefused({ code: "identity_taken" })
      if (holder.value.suspended) return yield* new SignInRefused({ code: "account_suspended" })
    }
    if (link_to !== null) yield* stillAsked(link_to, session_token, now)
    const account_id = Option.isSome(holder) ? holder.value.account_id : (link_to ?? (yield* addAccount(identity, now)))
    yield* queries.putIdentity({ provider, subject, account_id, login, email, now })
    // Rosters name logins. An account that is new has no entries.
    const renamed = Option.isSome(holder) ? holder.value.login !== login : link_to !== null
    if (renamed) yield* checkAccount(sql, account_id)
    yield* appoint(identity, account_id)
    return link_to === null ? yield* accounts.openSession(account_id, user_agent) : undefined
  })

  return (...coming: Parameters<typeof enter>) =>
    sql.withTransaction(enter(...coming)).pipe(
      Effect.catchTags({
        NoSuchElementError: (error) => Effect.die(error),
        SqlError: (error) => Effect.die(error),
        SchemaError: (error) => Effect.die(error)
      })
    )
})
