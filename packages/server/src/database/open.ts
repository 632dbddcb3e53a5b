/** Which database this service works on: the one that DATABASE_URL names, or the embedded one, started and held for the scope. */
import { Effect, type Redacted, type Scope } from "effect"
import type { Secrets } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import type { StartRefused } from "../config/StartRefused.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import * as ServiceLock from "./ServiceLock.ts"

export interface Opened {
  /** What `Database.layer` takes. */
  readonly url: Redacted.Redacted
  readonly embedded: boolean
}

/** The data directory exists (`dataDirectory.prepare`); the embedded database and its lock are let go in this order on release. */
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
