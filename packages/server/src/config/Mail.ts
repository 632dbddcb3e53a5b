/** How this service sends mails (SMTP_URL, MAIL_FROM); undefined where it sends none. */
import { Context, type Redacted } from "effect"

export interface Relay {
  readonly host: string
  readonly port: number
  /** `smtps:` speaks TLS from the first byte, `smtp:` by STARTTLS. */
  readonly implicit_tls: boolean
  /**
   * A mail server on this machine that wants no password is spoken to in clear text;
   * every other one must offer TLS.
   */
  readonly clear_text: boolean
  readonly auth: { readonly user: string; readonly password: Redacted.Redacted } | undefined
}

export interface MailSettings {
  readonly relay: Relay
  readonly from: { readonly name: string; readonly address: string }
}

export class Mail extends Context.Reference<MailSettings | undefined>("agon/Mail", { defaultValue: () => undefined }) {}
