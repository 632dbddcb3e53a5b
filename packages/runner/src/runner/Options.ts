/** The runner's options, from environment variables, and its help. */
import { isWebAddress, type Refused, refuse, text, webAddress, whole } from "@agon/api/program/variables.ts"
import { Effect, LogLevel, Redacted } from "effect"
import { FINISH_S } from "./stopping.ts"

export interface Options {
  /** URL of the service, without a slash at the end. */
  readonly url: string
  readonly key: Redacted.Redacted
  readonly name: string
  /** Matches and examinations that run at the same time. */
  readonly slots: number
  /** Folder of the file cache: weights and manifests by their hash. */
  readonly cache: string
  readonly accepts: ReadonlyArray<Accepted>
  /** Time for what is being played, after a stop. */
  readonly finish_s: number
}

const WORK = ["match", "admission", "audit"] as const
type Accepted = (typeof WORK)[number]

const SLOTS_MAX = 256
const FINISH_S_MAX = 86_400
const LEVELS = LogLevel.values.map((level) => level.toLowerCase())

export const HELP = `Usage: agon runner, or scripts/runner

Leases matches and examinations from an Agon service, runs them in a sandbox and reports the results, until it is told to
stop (SIGTERM, Ctrl-C): then it takes no more, finishes what it plays and ends, at once where it plays nothing. Told a second
time it ends at once and gives back what it holds. It takes no arguments but --help; its options are variables:

  AGON_RUNNER_KEY      the key of a fleet, which an administrator makes (required)
  AGON_URL             where the service is (http://localhost:8080)
  AGON_RUNNER_NAME     a name that administrators see (runner)
  AGON_RUNNER_SLOTS    how much it runs at the same time, 1 to ${SLOTS_MAX} (1)
  AGON_RUNNER_ACCEPTS  the work that it takes, in a list with commas (${WORK.join(",")})
  AGON_RUNNER_CACHE    a folder for the files of models (./.agon-runner)
  AGON_RUNNER_FINISH_S seconds to finish what it plays, after a stop (${FINISH_S})
  OTLP_URL             an OpenTelemetry collector for the spans of matches, metrics and logs (none)
  LOG_LEVEL            ${LEVELS.join(", ")} (info); debug has a line for every match
`

const key = Effect.gen(function* () {
  const value = yield* text("AGON_RUNNER_KEY", "")
  if (value === "") return yield* refuse("AGON_RUNNER_KEY is not set: it holds the key that an administrator made for this runner's fleet.")
  return Redacted.make(value)
})

/** The collector; undefined where there is none. */
export const otlpUrl: Effect.Effect<string | undefined, Refused> = Effect.gen(function* () {
  const value = yield* text("OTLP_URL", "")
  return value === "" || isWebAddress(value)
    ? value || undefined
    : yield* refuse("OTLP_URL: it takes the http or https URL of a collector.")
})

const isWork = (word: string): word is Accepted => WORK.some((each) => each === word)

const accepts = Effect.gen(function* () {
  const words = (yield* text("AGON_RUNNER_ACCEPTS", WORK.join(","))).split(",").map((word) => word.trim())
  const unknown = words.find((word) => !isWork(word))
  if (unknown !== undefined) return yield* refuse(`AGON_RUNNER_ACCEPTS: "${unknown}" is none of ${WORK.join(", ")}.`)
  return words.filter(isWork)
})

/** Less severe lines are not logged. */
export const logLevel: Effect.Effect<LogLevel.LogLevel, Refused> = Effect.gen(function* () {
  const value = yield* text("LOG_LEVEL", "info")
  const level = LogLevel.values[LEVELS.indexOf(value.toLowerCase())]
  return level ?? (yield* refuse(`LOG_LEVEL: ${value} is none of ${LEVELS.join(", ")}.`))
})

/** Read from the environment; the program takes no arguments. */
export const options: Effect.Effect<Options, Refused> = Effect.gen(function* () {
  return {
    url: yield* webAddress("AGON_URL", "http://localhost:8080"),
    key: yield* key,
    name: yield* text("AGON_RUNNER_NAME", "runner"),
    slots: yield* whole("AGON_RUNNER_SLOTS", 1, { min: 1, max: SLOTS_MAX }),
    cache: yield* text("AGON_RUNNER_CACHE", "./.agon-runner"),
    accepts: yield* accepts,
    finish_s: yield* whole("AGON_RUNNER_FINISH_S", FINISH_S, { min: 0, max: FINISH_S_MAX })
  }
})
