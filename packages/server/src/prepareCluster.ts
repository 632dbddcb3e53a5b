/**
 * Makes the cluster that first starts on a new AGON_DATA take or copy, with the schema in its
 * database. Without it such a start makes its own. There is no row in it that a copy may not share
 * with others: tests hold that.
 */
import { keep } from "@agon/embedded-postgres/keep.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { editions } from "./database/editions.ts"
import { NAME, PREPARED } from "./database/open.ts"
import { connection, upToDate } from "./database/upToDate.ts"
import { tablesAlone } from "./node/Cluster.ts"

/** Everything that a service makes in an empty database before it writes what is its own. */
export const fill = (url: Redacted.Redacted) =>
  Effect.andThen(upToDate({ url }), Effect.provide(tablesAlone, PgClient.layer({ ...connection({ url }), maxConnections: 1 })))

export const prepareCluster = Effect.catch(
  keep({ folder: PREPARED, name: NAME, contents: { edition: editions()[0]!, fill } }),
  ({ message }) => Effect.logWarning("no database was prepared for first starts, which make their own", { message })
)
