/**
 * The settings of this service from the environment: every variable of docs/operating.md#configuration, read
 * and validated together. All are optional; without any the service runs alone on this machine, with an
 * embedded database, local objects and the development sign-in.
 */

import { resolve } from "node:path"
import { Context, Effect, Layer, type LogLevel, Redacted } from "effect"
import type { S3Options } from "../object/s3/s3Requests.ts"
import { contradictions } from "./contradictions.ts"
import { DEFAULT_HOST, DEVELOPMENT, type Values, variables } from "./environment.ts"
import type { MailSettings } from "./Mail.ts"
import type { NodeTlsFiles } from "./nodeTls.ts"
import type { ProviderConfig } from "./ProviderConfig.ts"
import { refuse, type StartRefused } from "./StartRefused.ts"
import { type Address, type Read, read, type Variable } from "./variables.ts"

export interface SettingsShape {
  readonly host: string
  readonly port: number
  /** `https://agon.example`, without a slash at the end. */
  readonly public_origin: string
  /** AGON_DATA as an absolute path; `dataDirectory.prepare` makes it. */
  readonly directory: string
  /** The server to use; undefined for the embedded one. */
  readonly database_url: Redacted.Redacted | undefined
  /** The address at which other nodes on this database reach this one; undefined where it is the only node. */
  readonly node: Address | undefined
  /** Certificates that nodes present to each other; undefined where they do not use TLS. */
  readonly node_tls: NodeTlsFiles | undefined
  /**
   * The address of `/metrics`; undefined for none. When it is taken, the default is skipped and a
   * configured one refuses the start.
   */
  readonly metrics: { readonly address: Address; readonly asked: boolean } | undefined
  /** Whether an empty database gets the demo season. */
  readonly demo: boolean
  /** The identity that becomes a platform administrator at sign-in. */
  readonly admin: { readonly provider: string; readonly login: string } | undefined
  /** Slots of the runner that is started beside the service; 0 for none. */
  readonly runner_slots: number
  /** The site: one that is started beside the service, one that runs elsewhere, or none. */
  readonly site: "own" | "off" | Address
  /** The bucket; undefined for objects in the data directory. */
  readonly s3: S3Options | undefined
  /** Ways to sign in; none means the development sign-in. */
  readonly providers: ReadonlyArray<ProviderConfig>
  readonly development_sign_in: boolean
  /** Share of replays that the service verifies by computing them again by the rules. */
  readonly replay_check: number
  /** Share of matches that another runner plays again as an audit. */
  readonly audit: number
  /** Days after the end of a match for which its replay is kept; 0 for ever. */
  readonly replay_days: number
  /** Which daily files of public seasons are made. */
  readonly datasets: "all" | "matches" | "off"
  /** Runner runtimes that are allowed besides this build's own. */
  readonly runtimes: ReadonlyArray<string>
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trusted_proxies: ReadonlyArray<string>
  /**
   * The Redis that holds the rate limits of all nodes; undefined where this node counts
   * alone. The start does not need it.
   */
  readonly redis_url: Redacted.Redacted | undefined
  /** How notifications are mailed; undefined where they are not. */
  readonly mail: MailSettings | undefined
  readonly otlp_url: string | undefined
  /** Share of traces that are sent to the collector. */
  readonly otlp_share: number
  readonly log_level: LogLevel.LogLevel
}

export class Settings extends Context.Service<Settings, SettingsShape>()("agon/Settings") {
  static readonly layer = Layer.effect(
    Settings,
    Effect.suspend(() => load)
  )
}

/** The settings, or one line about everything that is wrong. */
export const load: Effect.Effect<SettingsShape, StartRefused> = Effect.gen(function* () {
  const all = yield* Effect.all(readings())
  const values = Object.fromEntries(Object.entries(all).map(([name, { value }]) => [name, value])) as Values
  const wrong = Object.values(all).flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong]))
  const wrongTogether = wrong.length > 0 ? [] : contradictions(values)
  if (wrong.length + wrongTogether.length > 0) return yield* refuse([...wrong, ...wrongTogether].join(" | "))
  return settle(values)
})

/** How to read each variable. */
const readings = () =>
  Object.fromEntries(Object.entries(variables).map(([name, one]) => [name, read(one as Variable<unknown>)])) as Record<
    keyof Values,
    Effect.Effect<Read<unknown>>
  >

const DEFAULT_PORT = 8080
const DEFAULT_REGION = "us-east-1"
const DEFAULT_METRICS: Address = { host: "127.0.0.1", port: 9464 }

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
    node_tls: values.node_cert === undefined ? undefined : { cert: values.node_cert, key: values.node_key!, ca: values.node_ca! },
    metrics: values.metrics === "off" ? undefined : { address: values.metrics ?? DEFAULT_METRICS, asked: values.metrics !== undefined },
    demo: values.demo ?? embedded,
    admin: admin === undefined ? undefined : { provider: admin.slice(0, admin.indexOf(":")), login: admin.slice(admin.indexOf(":") + 1) },
    runner_slots: values.runner_slots ?? (embedded ? 1 : 0),
    site: values.site ?? (embedded ? "own" : "off"),
    s3: s3Of(values),
    providers: values.providers ?? [],
    development_sign_in,
    replay_check: values.replay_check ?? 1,
    audit: values.audit ?? 0.02,
    replay_days: values.replay_days ?? 0,
    datasets: values.datasets ?? "all",
    runtimes: values.runtimes ?? [],
    trusted_proxies: values.trusted_proxies ?? [],
    redis_url: redacted(values.redis_url),
    mail: values.smtp_url === undefined ? undefined : { relay: values.smtp_url, from: values.mail_from! },
    otlp_url: values.otlp_url,
    otlp_share: values.otlp_share ?? 1,
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
