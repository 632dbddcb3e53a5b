/**
 * The checks before the service opens its pools: the server answers and is new enough, and its
 * schema is that of this release.
 */
import { OLDEST_MAJOR } from "@agon/embedded-postgres/binaries.ts"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { StartRefused } from "../config/StartRefused.ts"
import { refuseDatabase } from "./DatabaseName.ts"
import { explain } from "./explain.ts"
import { migrate } from "./migrate.ts"
import { SESSION } from "./session.ts"
import { untilReached } from "./startAgain.ts"

export interface Server {
  readonly url: Redacted.Redacted
  /** How long to wait for a server that is not up yet; a minute where nothing is said. */
  readonly patience_s?: number
  /** How long one connection may take; 5 s where nothing is said. */
  readonly connect_s?: number
}

const CONNECT_S = 5
export const KEEP_ALIVE = Duration.seconds(30)
const MIGRATION_TIMEOUT = Duration.minutes(10)

export const connection = ({ connect_s = CONNECT_S, url }: Server) => ({
  url,
  connectTimeout: Duration.seconds(connect_s),
  keepAlive: KEEP_ALIVE
})

/** On a connection of its own without the limits, because a migration may take longer than a request. */
export const upToDate = (server: Server): Effect.Effect<void, StartRefused> =>
  Effect.gen(function* () {
    yield* reach(server.patience_s === undefined ? undefined : Duration.seconds(server.patience_s))
    yield* migrate.pipe(
      Effect.timeout(MIGRATION_TIMEOUT),
      Effect.catch((error) =>
        error instanceof StartRefused ? Effect.fail(error) : refuseDatabase(`the schema could not be brought up to date: ${explain(error)}`)
      )
    )
  }).pipe(
    Effect.provide(
      PgClient.layer({ ...connection(server), applicationName: "agon start", maxConnections: 1, startupParameters: SESSION }).pipe(
        Layer.orDie
      )
    )
  )

const reach = Effect.fnUntraced(function* (patience: Duration.Duration | undefined) {
  const sql = yield* SqlClient.SqlClient
  const facts = sql<{ version: number; encoding: string }>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`
  const rows = yield* Effect.catchTag(untilReached(facts, patience), "SqlError", (error) =>
    refuseDatabase(`the server cannot be used: ${explain(error)}`)
  )
  const { version, encoding } = rows[0]!
  if (version < OLDEST_MAJOR * 10_000)
    return yield* refuseDatabase(`the server is Postgres ${Math.floor(version / 10_000)}; it takes ${OLDEST_MAJOR} or later`)
  if (encoding !== "UTF8") return yield* refuseDatabase(`the database is encoded in ${encoding}; it takes one in UTF8`)
})
