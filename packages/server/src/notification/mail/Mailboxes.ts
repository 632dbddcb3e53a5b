/** Whether an account is mailed what it is told: by its settings, and by the link in a mail, which needs no session. */
import { randomBytes } from "node:crypto"
import { EmailUnavailable } from "@agon/api/notification/Notification.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Mail } from "../../config/Mail.ts"
import { newId } from "../../database/newId.ts"
import { makeQueries as makeWebhookQueries } from "../webhook/webhookQueries.ts"
import { makeQueries as makeMailQueries } from "./mailQueries.ts"
import { idOf, isSigned } from "./unsubscribing.ts"

const SECRET_BYTES = 32

export class Mailboxes extends Context.Service<
  Mailboxes,
  {
    /**
     * `email_address` is null where no mail can be sent: no provider has verified an
     * address, or the service sends none.
     */
    readonly of: (account_id: string) => Effect.Effect<{ readonly email: boolean; readonly email_address: string | null }>
    readonly change: (account_id: string, email: boolean) => Effect.Effect<void, EmailUnavailable>
    readonly unsubscribe: (token: string) => Effect.Effect<{ readonly unsubscribed: true }, NotFound>
  }
>()("agon/Mailboxes") {
  static readonly layer: Layer.Layer<Mailboxes, never, SqlClient.SqlClient> = Layer.effect(
    Mailboxes,
    Effect.suspend(() => makeMailboxes)
  )
}

const forged = new NotFound({ detail: "This link is not one of ours." })
const noAddress = new EmailUnavailable({
  detail: "Sign in with a provider that has verified your e-mail address; then it can be used."
})
const noMail = new EmailUnavailable({ detail: "This service sends no e-mail." })
const makeMailboxes = Effect.gen(function* () {
  const mail = yield* Mail
  const sql = yield* SqlClient.SqlClient
  const mails = yield* makeMailQueries
  const { hold } = yield* makeWebhookQueries

  const of = Effect.fn("Mailboxes.of")(function* (account_id: string) {
    if (mail === undefined) return { email: false, email_address: null }
    const { email, enabled } = yield* mails.mailbox(account_id)
    return { email: enabled, email_address: email }
  }, Effect.orDie)

  const enable = Effect.fnUntraced(function* (account_id: string) {
    const secret = randomBytes(SECRET_BYTES).toString("base64url")
    const row = { id: yield* newId, account_id, secret, now: yield* DateTime.nowAsDate }
    yield* sql.withTransaction(Effect.andThen(hold({ kind: "account", id: account_id }), mails.enableMail(row)))
  }, Effect.orDie)

  const disable = Effect.fnUntraced(function* (account_id: string) {
    yield* mails.disableMail({ account_id, now: yield* DateTime.nowAsDate })
  }, Effect.orDie)

  const change = Effect.fn("Mailboxes.change")(function* (account_id: string, email: boolean) {
    if (!email) return yield* disable(account_id)
    if (mail === undefined) return yield* noMail
    if ((yield* of(account_id)).email_address === null) return yield* noAddress
    yield* enable(account_id)
  })

  const unsubscribe = Effect.fn("Mailboxes.unsubscribe")(function* (token: string) {
    const id = idOf(token)
    if (id === undefined) return yield* forged
    const signer = yield* Effect.orDie(mails.signer(id))
    if (Option.isNone(signer) || !isSigned(token, id, signer.value.secret)) return yield* forged
    yield* disable(signer.value.account_id)
    return { unsubscribed: true as const }
  })

  return Mailboxes.of({ of, change, unsubscribe })
})
