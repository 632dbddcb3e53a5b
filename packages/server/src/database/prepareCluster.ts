/** A program of `scripts/install`: makes the cluster that the first start on a new AGON_DATA copies. Without it such a start makes its own. */
import { keep } from "@agon/embedded-postgres/prepared.ts"
import { Effect } from "effect"
import { NAME, PREPARED } from "./open.ts"

await Effect.runPromise(
  Effect.catch(keep({ folder: PREPARED, name: NAME }), ({ message }) =>
    Effect.logWarning("no database was prepared for first starts, which make their own", { message })
  )
)
