/** The site's options, from environment variables (docs/operating.md#the-site). */
import { Config, Effect, Option } from "effect"

export interface Options {
  /** The service's address as the site reaches it, without a slash at the end. */
  readonly service: string
  readonly host: string
  readonly port: number
  /** The origin of the bucket that signed uploads go to; undefined where the service keeps files itself. */
  readonly objects: string | undefined
  /** The origin under which people reach the pages, without a slash at the end. */
  readonly origin: string
}

const DEFAULT_PORT = 8081

/** AGON_URL, AGON_SITE_HOST, AGON_SITE_PORT, AGON_SITE_OBJECTS, PUBLIC_ORIGIN. */
export const options: Effect.Effect<Options, Config.ConfigError> = Effect.gen(function* () {
  const service = (yield* Config.String("AGON_URL").pipe(Config.withDefault("http://localhost:8080"))).replace(/\/$/, "")
  return {
    service,
    origin: Option.match(yield* Config.option(Config.URL("PUBLIC_ORIGIN")), { onNone: () => service, onSome: ({ origin }) => origin }),
    host: yield* Config.String("AGON_SITE_HOST").pipe(Config.withDefault("127.0.0.1")),
    port: yield* Config.Int("AGON_SITE_PORT").pipe(Config.withDefault(DEFAULT_PORT)),
    objects: Option.getOrUndefined(Option.map(yield* Config.option(Config.URL("AGON_SITE_OBJECTS")), ({ origin }) => origin))
  }
})
