/**
 * What the environment says about this service: every variable of DECISIONS.md section 15, read and judged together. All are optional;
 * without any the service runs by itself on this machine, with an embedded database, local objects and the development sign-in.
 */
import { Context, Effect, Layer, LogLevel, Redacted } from "effect"
import { resolve } from "node:path"
import type { ProviderConfig } from "../account/ProviderConfig.ts"
import { isLoopbackHost, publicOrigin } from "../http/Origin.ts"
import type { S3Options } from "../object/s3Requests.ts"
import { refuse, type StartRefused } from "./StartRefused.ts"
import { parseProviders } from "./signInProviders.ts"
import { type Address, address as nodeAddress, flag, hidden, integer, maskedUrl, missing, networks } from "./variables.ts"
import { type Read, read, share, text, url, type Variable } from "./variables.ts"

export interface SettingsShape {
  readonly host: string
  readonly port: number
  /** `https://agon.example`, without a slash at the end. */
  readonly public_origin: string
  /** AGON_DATA as an absolute path; `dataDirectory.prepare` makes it. */
  readonly directory: string
  /** The server to use; undefined for the embedded one. */
  readonly database_url: Redacted.Redacted | undefined
  /** Where the other nodes on this database reach this one; undefined where it is the only one. */
  readonly node: Address | undefined
  /** Whether an empty database gets the demo season. */
  readonly demo: boolean
  /** Who becomes a platform administrator at sign-in. */
  readonly admin: { readonly provider: string; readonly login: string } | undefined
  /** Slots of the runner that is started beside the service; 0 for none. */
  readonly runner_slots: number
  /** The bucket; undefined for objects in the data directory. */
  readonly s3: S3Options | undefined
  /** Ways to sign in; none means the development sign-in. */
  readonly providers: ReadonlyArray<ProviderConfig>
  readonly development_sign_in: boolean
  /** Share of replays that the service computes again by the rules. */
  readonly replay_check: number
  /** Share of matches that another runner plays again. */
  readonly audit: number
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trusted_proxies: ReadonlyArray<string>
  /** The Redis in which nodes count rate limits together; undefined where this one counts by itself. A start does not need it. */
  readonly redis_url: Redacted.Redacted | undefined
  readonly otlp_url: string | undefined
  readonly log_level: LogLevel.LogLevel
}

export class Settings extends Context.Service<Settings, SettingsShape>()("agon/Settings") {
  static readonly layer = Layer.effect(
    Settings,
    Effect.suspend(() => load)
  )
}

const MOST_RUNNER_SLOTS = 64
const DEVELOPMENT = "dev"

const origin = (value: string) => {
  const parsed = url("http:", "https:")(value)?.value
  const bare = parsed !== undefined && `${parsed.origin}/` === parsed.href
  return bare ? { value: parsed.origin } : undefined
}

const address =
  (...protocols: ReadonlyArray<string>) =>
  (value: string) =>
    url(...protocols)(value) === undefined ? undefined : { value }

/** Its path is nothing or a database's number, and its user and password can be decoded, or the client throws at the start. */
const redisAddress = (value: string) => {
  const parsed = url("redis:", "rediss:")(value)?.value
  const usable =
    parsed !== undefined && /^(\/[0-9]{0,4})?$/.test(parsed.pathname) && !/%(?![0-9A-F]{2})/i.test(parsed.username + parsed.password)
  return usable ? { value } : undefined
}

const levels = new Map(LogLevel.values.map((level) => [level.toLowerCase(), level]))

const variable = <A>(name: string, takes: string, parse: Variable<A>["parse"], mask?: Variable<A>["mask"]): Variable<A> =>
  mask === undefined ? { name, takes, parse } : { name, takes, parse, mask }

const variables = {
  port: variable("PORT", "a port from 1 to 65535", integer(1, 65535)),
  host: variable("HOST", "an address or a name of this machine to listen on", text(/^[A-Za-z0-9.:_-]{1,253}$/)),
  public_origin: variable("PUBLIC_ORIGIN", "the origin that browsers see, such as https://agon.example, without a path", origin),
  directory: variable("AGON_DATA", "a directory of its own that the service may write", text(/^[^\0]+$/)),
  database_url: variable("DATABASE_URL", "postgres://user:password@host:port/database", address("postgres:", "postgresql:"), maskedUrl),
  node: variable("AGON_NODE", "host:port at which the other nodes reach this one, such as 10.0.0.5:7070", nodeAddress),
  demo: variable("AGON_DEMO", "1 or 0", flag),
  admin: variable("AGON_ADMIN", "provider:login, of a provider that is configured", text(/^[a-z0-9][a-z0-9-]*:\S{1,200}$/)),
  runner_slots: variable("AGON_RUNNERS", `a number from 0 to ${MOST_RUNNER_SLOTS}`, integer(0, MOST_RUNNER_SLOTS)),
  s3_endpoint: variable("S3_ENDPOINT", "the http or https URL of an S3 server", address("http:", "https:"), maskedUrl),
  s3_region: variable("S3_REGION", "a region's name", text(/^[A-Za-z0-9-]{1,64}$/)),
  s3_bucket: variable("S3_BUCKET", "a bucket's name, of 3 to 63 characters", text(/^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/)),
  s3_access_key_id: variable("S3_ACCESS_KEY_ID", "an access key's id", text(/^\S{1,256}$/), hidden),
  s3_secret_access_key: variable("S3_SECRET_ACCESS_KEY", "the access key's secret", text(/^\S{1,256}$/), hidden),
  providers: variable("AUTH_PROVIDERS", 'JSON such as [{"slug":"github","client_id":"...","client_secret":"..."}]', parseProviders, hidden),
  replay_check: variable("AGON_REPLAY_CHECK", "a share from 0 to 1", share),
  audit: variable("AGON_AUDIT", "a share from 0 to 1", share),
  trusted_proxies: variable("TRUSTED_PROXIES", "addresses and networks with commas between them, such as 10.0.0.0/8", networks),
  redis_url: variable("REDIS_URL", "redis://user:password@host:port/database, or rediss: for TLS", redisAddress, maskedUrl),
  otlp_url: variable("OTLP_URL", "the http or https URL of an OpenTelemetry collector", address("http:", "https:"), maskedUrl),
  log_level: variable("LOG_LEVEL", `one of ${[...levels.keys()].join(", ")}`, (name) => {
    const level = levels.get(name.toLowerCase())
    return level === undefined ? undefined : { value: level }
  })
}

