/**
 * The demonstration season (AGON_DEMO): on an empty embedded database the `agon demo` command is run against
 * the service as soon as it answers, through the public API. A file in the data directory records that it was
 * begun, so that an interrupted one is continued at the next start, and whether it is done.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { SettingsShape } from "../config/Settings.ts"
import { childProcess } from "../process/ChildProcess.ts"

const PROGRAM = join(import.meta.dirname, "..", "..", "..", "cli", "src", "main.ts")
const PAUSE = "10 seconds"

/** Whether there are no seasons yet: reads one row of a small table. */
const isEmpty = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly found: boolean }>`SELECT EXISTS (SELECT 1 FROM season) AS found`, ([row]) => row?.found === false)
)

export const layer = ({
  admin,
  demo,
  development_sign_in,
  directory,
  public_origin
}: SettingsShape): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const marker = join(directory, "demo")
      const begun = existsSync(marker) && readFileSync(marker, "utf8") === "begun"
      if (!demo || !development_sign_in || admin === undefined) return
      if (!begun && !(yield* Effect.orDie(isEmpty))) return
      yield* Effect.sync(() => writeFileSync(marker, "begun"))
      const seeding = childProcess([PROGRAM, "demo", "--url", public_origin, "--admin", admin.login], {})
      yield* seeding.pipe(
        Effect.tap((status) =>
          status === 0 ? Effect.void : Effect.logWarning("the demonstration season is not complete; trying again", { status })
        ),
        Effect.repeat({ schedule: Schedule.spaced(PAUSE), until: (status) => status === 0 }),
        Effect.andThen(Effect.sync(() => writeFileSync(marker, "done"))),
        Effect.andThen(Effect.logInfo("the demonstration season is complete")),
        Effect.forkScoped
      )
    })
  )
