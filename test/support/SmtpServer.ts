/** A real mail server of Debian (scripts/apt-packages.txt) on loopback, which behaves as a test says. */
import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Relay } from "@agon/server/config/Mail.ts"
import { Effect, Redacted } from "effect"
import type { Pair } from "./Certificates.ts"
import { eventually } from "./eventually.ts"
import { PYTHON } from "./python.ts"

export const missingSmtpServer = (): string | undefined =>
  spawnSync(PYTHON, ["-c", "import aiosmtpd.smtp"]).status === 0 ? undefined : `no aiosmtpd for ${PYTHON}, see scripts/apt-packages.txt`

/**
 * `later`, `never`, `policy`, `full` and `relay` refuse the recipient, `sender` the message; `silent` and `dies` do
 * so when they have the message.
 */
export type Behaviour = "accept" | "later" | "never" | "policy" | "full" | "relay" | "sender" | "silent" | "dies"

export interface Received {
  readonly event: "mail"
  readonly sender: string
  readonly to: ReadonlyArray<string>
  readonly tls: boolean
  readonly user: string | null
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly text: string
  readonly html: string
}

type Event =
  | Received
  | { readonly event: "listens"; readonly port: number }
  | { readonly event: "rcpt" | "behaves"; readonly behaviour: Behaviour }

export interface SmtpServer {
  readonly relay: Relay
  readonly mails: () => ReadonlyArray<Received>
  readonly asked: () => number
  readonly behave: (behaviour: Behaviour) => Effect.Effect<void>
}

const USER = "agon"
const PASSWORD = "correct horse"

/** Runs for as long as the scope is open; with a certificate it wants STARTTLS and the password. */
export const smtpServer = Effect.fnUntraced(function* (tls?: Pair) {
  const args = tls === undefined ? ["", "", "", ""] : [tls.cert, tls.key, USER, PASSWORD]
  const events: Array<Event> = []
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(PYTHON, [join(import.meta.dirname, "smtp_server.py"), ...args], { stdio: ["pipe", "pipe", "inherit"] })),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null) return resume(Effect.void)
        child.on("exit", () => resume(Effect.void))
        child.stdin.end()
      })
  )
  createInterface({ input: child.stdout }).on("line", (line) => events.push(JSON.parse(line)))
  const seen = (what: string, holds: (event: Event) => boolean, before = 0) =>
    eventually(
      what,
      Effect.sync(() => events.slice(before).some(holds) || child.exitCode !== null)
    )
  yield* seen("the mail server listens", ({ event }) => event === "listens")
  const [first] = events
  const port = first?.event === "listens" ? first.port : 0
  const auth = tls === undefined ? undefined : { user: USER, password: Redacted.make(PASSWORD) }
  const server: SmtpServer = {
    relay: { host: "127.0.0.1", port, implicit_tls: false, clear_text: tls === undefined, auth },
    mails: () => events.filter((event): event is Received => event.event === "mail"),
    asked: () => events.filter(({ event }) => event === "rcpt").length,
    behave: (behaviour) =>
      Effect.suspend(() => {
        const before = events.length
        child.stdin.write(`${behaviour}\n`)
        return seen(`the mail server behaves: ${behaviour}`, (event) => event.event === "behaves" && event.behaviour === behaviour, before)
      })
  }
  return server
})