type Values = { readonly [K in keyof typeof variables]: (typeof variables)[K] extends Variable<infer A> ? A | undefined : never }

/** The settings, or one line about everything that is wrong. */
export const load: Effect.Effect<SettingsShape, StartRefused> = Effect.gen(function* () {
  const all = yield* Effect.all(variables_read())
  const values = Object.fromEntries(Object.entries(all).map(([name, { value }]) => [name, value])) as Values
  const wrong = Object.values(all).flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong]))
  const wrongTogether = wrong.length > 0 ? [] : contradictions(values)
  if (wrong.length + wrongTogether.length > 0) return yield* refuse([...wrong, ...wrongTogether].join(" | "))
  return settle(values)
})

const variables_read = () =>
  Object.fromEntries(Object.entries(variables).map(([name, one]) => [name, read(one as Variable<unknown>)])) as Record<
    keyof Values,
    Effect.Effect<Read<unknown>>
  >

const DEFAULT_HOST = "127.0.0.1"
const DEFAULT_PORT = 8080
const DEFAULT_REGION = "us-east-1"

/** What each variable allows and together they do not. */
const contradictions = (values: Values): ReadonlyArray<string> => {
  const host = values.host ?? DEFAULT_HOST
  const providers = values.providers?.map(({ slug }) => slug) ?? [DEVELOPMENT]
  const s3 = [variables.s3_endpoint, variables.s3_bucket, variables.s3_access_key_id, variables.s3_secret_access_key]
  const s3_values = [values.s3_endpoint, values.s3_bucket, values.s3_access_key_id, values.s3_secret_access_key]
  const anyS3 = values.s3_region !== undefined || s3_values.some((value) => value !== undefined)
  return [
    ...(values.providers === undefined && !isLoopbackHost(host)
      ? [missing(variables.providers, `, and the development sign-in does not start on HOST ${host}, which is not loopback`)]
      : []),
    // A proxy in front of a loopback HOST would let everybody in as anybody.
    ...(values.providers === undefined && values.public_origin !== undefined && !publicOrigin(values.public_origin).loopback
      ? [missing(variables.providers, `, and the development sign-in does not start behind PUBLIC_ORIGIN ${values.public_origin}`)]
      : []),
    ...(values.node !== undefined && values.database_url === undefined
      ? [missing(variables.database_url, ", and nodes (AGON_NODE) share one database")]
      : []),
    ...(values.admin !== undefined && !providers.includes(values.admin.split(":")[0]!)
      ? [`AGON_ADMIN: held ${JSON.stringify(values.admin)}; it takes ${variables.admin.takes} (${providers.join(", ")})`]
      : []),
    ...(anyS3 ? s3.filter((_, index) => s3_values[index] === undefined).map((one) => missing(one, ", though other S3 variables are")) : [])
  ]
}

const settle = (values: Values): SettingsShape => {
  const port = values.port ?? DEFAULT_PORT
  const embedded = values.database_url === undefined
  const development_sign_in = values.providers === undefined
  const admin = values.admin ?? (development_sign_in ? `${DEVELOPMENT}:admin` : undefined)
  return {
    host: values.host ?? DEFAULT_HOST,
    port,
    public_origin: values.public_origin ?? `http://localhost:${port}`,
    directory: resolve(values.directory ?? ".agon"),
    database_url: redacted(values.database_url),
    node: values.node,
    demo: values.demo ?? embedded,
    admin: admin === undefined ? undefined : { provider: admin.slice(0, admin.indexOf(":")), login: admin.slice(admin.indexOf(":") + 1) },
    runner_slots: values.runner_slots ?? (embedded ? 1 : 0),
    s3: s3Of(values),
    providers: values.providers ?? [],
    development_sign_in,
    replay_check: values.replay_check ?? 1,
    audit: values.audit ?? 0.02,
    trusted_proxies: values.trusted_proxies ?? [],
    redis_url: redacted(values.redis_url),
    otlp_url: values.otlp_url,
    log_level: values.log_level ?? "Info"
  }
}

const redacted = (value: string | undefined) => (value === undefined ? undefined : Redacted.make(value))

const s3Of = (values: Values): S3Options | undefined =>
  values.s3_endpoint === undefined
    ? undefined
    : {
        endpoint: values.s3_endpoint,
        region: values.s3_region ?? DEFAULT_REGION,
        bucket: values.s3_bucket!,
        accessKeyId: values.s3_access_key_id!,
        secretAccessKey: Redacted.make(values.s3_secret_access_key!)
      }
