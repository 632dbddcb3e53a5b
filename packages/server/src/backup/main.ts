/**
 * `scripts/backup DIRECTORY` and `scripts/restore DIRECTORY`, with the service's own environment. A backup is
 * made beside a service that runs, or without one; a restore needs it stopped. Exit status 0 done, 1 refused
 * or failed, 2 not understood.
 */

import { resolve } from "node:path"
import { asksForHelp } from "@agon/api/program/arguments.ts"
import * as LogLines from "@agon/api/program/LogLines.ts"
import { stopWhenLeft } from "@agon/api/program/whenLeft.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime" // the whole package takes four times as long to load
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { prepare } from "../config/dataDirectory.ts"
import * as Secrets from "../config/Secrets.ts"
import { load, type SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"
import { DatabaseName, databaseName } from "../database/DatabaseName.ts"
import { hasDatabase, open, openBeside } from "../database/open.ts"
import { SharedClock } from "../database/SharedClock.ts"
import { SESSION } from "../database/session.ts"
import { whyItEnded } from "../database/whyItEnded.ts"
import { hasBucket } from "../object/s3/S3Objects.ts"
import type { S3Options } from "../object/s3/s3Requests.ts"
import { objectLayers } from "../objectLayers.ts"
import { backup } from "./backup.ts"
import { handOver } from "./handOver.ts"
import { fromDirectory, fromStore } from "./objects.ts"
import { restore, restoreMissingSecrets, verified } from "./restore.ts"

const HELP = `Usage: scripts/backup DIRECTORY [--incomplete]
       scripts/restore DIRECTORY [--replace]

They take the service's own environment (docs/operating.md#data-and-backup).

backup   writes database, objects and secrets into a new directory, also while the service runs.
         --incomplete  leaves out objects that are lost already, instead of refusing
restore  reads the whole backup, then puts it into an empty database and the object store.
         The service has to be stopped.
         --replace     removes what is in the database first
`

const pool = (url: Parameters<typeof PgClient.layer>[0]["url"] & {}) =>
  PgClient.layer({ url, maxConnections: 1, applicationName: "agon_backup", startupParameters: SESSION })

/** The service's start makes a bucket that is missing. A backup's would be empty, as a database in a wrong AGON_DATA. */
const isThere = Effect.fnUntraced(function* (s3: S3Options) {
  const found = yield* Effect.mapError(hasBucket(s3), ({ detail }) => refuse(`the object store cannot be used: ${detail}`))
  if (!found) return yield* refuse(`S3_BUCKET: bucket ${s3.bucket} is not there; set the variables that the service has`)
})

const makeBackup = (settings: SettingsShape, directory: string, incomplete: boolean) =>
  Effect.gen(function* () {
    yield* hasDatabase(settings)
    if (settings.s3 !== undefined) yield* isThere(settings.s3)
    yield* prepare(settings.directory)
    const secrets = yield* Secrets.load(settings.directory)
    const { url } = yield* openBeside(settings, secrets)
    const bucket = Layer.build(Layer.provide(objectLayers(settings, secrets).store, SharedClock.layerAlone))
    const read = settings.s3 === undefined ? fromDirectory(settings.directory) : yield* Effect.provide(fromStore, yield* bucket)
    return yield* backup(settings, directory, { incomplete, read }).pipe(Effect.provide(pool(url)))
  })

const putBack = (settings: SettingsShape, directory: string, replace: boolean) =>
  Effect.gen(function* () {
    const manifest = yield* verified(directory)
    yield* prepare(settings.directory)
    yield* restoreMissingSecrets(settings, directory, manifest)
    const secrets = yield* Secrets.load(settings.directory)
    const { url } = yield* open(settings, secrets)
    return yield* restore({ settings, directory, manifest, replace }).pipe(
      Effect.provide(Layer.merge(pool(url), Layer.provide(objectLayers(settings, secrets).store, SharedClock.layerAlone))),
      Effect.tap(() => handOver(settings.directory))
    )
  })

const OPTIONS: Readonly<Record<string, string>> = { backup: "--incomplete", restore: "--replace" }

const end = (status: number, to: NodeJS.WriteStream, text: string) =>
  Effect.sync(() => {
    to.write(text)
    process.exitCode = status
  })

const failed = (error: unknown) => Effect.flatMap(whyItEnded(error), (why) => end(1, process.stderr, `${why}\n`))

const [command = "", ...rest] = process.argv.slice(2)
const option = rest.filter((one) => one.startsWith("-"))
const named = rest.filter((one) => !one.startsWith("-"))
/** An empty name, as of a variable that is not set, would be the working directory. */
const isNamed = named.length === 1 && named[0]!.trim() !== ""
const understood = OPTIONS[command] !== undefined && isNamed && option.every((one) => one === OPTIONS[command])

const run = Effect.gen(function* () {
  if (asksForHelp(option)) return yield* end(0, process.stdout, HELP)
  if (!understood) return yield* end(2, process.stderr, HELP)
  const settings = yield* load
  const done = (command === "backup" ? makeBackup : putBack)(settings, resolve(named[0]!), option.length > 0)
  yield* Effect.flatMap(done, (said) => end(0, process.stdout, `${said}\n`)).pipe(
    Effect.scoped,
    Effect.catch(failed),
    Effect.catchDefect(failed),
    Effect.provideService(DatabaseName, databaseName(settings))
  )
}).pipe(Effect.catch(failed), Effect.provide(LogLines.layerError(process.stderr)))

stopWhenLeft(process, { tied: false })
NodeRuntime.runMain(run)
