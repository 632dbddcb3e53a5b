/**
 * Accounts and their sessions. A session is a token of 256 random bits; only its SHA-256 is stored, so
 * that a copy of the database lets nobody in. It lives for 30 days from the sign-in that opened it, or
 * until it is revoked; every request checks that in the database.
 */

import { hash, randomBytes } from "node:crypto"
import type { SignedIn } from "@agon/api/Authorization.ts"
import type { Account, AccountPatch, Profile, SessionRow, Sessions } from "@agon/api/account/api.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { seldomFailed } from "@agon/api/program/seldom.ts"
import type { NoteWordListed } from "@agon/api/version/refusals.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Cause, Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { newId } from "../database/newId.ts"
import { storableText } from "../database/storable.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { shown } from "../rating/shown.ts"
import { makeQueries, type StoredSession } from "./queries.ts"
import { SESSION_DAYS } from "./sessionCookie.ts"
import { refuseListed, Words } from "./Words.ts"

const session_ms = SESSION_DAYS * 24 * 60 * 60 * 1000
/** The precision of `last_seen_at`, which spares most requests a write. */
const SEEN_EVERY_MS = 60_000
const USER_AGENT_CHARACTERS_MAX = 300
/** Live sessions of one account, so that repeated sign-ins cannot fill the table. */
const SESSIONS_MAX = 100
/** Expired sessions deleted at each sign-in; more than one, so that those of abandoned accounts are deleted as well. */
const SWEPT_AT_ONCE = 20

interface ReadProfile {
  readonly profile: Profile
  readonly ladders: ReadonlyArray<{ readonly season_id: string; readonly ladder: string }>
}

export class Accounts extends Context.Service<
  Accounts,
  {
    /** The account of this session token, if the session is live and the account is not suspended. */
    readonly bySession: (token: string) => Effect.Effect<Option.Option<SignedIn>>
    readonly get: (id: string) => Effect.Effect<Account>
    /** The public page, and the seasons whose ladders it shows, for the tags of the answer. */
    readonly profile: (username: string) => Effect.Effect<ReadProfile, NotFound>
    readonly edit: (account: SignedIn, patch: AccountPatch) => Effect.Effect<Account, NoteWordListed>
    /**
     * Opens a session and answers its token, which is stored nowhere. Deletes the oldest
     * session where there are too many.
     */
    readonly openSession: (account_id: string, user_agent: string | undefined) => Effect.Effect<string>
    /** Deletes some expired sessions of any account; not for use inside a transaction. */
    readonly sweepSessions: Effect.Effect<void>
    readonly sessions: (account: SignedIn, page: PageOf) => Effect.Effect<Sessions>
    /** Ends a session of the account and answers its row. */
    readonly endSession: (account: SignedIn, session_id: string) => Effect.Effect<SessionRow, NotFound>
  }
>()("agon/Accounts") {
  static readonly layer: Layer.Layer<Accounts, never, SqlClient.SqlClient | ResponseCache | Words> = Layer.effect(
    Accounts,
    Effect.suspend(() => makeAccounts)
  )
}

/** The tag that a write about an account purges: its public page. */
export const profileTag = (username: string) => `profile:${username}`

export const sha256 = (text: string) => hash("sha256", text, "buffer")
export const later = (date: Date, ms: number) => new Date(date.getTime() + ms)

const makeSessions = Effect.gen(function* () {
  const queries = yield* makeQueries
  const untouched = seldomFailed("when a session was last seen was not noted")

  const bySession = Effect.fnUntraced(function* (token: string) {
    const at = yield* DateTime.nowAsDate
    const found = yield* queries.bySession({ token_sha256: sha256(token), now: at, seen_before: later(at, -SEEN_EVERY_MS) })
    if (Option.isNone(found)) return Option.none()
    const { stale, ...signedIn } = found.value
    // A database that takes no writes, or whose disk is full, is read on.
    if (stale)
      yield* Effect.catchTag(queries.touch({ id: signedIn.session_id, now: at }), "SqlError", (error) => untouched(Cause.fail(error)))
    return Option.some(signedIn)
  }, Effect.orDie)

  const openSession = Effect.fn("Accounts.openSession")(function* (account_id: string, user_agent: string | undefined) {
    const token = randomBytes(32).toString("base64url")
    const at = yield* DateTime.nowAsDate
    yield* queries.openSession({
      id: yield* newId,
      account_id,
      token_sha256: sha256(token),
      user_agent: user_agent === undefined ? null : storableText(user_agent, USER_AGENT_CHARACTERS_MAX),
      now: at,
      expires_at: later(at, session_ms),
      others: SESSIONS_MAX - 1
    })
    return token
  }, Effect.orDie)

  const sweepSessions = DateTime.nowAsDate.pipe(
    Effect.flatMap((at) => queries.sweepSessions(at, SWEPT_AT_ONCE)),
    Effect.orDie,
    Effect.asVoid
  )

  const sessions = Effect.fn("Accounts.sessions")(function* (account: SignedIn, { cursor, limit }: PageOf) {
    const of = { account_id: account.id, now: yield* DateTime.nowAsDate }
    const rows = yield* queries.sessions({ ...of, limit, offset: cursor })
    const total = rows[0]?.total ?? (yield* queries.sessionCount(of)).total
    return {
      sessions: rows.map(({ total: _, ...row }) => publish(row, account)),
      total,
      next_cursor: nextCursor(cursor, rows.length, total)
    }
  }, Effect.orDie)

  const endSession = Effect.fn("Accounts.endSession")(function* (account: SignedIn, session_id: string) {
    const ended = isUuid(session_id)
      ? yield* Effect.orDie(queries.endSession({ id: session_id, account_id: account.id, now: yield* DateTime.nowAsDate }))
      : Option.none()
    if (Option.isNone(ended)) return yield* new NotFound({ detail: "You have no session of this id." })
    return publish(ended.value, account)
  })

  return { bySession, openSession, sweepSessions, sessions, endSession }
})

const makeAccounts = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const words = yield* Words

  const get = (id: string) => Effect.orDie(queries.byId(id))

  const profile = Effect.fn("Accounts.profile")(function* (username: string) {
    const found = username.includes("\0") ? Option.none() : yield* Effect.orDie(queries.profile(username))
    if (Option.isNone(found)) return yield* new NotFound({ detail: "There is no competitor of this name." })
    const { id, ...row } = found.value
    const rows = yield* Effect.orDie(queries.standings(id))
    const standings = rows.map(({ mu, season_id: _, ...standing }) => ({ ...standing, rating: shown(mu) }))
    return { profile: { ...row, standings }, ladders: rows }
  })

  const edit = Effect.fn("Accounts.edit")(function* ({ id, username }: SignedIn, patch: AccountPatch) {
    const { bio = null, display_name = null }: { readonly bio?: string | null; readonly display_name?: string | null } = patch
    if (display_name !== null) yield* refuseListed(words, "display name", display_name)
    if (bio !== null) yield* refuseListed(words, "bio", bio)
    yield* Effect.orDie(queries.edit({ id, bio, display_name })).pipe(Effect.ensuring(cache.purge(profileTag(username))))
    return yield* get(id)
  })

  return { ...(yield* makeSessions), get, profile, edit }
})

const publish = (row: StoredSession, account: SignedIn): SessionRow => ({ ...row, current: row.id === account.session_id })
