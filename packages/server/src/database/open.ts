/**
 * Opens the database of this service: the one that DATABASE_URL names, or the embedded one,
 * which runs as long as the scope.
 */

import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as EmbeddedPostgres from "@agon/embedded-postgres/EmbeddedPostgres.ts"
import type { Fault, PostgresUnavailable } from "@agon/embedded-postgres/PostgresUnavailable.ts"
import { Effect, Option, type Redacted, type Scope } from "effect"
import type { Secrets } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse, type StartRefused } from "../config/StartRefused.ts"
import { editions } from "./editions.ts"

export interface Opened {
  /** The URL for `Database.layer`. */
  readonly url: Redacted.Redacted
  readonly embedded: boolean
}

/**
 * The data directory exists (`dataDirectory.prepare`). Only the embedded database locks it: services on one
 * DATABASE_URL may share a directory (its objects and secrets). On release the embedded database stops
 * before its lock is released.
 */
export const open = (
  settings: Pick<SettingsShape, "database_url" | "directory">,
  secrets: Pick<Secrets, "postgres">
): Effect.Effect<Opened, StartRefused, Scope.Scope> => openBy(settings, optionsOf(settings, secrets))

/**
 * The same for the service itself: where there is no embedded database yet it may be a copy of a prepared
 * one, which has a schema. Other programs start with an empty one, as a restore needs it.
 */
export const openOwn = (...[settings, secrets]: Parameters<typeof open>): ReturnType<typeof open> =>
  openBy(settings, { ...optionsOf(settings, secrets), prepared: { folder: PREPARED, editions } })

const openBy = (
  { database_url }: Pick<SettingsShape, "database_url">,
  options: EmbeddedPostgres.Options
): Effect.Effect<Opened, StartRefused, Scope.Scope> =>
  Effect.gen(function* () {
    if (database_url !== undefined) return { url: database_url, embedded: false }
    const { url } = yield* EmbeddedPostgres.start(options).pipe(Effect.mapError(refusalOf))
    return { url, embedded: true }
  })

/**
 * The same for a program beside the service: the embedded database of a service that runs is used,
 * and not started a second time.
 */
export const openBeside = (...[settings, secrets]: Parameters<typeof open>): ReturnType<typeof open> =>
  Effect.gen(function* () {
    const joined =
      settings.database_url === undefined
        ? yield* EmbeddedPostgres.running(optionsOf(settings, secrets)).pipe(Effect.mapError(refusalOf))
        : Option.none()
    return Option.isSome(joined) ? { url: joined.value, embedded: true } : yield* open(settings, secrets)
  })

/**
 * For a program that reads what a service has, before it makes anything: `AGON_DATA` is relative to the caller's
 * directory, and in a wrong one the program would make an empty database. A directory that this user may not look
 * into is left to what opens it, which says so.
 */
export const hasDatabase = ({
  database_url,
  directory
}: Pick<SettingsShape, "database_url" | "directory">): Effect.Effect<void, StartRefused> =>
  Effect.gen(function* () {
    if (database_url !== undefined) return
    const found = Effect.try(() => statSync(join(directory, "postgres/PG_VERSION"), { throwIfNoEntry: false }))
    const isMissing = yield* Effect.match(found, { onSuccess: (stats) => stats === undefined, onFailure: () => false })
    if (isMissing)
      yield* refuse(`AGON_DATA: ${directory} holds no database, and DATABASE_URL is not set; set the variables that the service has`)
  })

const optionsOf = ({ directory }: { readonly directory: string }, { postgres }: Pick<Secrets, "postgres">) => ({
  directory,
  password: postgres,
  name: NAME,
  settings: POSTGRES_SETTINGS
})

/** Where an installation leaves new clusters for first starts (prepareCluster.ts). */
export const PREPARED = fileURLToPath(new URL("../../../../node_modules/.cache/clusters", import.meta.url))
/** The data that services have made before are found by this name. */
export const NAME = "agon"
/** Database.ts shares them among its pools. */
const POSTGRES_SETTINGS = { max_connections: "60" }

/** Says which of the service's settings is concerned. */
export const refusalOf = ({ fault, message }: Pick<PostgresUnavailable, "fault" | "message">) => refuse(SENTENCES[fault](message))

const SENTENCES: Readonly<Record<Fault, (message: string) => string>> = {
  directory: (message) => `AGON_DATA: ${message}`,
  programs: (message) => `DATABASE_URL: not set, and ${message}; install it, or set DATABASE_URL`,
  options: (message) => message,
  child: (message) => message
}
