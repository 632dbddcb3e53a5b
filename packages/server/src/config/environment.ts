/** Every environment variable that the service reads, with its accepted values. */
import { isIP } from "node:net"
import { excessOf } from "@agon/api/program/variables.ts"
import { LogLevel } from "effect"
import { databaseAddress } from "./databaseAddress.ts"
import { parseFrom, parseRelay } from "./mailServer.ts"
import { parseProviders } from "./signInProviders.ts"
import {
  type Address,
  flag,
  hidden,
  address as hostAndPort,
  integer,
  isDecodable,
  maskedUrl,
  maskedUser,
  networks,
  runtimes,
  share,
  text,
  url,
  type Variable
} from "./variables.ts"

const MOST_RUNNER_SLOTS = 64
/** A hundred years. */
const MOST_REPLAY_DAYS = 36_500
/** The slug of the development sign-in. */
export const DEVELOPMENT = "dev"
export const DEFAULT_HOST = "127.0.0.1"

const origin = (value: string) => {
  const parsed = url("http:", "https:")(value)?.value
  const bare = parsed !== undefined && `${parsed.origin}/` === parsed.href
  return bare ? { value: parsed.origin } : undefined
}

/** Only an IPv6 address has colons. */
const listenAddress = (value: string) => {
  if (!/^[A-Za-z0-9.:_-]{1,253}$/.test(value)) return undefined
  return value.includes(":") && isIP(value) !== 6 ? "a port stands in PORT" : { value }
}

/** A web server that is asked below this URL. */
const webAddress = (value: string) => {
  if (url("http:", "https:")(value) === undefined) return undefined
  const excess = excessOf(value)
  return excess === undefined ? { value } : `it ${excess}`
}

/**
 * The path has to be empty or a database number, and user and password decodable; otherwise
 * the client throws at the start.
 */
const redisAddress = (value: string) => {
  const parsed = url("redis:", "rediss:")(value)?.value
  const usable = parsed !== undefined && /^(\/[0-9]{0,4})?$/.test(parsed.pathname) && isDecodable(parsed.username + parsed.password)
  return usable ? { value } : undefined
}

const levels = new Map(LogLevel.values.map((level) => [level.toLowerCase(), level]))

const variable = <A>(name: string, takes: string, parse: Variable<A>["parse"], mask?: Variable<A>["mask"]): Variable<A> =>
  mask === undefined ? { name, takes, parse } : { name, takes, parse, mask }

/** The address at which other nodes reach this one; a wildcard address is refused. */
const nodeAddress = (value: string) => {
  const found = hostAndPort(value)
  return found === undefined || ["0.0.0.0", "::"].includes(found.value.host) ? undefined : found
}

const metricsAddress = (value: string): { readonly value: Address | "off" } | undefined =>
  value === "off" ? { value } : hostAndPort(value)

/** `own`, `off`, or where a site runs that somebody else has started. */
const siteAddress = (value: string): { readonly value: Address | "own" | "off" } | undefined =>
  value === "own" || value === "off" ? { value } : hostAndPort(value)

const datasets = (value: string): { readonly value: "all" | "matches" | "off" } | undefined =>
  value === "all" || value === "matches" || value === "off" ? { value } : undefined

