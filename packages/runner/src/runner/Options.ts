/** The runner's options, from environment variables. */
import { Config, Effect, type Redacted } from "effect"

export interface Options {
  /** URL of the service, without a slash at the end. */
  readonly url: string
  readonly key: Redacted.Redacted
  readonly name: string
  /** Matches and examinations that run at the same time. */
  readonly slots: number
  /** Folder of the file cache: weights and manifests by their hash. */
  readonly cache: string
  readonly accepts: ReadonlyArray<"match" | "admission" | "audit">
}

const SLOTS_MAX = 256

/** AGON_URL, AGON_RUNNER_KEY (required), AGON_RUNNER_NAME, AGON_RUNNER_SLOTS, AGON_RUNNER_CACHE, AGON_RUNNER_ACCEPTS. */
export const options: Effect.Effect<Options, Config.ConfigError> = Effect.gen(function* () {
  const accepts = yield* Config.String("AGON_RUNNER_ACCEPTS").pipe(Config.withDefault("match,admission,audit"))
  const slots = yield* Config.Int("AGON_RUNNER_SLOTS").pipe(Config.withDefault(1))
  return {
    url: (yield* Config.String("AGON_URL").pipe(Config.withDefault("http://localhost:8080"))).replace(/\/$/, ""),
    key: yield* Config.Redacted("AGON_RUNNER_KEY"),
    name: yield* Config.String("AGON_RUNNER_NAME").pipe(Config.withDefault("runner")),
    slots: Math.min(SLOTS_MAX, Math.max(1, slots)),
    cache: yield* Config.String("AGON_RUNNER_CACHE").pipe(Config.withDefault("./.agon-runner")),
    accepts: accepts.split(",").filter((each) => each === "match" || each === "admission" || each === "audit")
  }
})
