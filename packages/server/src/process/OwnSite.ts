/**
 * The site that the service starts beside itself (AGON_SITE=own): a process of its own, which takes a free
 * loopback port and tells it over a channel that nobody else has, so that no visitor's session is ever sent
 * to another program on that port. It is started again when it ends, and ends with the service, even if the
 * service is killed, since it runs only while its standard input is open.
 *
 *   started ──▶ tells its port ──▶ answers a probe every few seconds ──▶ ends, or is killed for its silence ──▶ a wait ──▶ started
 *        └──────── tells none in time: killed ──────────────────────────────────────────────────────────────────▶
 */
import { get } from "node:http"
import { join } from "node:path"
import { Context, Deferred, type Duration, Effect, Layer } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import { childProcess } from "./ChildProcess.ts"
import { restarts } from "./restarts.ts"

/** Started, never imported: the site is a separate program. */
const PROGRAM = join(import.meta.dirname, "..", "..", "..", "site", "src", "main.ts")
const HOST = "127.0.0.1"
/** In the memory of the site, so that an answer says that it runs, whatever becomes of its reads. */
const PROBED = "/robots.txt"
/** Visitors get a page with 503 meanwhile. */
const waits = restarts("500 millis", "10 seconds")

/** Where the site that runs now listens; undefined while none does. */
export interface Listening {
  port: number | undefined
}

/** When a site that lives is taken for one that hangs. */
export interface Patience {
  /** Until it tells its port: the first start on other sources builds its scripts, for a minute at most. */
  readonly start: Duration.Input
  readonly every: Duration.Input
  readonly answer: Duration.Input
  /** Probes in a row without an answer. */
  readonly misses_max: number
}

const PATIENCE: Patience = { start: "2 minutes", every: "5 seconds", answer: "5 seconds", misses_max: 3 }

interface Over {
  /** The arguments of node. */
  readonly program?: ReadonlyArray<string>
  readonly patience?: Patience
}

export class OwnSite extends Context.Service<OwnSite, { readonly pid: () => number | undefined }>()("agon/OwnSite") {
  /** `listening` is kept up to date. */
  static readonly layer = (
    settings: Pick<SettingsShape, "host" | "port" | "site"> & Partial<Pick<SettingsShape, "public_origin" | "s3">>,
    listening: Listening,
    { patience = PATIENCE, program = [PROGRAM] }: Over = {}
  ) =>
    Layer.effect(
      OwnSite,
      Effect.gen(function* () {
        let pid: number | undefined
        const environment = environmentOf(settings)
        const life = Effect.suspend(() => {
          const told = Deferred.makeUnsafe<number>()
          const process = childProcess(
            program,
            environment,
            (now) => {
              pid = now
              listening.port = undefined
            },
            (message) => {
              listening.port = portOf(message)
              if (listening.port !== undefined) Deferred.doneUnsafe(told, Effect.succeed(listening.port))
            }
          )
          const killed = Effect.flatMap(silence(Deferred.await(told), patience), (why) => kill(pid, why))
          return Effect.raceFirst(process, Effect.andThen(killed, Effect.never))
        })
        const lives = life.pipe(
          Effect.flatMap((status) =>
            Effect.annotateLogs(Effect.logWarning("the site beside the service ended; it is started again"), { status })
          ),
          Effect.catchCause((cause) => Effect.logError("the site beside the service cannot be run; it is tried again", cause)),
          Effect.repeat(waits)
        )
        if (settings.site === "own") yield* Effect.forkScoped(lives)
        return OwnSite.of({ pid: () => pid })
      })
    )
}

const environmentOf = (
  settings: Pick<SettingsShape, "host" | "port"> & Partial<Pick<SettingsShape, "public_origin" | "s3">>
): Readonly<Record<string, string>> => ({
  AGON_URL: urlOf(settings),
  AGON_SITE_HOST: HOST,
  AGON_SITE_PORT: "0",
  AGON_SITE_TIED: "1",
  ...(settings.public_origin === undefined ? {} : { PUBLIC_ORIGIN: settings.public_origin }),
  ...(settings.s3 === undefined ? {} : { AGON_SITE_OBJECTS: settings.s3.endpoint })
})

/** Ends when the site hangs, with the sentence that says how. */
const silence = Effect.fnUntraced(function* (told: Effect.Effect<number>, { answer, every, misses_max, start }: Patience) {
  const port = yield* Effect.timeoutOrElse(told, { duration: start, orElse: () => Effect.succeed(undefined) })
  if (port === undefined) return "does not say where it listens"
  const answers = Effect.tryPromise((signal) => answered(port, signal)).pipe(
    Effect.timeout(answer),
    Effect.as(true),
    Effect.catch(() => Effect.succeed(false))
  )
  for (let misses = 0; misses < misses_max; ) {
    yield* Effect.sleep(every)
    misses = (yield* answers) ? 0 : misses + 1
  }
  return "does not answer"
})

/** Straight, whatever proxy the environment has Node use (NODE_USE_ENV_PROXY): an agent of its own knows of none. */
const answered = (port: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const request = get({ host: HOST, port, path: PROBED, agent: false, signal }, (response) => {
      response.on("end", resolve).on("error", reject).resume()
    })
    request.on("error", reject)
  })

/** It holds nothing that it would have to bring to an end, and a process that hangs may not hear a gentler signal. */
const kill = (pid: number | undefined, why: string) =>
  Effect.andThen(
    Effect.logWarning(`the site beside the service ${why}; it is killed`),
    Effect.sync(() => {
      if (pid !== undefined) process.kill(pid, "SIGKILL")
    })
  )

const portOf = (message: unknown): number | undefined =>
  typeof message === "object" && message !== null && "port" in message && typeof message.port === "number" ? message.port : undefined

/** The service as a program on this machine reaches it. */
export const urlOf = ({ host, port }: Pick<SettingsShape, "host" | "port">): string => {
  const reached = host === "0.0.0.0" || host === "::" ? HOST : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}
