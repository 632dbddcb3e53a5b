/** The site's options, from environment variables (docs/operating.md#the-site), and its help. */
import { type Refused, refuse, text, webAddress, whole } from "@agon/api/program/variables.ts"
import { Effect } from "effect"

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

const DEFAULT_HOST = "127.0.0.1"
const DEFAULT_PORT = 8081
const PORT_MAX = 65_535
const DEFAULT_SERVICE = "http://localhost:8080"

export const HELP = `Usage: scripts/site

Shows the pages for people, for one Agon service or for several of its nodes, until it is told to stop (SIGTERM, Ctrl-C). It takes no
arguments but --help; its options are variables (docs/operating.md#the-site):

  AGON_URL           where the service is (${DEFAULT_SERVICE})
  AGON_SITE_HOST     address to listen on, which only the service needs to reach (${DEFAULT_HOST})
  AGON_SITE_PORT     port to listen on (${DEFAULT_PORT}); 0 takes a free one
  AGON_SITE_OBJECTS  URL of the S3 server, where the service has one (none)
  PUBLIC_ORIGIN      the origin that browsers see (that of AGON_URL)

The service passes pages on to it with AGON_SITE=HOST:PORT.
`

/** The origin of an http or https URL; undefined where the variable is unset. */
const originIn = (name: string): Effect.Effect<string | undefined, Refused> =>
  Effect.flatMap(text(name, ""), (value) =>
    value === "" ? Effect.succeed(undefined) : Effect.map(webAddress(name, ""), (url) => new URL(url).origin)
  )

export const options: Effect.Effect<Options, Refused> = Effect.gen(function* () {
  const service = yield* webAddress("AGON_URL", DEFAULT_SERVICE)
  return {
    service,
    origin: (yield* originIn("PUBLIC_ORIGIN")) ?? service,
    host: yield* text("AGON_SITE_HOST", DEFAULT_HOST),
    port: yield* whole("AGON_SITE_PORT", DEFAULT_PORT, { min: 0, max: PORT_MAX }),
    objects: yield* originIn("AGON_SITE_OBJECTS")
  }
})

/** Why the site does not start where it cannot listen. */
export const notListening = ({ host, port }: Options, { cause }: { readonly cause: unknown }): Effect.Effect<never, Refused> => {
  const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : ""
  return refuse(`AGON_SITE_HOST, AGON_SITE_PORT: ${host}, port ${port} cannot be listened on${code}.`)
}
