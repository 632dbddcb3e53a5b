/**
 * A tiny service for the launcher's tests: it locks a data directory, starts the embedded database and waits. It prints one JSON line when
 * it is up, and one line on standard error when it refuses. Arguments: the directory, and optionally a folder with Postgres's programs.
 */

import { prepare } from "@agon/server/config/dataDirectory.ts"
import * as Secrets from "@agon/server/config/Secrets.ts"
import * as EmbeddedPostgres from "@agon/server/database/EmbeddedPostgres.ts"
import * as ServiceLock from "@agon/server/database/ServiceLock.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime" // the whole package takes four times as long to load
import { Effect, Redacted } from "effect"

const [directory = "", programs] = process.argv.slice(2)
const candidates = programs === undefined ? {} : { candidates: [{ bin: programs }] }

const main = Effect.gen(function* () {
  yield* prepare(directory)
  yield* ServiceLock.hold(directory)
  const { postgres } = yield* Secrets.load(directory)
  const server = yield* EmbeddedPostgres.start({ directory, password: postgres, ...candidates })
  console.log(JSON.stringify({ pid: process.pid, postgres: server.pid(), version: server.version, url: Redacted.value(server.url) }))
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
