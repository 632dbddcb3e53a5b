/**
 * The platform administrator whom AGON_ADMIN names by provider and login. People change and give up their logins, and others
 * register them. So a login makes one person an administrator: the subject that signed in with it first. That subject is made one
 * again at each sign-in with the login; another one is not, and a line of the log says so.
 */
import { DateTime, Effect, Option } from "effect"
import { nowhere, ownAudit } from "../../audit/auditLog.ts"
import { makeQueries as makeAuditQueries } from "../../audit/queries.ts"
import type { Identity } from "./identity.ts"
import type { makeQueries } from "./signInQueries.ts"

export interface AdminLogin {
  readonly provider: string
  readonly login: string
}

const names = (admin: AdminLogin | undefined, { login, provider }: Identity) =>
  admin !== undefined && admin.provider === provider && admin.login.toLowerCase() === login.toLowerCase()

/** In the transaction of the sign-in, which has locked the account. The audit log says it as of any other administrator who is made. */
export const makeAppoint = Effect.fnUntraced(function* (admin: AdminLogin | undefined, queries: Effect.Success<typeof makeQueries>) {
  const audit = yield* makeAuditQueries
  const appoint = Effect.fnUntraced(function* (account_id: string) {
    const made = yield* queries.makeAdmin(account_id)
    if (Option.isNone(made)) return
    yield* audit.insert(nowhere, yield* ownAudit("user.edit", made.value.username, { admin: true }), yield* DateTime.nowAsDate)
  })
  return Effect.fnUntraced(function* (identity: Identity, account_id: string) {
    if (!names(admin, identity)) return
    const { login, provider, subject } = identity
    const { subject: first } = yield* queries.claimAdminLogin({ provider, login, subject })
    if (first === subject) return yield* appoint(account_id)
    yield* Effect.logWarning(
      `AGON_ADMIN made nobody an administrator: ${provider}:${login} is somebody else at the provider than before (now subject ${subject}, ` +
        `account ${account_id}; then ${first}). If you know them, make the account an administrator as another one, or name another login in AGON_ADMIN`
    )
  })
})
