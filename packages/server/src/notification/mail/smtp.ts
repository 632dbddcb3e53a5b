/** One conversation with the mail server: connect, TLS, sign in, hand over one message or none, and part. */
import { Effect, Redacted } from "effect"
import type { SMTPError } from "nodemailer/lib/smtp-connection"
import type { Relay } from "../../config/Mail.ts"

const CONNECT_TIMEOUT_MS = 20_000
const SILENCE_MAX_MS = 100_000

interface Letter {
  readonly from: string
  readonly to: string
  readonly message: Buffer
}

/**
 * How a conversation ended. `refused`: this address for good, so that another attempt would be one too many. `failed`:
 * the server, the way to it, our settings or this message, which may work later; `ofAddress` where it
 * was what the server said of the address. `why` is the server's status, or a word where there was none.
 */
export interface Ended {
  readonly state: "accepted" | "refused" | "failed"
  readonly why: string
  readonly ofAddress?: boolean
}

const ACCEPTED: Ended = { state: "accepted", why: "250" }
/** The step that is about the address. After the others a server says that a quota is used up, or that it does not like the sender. */
const ABOUT_THE_ADDRESS = /^RCPT TO/
/** "Mailbox unavailable", "user not local" and "mailbox name not allowed". */
const NO_MAILBOX: ReadonlySet<number> = new Set([550, 551, 553])
/** Statuses of RFC 3463 that a reply may have. Those of an address that is none: everybody's letter to it would be refused. */
const STATUS = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/
const BAD_ADDRESS: ReadonlySet<string> = new Set(["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"])
/** Words of replies without a status that speak of us, not of the address. */
const ABOUT_US = /relay|sender|from|authent|limit|quota|polic|spam|block/i

const isBadAddress = (responseCode: number, response: string): boolean => {
  const status = STATUS.exec(response)?.[1]
  return status === undefined ? NO_MAILBOX.has(responseCode) && !ABOUT_US.test(response) : BAD_ADDRESS.has(status)
}

/** Node's words for a certificate that is not trusted, and for what is no TLS. */
const ABOUT_TLS = /CERT|SIGNATURE|SIGNED|SSL/

const endOf = ({ code, command, originalCode, response, responseCode }: SMTPError): Ended => {
  if (code === "ETLS" || ABOUT_TLS.test(originalCode ?? "")) return { state: "failed", why: "bad_tls" }
  if (responseCode === undefined) return { state: "failed", why: code === "ETIMEDOUT" ? "timeout" : "unreachable" }
  const ofAddress = ABOUT_THE_ADDRESS.test(command ?? "") && !ABOUT_US.test(response ?? "")
  const isRefused = ABOUT_THE_ADDRESS.test(command ?? "") && isBadAddress(responseCode, response ?? "")
  return { state: isRefused ? "refused" : "failed", why: String(responseCode), ofAddress }
}

const optionsOf = ({ clear_text, host, implicit_tls, port }: Relay) => ({
  host,
  port,
  secure: implicit_tls,
  requireTLS: !implicit_tls && !clear_text,
  ignoreTLS: clear_text,
  connectionTimeout: CONNECT_TIMEOUT_MS,
  greetingTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SILENCE_MAX_MS
})

/** The connection is closed when this ends, also where it is interrupted. */
const spoken = (relay: Relay, letter: Letter | undefined): Effect.Effect<Ended> => Effect.flatMap(library, conversation(relay, letter))

/** It is loaded by the first mail, since few services send any. */
const library = Effect.promise(() => import("nodemailer/lib/smtp-connection"))

const conversation =
  (relay: Relay, letter: Letter | undefined) =>
  ({ default: SMTPConnection }: Effect.Success<typeof library>) =>
    Effect.callback<Ended>((resume) => {
      const connection = new SMTPConnection(optionsOf(relay))
      const end = (error: SMTPError | null | undefined) => {
        if (!error) connection.quit()
        connection.close()
        resume(Effect.succeed(error ? endOf(error) : ACCEPTED))
      }
      const hand = (error?: SMTPError | null) => {
        if (error || letter === undefined) return end(error)
        connection.send({ from: letter.from, to: [letter.to], size: letter.message.length }, letter.message, end)
      }
      connection.on("error", end)
      connection.connect(() => {
        if (relay.auth === undefined) return hand()
        connection.login({ credentials: { user: relay.auth.user, pass: Redacted.value(relay.auth.password) } }, hand)
      })
      return Effect.sync(() => connection.close())
    })

export const sendOnce = (relay: Relay, letter: Letter): Effect.Effect<Ended> => spoken(relay, letter)

/** Whether the server answers, shows a certificate that is trusted, and lets us in. */
export const greeted = (relay: Relay): Effect.Effect<Ended> => spoken(relay, undefined)
