/**
 * The service without all but its database: it prepares the data directory, makes the secrets, opens the
 * database and waits. It prints one JSON line when it is up, and one line on standard error when it
 * refuses. Argument: the directory.
 */

import { prepare } from "@agon/server/config/dataDirectory.ts"
import * as Secrets from "@agon/server/config/Secrets.ts"
import { open } from "@agon/server/database/open.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime" // the whole package takes four times as long to load
import { Effect, Redacted } from "effect"

const [directory = ""] = process.argv.slice(2)

const main = Effect.gen(function* () {
  yield* prepare(directory)
  const { url } = yield* open({ database_url: undefined, directory }, yield* Secrets.load(directory))
  console.log(JSON.stringify({ pid: process.pid, url: Redacted.value(url) }))
  return yield* Effect.never
}).pipe(
  Effect.catchTag("StartRefused", (refusal) =>
    Effect.sync(() => {
      console.error(refusal.message)
      process.exitCode = 1
    })
  ),
  Effect.scoped
)

NodeRuntime.runMain(main)
