/** The mail server answers, shows a certificate that is trusted, and lets the service in. No mail is sent. */
import { Effect } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import { greeted } from "../notification/mail/smtp.ts"
import { textOf } from "./addresses.ts"
import { about, type Finding } from "./Finding.ts"

const says = about("mail")
const ANSWER_TIMEOUT = "20 seconds"

const MEND: Readonly<Record<string, string>> = {
  unreachable: "start it or mend the address",
  timeout: "start it or mend the address",
  bad_tls: "it must offer STARTTLS (or TLS, with smtps:) with a certificate that Node or NODE_EXTRA_CA_CERTS trusts"
}

export const checkMail = ({ mail }: SettingsShape): Effect.Effect<ReadonlyArray<Finding>> => {
  if (mail === undefined) return Effect.succeed([])
  const { auth } = mail.relay
  const at = textOf(mail.relay)
  return greeted(mail.relay).pipe(
    Effect.timeoutOrElse({ duration: ANSWER_TIMEOUT, orElse: () => Effect.succeed({ state: "failed", why: "timeout" } as const) }),
    Effect.map(({ state, why }) =>
      state === "accepted"
        ? [says.fine(`SMTP_URL: ${at} answers${auth === undefined ? "" : ", and takes the user and the password"}`)]
        : [says.mend(`SMTP_URL: ${at} cannot be used (${why}), so nobody is mailed; ${MEND[why] ?? "mend the user and the password"}`)]
    )
  )
}
