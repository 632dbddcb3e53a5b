/**
 * The site that the service starts beside itself (AGON_SITE=own): a process of its own, which takes a free loopback port and tells it
 * over a channel that nobody else has, so that no visitor's session is ever sent to another program on that port. It is started again
 * when it ends, and ends with the service, even if the service is killed, since it runs only while its standard input is open.
 */
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import { childProcess } from "./ChildProcess.ts"
import { restarts } from "./restarts.ts"

/** Started, never imported: the site is a separate program. */
const PROGRAM = join(import.meta.dirname, "..", "..", "..", "site", "src", "main.ts")
const HOST = "127.0.0.1"
/** Visitors get a page with 503 meanwhile. */
const waits = restarts("500 millis", "10 seconds")

/** Where the site that runs now listens; undefined while none does. */
export interface Listening {
  port: number | undefined
}

export class OwnSite extends Context.Service<OwnSite, { readonly pid: () => number | undefined }>()("agon/OwnSite") {
  /** `listening` is kept up to date. */
  static readonly layer = (settings: Pick<SettingsShape, "host" | "port" | "site">, listening: Listening) =>
    Layer.effect(
      OwnSite,
      Effect.gen(function* () {
        let pid: number | undefined
        const life = childProcess(
          [PROGRAM],
          {
            AGON_URL: urlOf(settings),
            AGON_SITE_HOST: HOST,
            AGON_SITE_PORT: "0",
            AGON_SITE_TIED: "1"
          },
          (now) => {
            pid = now
            listening.port = undefined
          },
          (message) => {
            listening.port = portOf(message)
          }
        )
        const lives = Effect.repeat(
          Effect.andThen(life, Effect.logWarning("the site beside the service ended; it is started again")),
          waits
        )
        if (settings.site === "own") yield* Effect.forkScoped(lives)
        return OwnSite.of({ pid: () => pid })
      })
    )
}

const portOf = (message: unknown): number | undefined =>
  typeof message === "object" && message !== null && "port" in message && typeof message.port === "number" ? message.port : undefined

/** The service as a program on this machine reaches it. */
export const urlOf = ({ host, port }: Pick<SettingsShape, "host" | "port">): string => {
  const reached = host === "0.0.0.0" || host === "::" ? HOST : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}
