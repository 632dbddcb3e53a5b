/**
 * The runner that the service starts beside itself (AGON_RUNNERS): a process of its own, like any other runner, with a
 * key of the platform's fleet.
 *
 *   the service starts ─▶ its key's leases go back ─────▶ the process runs ─▶ it ends ─▶ its leases go back ─────┐
 *                                                           ▲                                                     │
 *                                                           └───────── a wait, longer if it ended soon ◀──────────┘
 *
 * It ends with the service, even if the service is killed, since it runs only while its standard input is
 * open. So the leases that its key holds when the service starts have no holder, and need not wait to run
 * out. Where its key was revoked it is not started.
 *
 * When it is drained or flagged it finishes its work and its process ends; the next process opens another
 * session. Three flags in a day do not stop its key, since nobody else might play then. Each start with that
 * many is logged, so that an operator checks the machine. To replace a revoked key: stop the service, remove
 * `secrets/platform-runner` in AGON_DATA, and start it again.
 */

import { createHmac } from "node:crypto"
import { join } from "node:path"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { Secrets } from "../../config/Secrets.ts"
import type { SettingsShape } from "../../config/Settings.ts"
import type { Address } from "../../config/variables.ts"
import { childProcess } from "../../process/ChildProcess.ts"
import { urlOf } from "../../process/OwnSite.ts"
import { restarts } from "../../process/restarts.ts"
import { RunnerKeys } from "../key/RunnerKeys.ts"

/** Started, never imported: the runner is a separate program. */
const PROGRAM = join(import.meta.dirname, "../../../../runner/src/main.ts")
const NAME = "beside the service"
const REVOKED =
  "no runner is started beside the service: its key was revoked; a service that starts without secrets/platform-runner in AGON_DATA makes another"
/** A drained or flagged runner is back within 10 s, including the second or two that its process takes to start. */
const waits = restarts("1 second", "5 seconds")
/** How long to wait for seasons that are still waking; a lease not returned by then runs out. */
const RETURN_TIMEOUT = "5 seconds"

/** Time for what it plays when the service stops: less than its process has to end (process/ChildProcess.ts). */
export const OWN_FINISH_S = 6

interface Started {
  readonly url: string
  readonly key: Redacted.Redacted
  readonly slots: number
  readonly directory: string
  readonly log_level: SettingsShape["log_level"]
  readonly otlp_url: string | undefined
}

export class OwnRunner extends Context.Service<OwnRunner, { readonly pid: () => number | undefined }>()("agon/OwnRunner") {
  static readonly layer = (
    settings: Pick<SettingsShape, "directory" | "host" | "port" | "runner_slots"> &
      Partial<Pick<SettingsShape, "log_level" | "node" | "otlp_url">>,
    secrets: Pick<Secrets, "platform_runner">
  ): Layer.Layer<OwnRunner, never, RunnerKeys> =>
    Layer.effect(
      OwnRunner,
      Effect.gen(function* () {
        let pid: number | undefined
        if (settings.runner_slots > 0) {
          const keys = yield* RunnerKeys
          const key = keyOf(secrets, settings.node)
          const id = yield* keys.own(NAME, Redacted.value(key))
          const { directory, log_level = "Info", otlp_url, runner_slots: slots } = settings
          const started = { url: urlOf(settings), key, slots, directory, log_level, otlp_url }
          const process = once(started, (now) => {
            pid = now
          })
          if (Option.isSome(id)) yield* Effect.forkScoped(lives(process, keys.returnLeases(id.value, "stays")))
          else yield* Effect.logWarning(REVOKED)
        }
        return OwnRunner.of({ pid: () => pid })
      })
    )
}

/** Nodes that share their secrets have a key each: a node that starts must return only its own leases. */
const keyOf = ({ platform_runner }: Pick<Secrets, "platform_runner">, node: Address | undefined) => {
  const secret = Redacted.value(platform_runner)
  const own = node === undefined ? secret : createHmac("sha256", secret).update(`${node.host}:${node.port}`).digest("base64url")
  return Redacted.make(`agon_rk_${own}`)
}

/**
 * One process after another for ever. Leases that cannot be returned, since the database is
 * away, run out by themselves.
 */
const lives = (process: Effect.Effect<number>, returnLeases: Effect.Effect<void>) => {
  const returned = returnLeases.pipe(
    Effect.timeoutOption(RETURN_TIMEOUT),
    Effect.catchCause((cause) => Effect.logWarning("what the runner beside the service held was not returned", cause))
  )
  return process.pipe(
    Effect.tap(() => Effect.logWarning("the runner beside the service ended; it is started again")),
    Effect.andThen(returned),
    Effect.repeat(waits),
    (again) => Effect.andThen(returned, again)
  )
}

/** One run of the process. */
const once = (
  { directory, key, log_level, otlp_url, slots, url }: Started,
  tell: (pid: number | undefined) => void
): Effect.Effect<number> =>
  childProcess(
    [PROGRAM],
    {
      AGON_URL: url,
      AGON_RUNNER_KEY: Redacted.value(key),
      AGON_RUNNER_NAME: NAME,
      AGON_RUNNER_SLOTS: String(slots),
      AGON_RUNNER_CACHE: join(directory, "runner"),
      AGON_RUNNER_FINISH_S: String(OWN_FINISH_S),
      AGON_RUNNER_TIED: "1",
      LOG_LEVEL: log_level,
      ...(otlp_url === undefined ? {} : { OTLP_URL: otlp_url })
    },
    tell
  )
