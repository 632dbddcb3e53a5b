/** Opens the database of this service: the one that DATABASE_URL names, or the embedded one, which runs as long as the scope. */
import { Effect, type Redacted, type Scope } from "effect"
import type { Secrets } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import type { StartRefused } from "../config/StartRefused.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import * as ServiceLock from "./ServiceLock.ts"

export interface Opened {
  /** The URL for `Database.layer`. */
  readonly url: Redacted.Redacted
  readonly embedded: boolean
}

/** The data directory exists (`dataDirectory.prepare`); on release the embedded database stops before its lock is released. */
export const open = (
  settings: Pick<SettingsShape, "database_url" | "directory">,
  secrets: Pick<Secrets, "postgres">
): Effect.Effect<Opened, StartRefused, Scope.Scope> =>
  Effect.gen(function* () {
    if (settings.database_url !== undefined) return { url: settings.database_url, embedded: false }
    yield* ServiceLock.hold(settings.directory)
    const { url } = yield* EmbeddedPostgres.start({ directory: settings.directory, password: secrets.postgres })
    return { url, embedded: true }
  })