/** Files of variables may leave quotes around a value and `~` and `$HOME` as they are, and a new directory of such a name would be empty. */
const path = (value: string) => {
  if (/^(["']).*\1$/s.test(value)) return "with quotes around it, which nothing takes away"
  if (/^(~(\/|$)|\$)/.test(value)) return "with a ~ or $ in front, which nothing replaces"
  return text(/^[^\0]+$/)(value)
}

export const variables = {
  port: variable("PORT", "a port from 1 to 65535", integer(1, 65535)),
  host: variable("HOST", "an address or a name of this machine to listen on", listenAddress),
  public_origin: variable(
    "PUBLIC_ORIGIN",
    "the origin that browsers see, such as https://agon.example, without a path",
    origin,
    maskedUser
  ),
  directory: variable("AGON_DATA", "a directory of its own that the service may write", path),
  database_url: variable("DATABASE_URL", "postgres://user:password@host:port/database", databaseAddress, maskedUrl),
  node: variable("AGON_NODE", "host:port at which the other nodes reach this one, such as 10.0.0.5:7070", nodeAddress),
  node_cert: variable("AGON_NODE_CERT", "a PEM file: the certificate of this node, for the host of its AGON_NODE", path),
  node_key: variable("AGON_NODE_KEY", "a PEM file: the key of AGON_NODE_CERT", path),
  node_ca: variable("AGON_NODE_CA", "a PEM file: the authority that signs the certificates of all nodes", path),
  metrics: variable("AGON_METRICS", "host:port at which /metrics is answered, such as 127.0.0.1:9464, or off", metricsAddress),
  demo: variable("AGON_DEMO", "1 or 0", flag),
  admin: variable("AGON_ADMIN", "provider:login, of a provider that is configured", text(/^[a-z0-9][a-z0-9-]*:\S{1,200}$/)),
  runner_slots: variable("AGON_RUNNERS", `a number from 0 to ${MOST_RUNNER_SLOTS}`, integer(0, MOST_RUNNER_SLOTS)),
  site: variable("AGON_SITE", "own, off, or host:port of a site that runs already", siteAddress),
  s3_endpoint: variable("S3_ENDPOINT", "the http or https URL of an S3 server", webAddress, maskedUrl),
  s3_region: variable("S3_REGION", "a region's name", text(/^[A-Za-z0-9-]{1,64}$/)),
  s3_bucket: variable("S3_BUCKET", "a bucket's name, of 3 to 63 characters", text(/^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/)),
  s3_access_key_id: variable("S3_ACCESS_KEY_ID", "an access key's id", text(/^\S{1,256}$/), hidden),
  s3_secret_access_key: variable("S3_SECRET_ACCESS_KEY", "the access key's secret", text(/^\S{1,256}$/), hidden),
  providers: variable("AUTH_PROVIDERS", 'JSON such as [{"slug":"github","client_id":"...","client_secret":"..."}]', parseProviders, hidden),
  dev_sign_in: variable("AGON_DEV_SIGNIN", "1, for the development sign-in beside DATABASE_URL or S3, or 0", flag),
  replay_check: variable("AGON_REPLAY_CHECK", "a share from 0 to 1", share),
  audit: variable("AGON_AUDIT", "a share from 0 to 1", share),
  replay_days: variable("AGON_REPLAY_DAYS", `whole days from 0 (for ever) to ${MOST_REPLAY_DAYS}`, integer(0, MOST_REPLAY_DAYS)),
  datasets: variable("AGON_DATASETS", "all, matches or off", datasets),
  runtimes: variable("AGON_RUNTIMES", "versions of runtimes with commas between them, as runners say them", runtimes),
  trusted_proxies: variable("TRUSTED_PROXIES", "addresses and networks with commas between them, such as 10.0.0.0/8", networks),
  redis_url: variable("REDIS_URL", "redis://user:password@host:port/database, or rediss: for TLS", redisAddress, maskedUrl),
  smtp_url: variable("SMTP_URL", "smtp://user:password@host:587, or smtps: for TLS from the start", parseRelay, maskedUrl),
  mail_from: variable("MAIL_FROM", "the sender of mails, as agon@agon.example or Agon <agon@agon.example>", parseFrom),
  otlp_url: variable("OTLP_URL", "the http or https URL of an OpenTelemetry collector", webAddress, maskedUrl),
  otlp_share: variable("OTLP_SHARE", "a share from 0 to 1", share),
  log_level: variable("LOG_LEVEL", `one of ${[...levels.keys()].join(", ")}`, (name) => {
    const level = levels.get(name.toLowerCase())
    return level === undefined ? undefined : { value: level }
  })
}

/** The values of the variables, each validated alone. */
export type Values = { readonly [K in keyof typeof variables]: (typeof variables)[K] extends Variable<infer A> ? A | undefined : never }
