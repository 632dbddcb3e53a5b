/**
 * The runner that the service starts beside itself (AGON_RUNNERS): a process of its own, like any other runner, with a
 * key of the platform's fleet. It is started again when it ends, what it held goes back to the queue at once rather than
 * when its leases run out, and it ends with the service, also when that is killed: it lives as long as its standard input
 * is open.
 */
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import { join } from "node:path"
import type { Secrets } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { childProcess } from "../process/ChildProcess.ts"
import { RunnerKeys } from "./RunnerKeys.ts"

/** Started, never imported: the runner is a program of its own. */
const PROGRAM = join(import.meta.dirname, "..", "..", "..", "runner", "src", "main.ts")
const NAME = "beside the service"
const restarts = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])

interface Started {
  readonly url: string
  readonly key: Redacted.Redacted
  readonly slots: number
  readonly directory: string
}

export class OwnRunner extends Context.Service<OwnRunner, { readonly pid: () => number | undefined }>()("agon/OwnRunner") {
  static readonly layer = (
    settings: Pick<SettingsShape, "directory" | "host" | "port" | "runner_slots">,
    secrets: Pick<Secrets, "platform_runner">
  ): Layer.Layer<OwnRunner, never, RunnerKeys> =>
    Layer.effect(
      OwnRunner,
      Effect.gen(function* () {
        let pid: number | undefined
        if (settings.runner_slots > 0) {
          const keys = yield* RunnerKeys
          const key = `agon_rk_${Redacted.value(secrets.platform_runner)}`
          const id = yield* keys.own(NAME, key)
          const host = settings.host === "0.0.0.0" || settings.host === "::" ? "127.0.0.1" : settings.host
          const url = `http://${host.includes(":") ? `[${host}]` : host}:${settings.port}`
          const started = { url, key: Redacted.make(key), slots: settings.runner_slots, directory: settings.directory }
          yield* once(started, (now) => {
            pid = now
          }).pipe(
            Effect.tap(() => Effect.logWarning("the runner beside the service ended; it is started again")),
            Effect.tap(() => keys.returnLeases(id)),
            Effect.repeat(restarts),
            Effect.forkScoped
          )
        }
        return OwnRunner.of({ pid: () => pid })
      })
    )
}

/** One life of the process. */
const once = ({ directory, key, slots, url }: Started, tell: (pid: number | undefined) => void): Effect.Effect<number> =>
  childProcess(
    [PROGRAM],
    {
      AGON_URL: url,
      AGON_RUNNER_KEY: Redacted.value(key),
      AGON_RUNNER_NAME: NAME,
      AGON_RUNNER_SLOTS: String(slots),
      AGON_RUNNER_CACHE: join(directory, "runner"),
      AGON_RUNNER_TIED: "1"
    },
    tell
  )
