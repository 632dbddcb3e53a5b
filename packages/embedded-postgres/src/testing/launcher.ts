/**
 * A tiny program for the tests: it starts the embedded server and waits. It prints one JSON line when it is
 * up, and one line on standard error when there is no server. Arguments: the directory, and optionally a
 * folder with Postgres's programs.
 */

import { mkdirSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime" // the whole package takes four times as long to load
import { Effect, Redacted } from "effect"
import * as EmbeddedPostgres from "../EmbeddedPostgres.ts"

const [directory = "", programs] = process.argv.slice(2)
const candidates = programs === undefined ? {} : { candidates: [{ bin: programs }] }

const main = Effect.gen(function* () {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const password = Redacted.make("p@ss/wörd %41") // what a URL would read as something else
  const server = yield* EmbeddedPostgres.start({ directory, name: "kept", password, settings: { max_connections: "20" }, ...candidates })
  console.log(JSON.stringify({ pid: process.pid, postgres: server.pid(), version: server.version, url: Redacted.value(server.url) }))
  return yield* Effect.never
}).pipe(
  Effect.catchTag("PostgresUnavailable", ({ fault, message }) =>
    Effect.sync(() => {
      console.error(`${fault}: ${message}`)
      process.exitCode = 1
    })
  ),
  Effect.scoped
)

NodeRuntime.runMain(main)
