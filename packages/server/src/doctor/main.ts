/**
 * `scripts/doctor`: checks with the service's own environment whether it can start and work here, and says in
 * one sentence what to mend. It changes nothing but an object that it writes and removes again. Exit status 0
 * nothing to do, 1 something to mend, 2 broken.
 */

import { asksForHelp } from "@agon/api/program/arguments.ts"
import * as LogLines from "@agon/api/program/LogLines.ts"
import { stopWhenLeft } from "@agon/api/program/whenLeft.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime" // the whole package takes four times as long to load
import { Effect } from "effect"
import { doubtful } from "../config/doubtful.ts"
import { load, type SettingsShape } from "../config/Settings.ts"
import { unread } from "../config/unread.ts"
import { checkOthers, checkPorts } from "./addresses.ts"
import { certificates } from "./certificates.ts"
import { checkDatabase } from "./database.ts"
import { dataDirectory, isPasswordMissing, secretFiles } from "./directory.ts"
import { about, type Finding, type State, statusOf } from "./Finding.ts"
import { checkMail } from "./mail.ts"
import { checkObjects } from "./objects.ts"
import { checkOrigin } from "./origin.ts"
import { checkProviders } from "./providers.ts"
import { checkRedis } from "./redis.ts"

const HELP = `Usage: scripts/doctor [--json]

Checks with the service's own environment whether the service can start and work here, also while it runs.
Exit status: 0 nothing to do, 1 something to mend, 2 it does not start or does not work.
`

const configuration = about("configuration")

const BESIDE = [checkPorts, checkRedis, checkOthers, checkMail, checkProviders, checkOrigin]

const examined = (settings: SettingsShape) =>
  Effect.gen(function* () {
    const directory = dataDirectory(settings)
    const secrets = secretFiles(settings)
    const mistaken = [...unread(Object.keys(process.env)), ...doubtful(settings)]
    const understood = mistaken.length > 0 ? mistaken.map(configuration.mend) : [configuration.fine("every variable is understood")]
    const local = [...understood, directory, ...secrets, ...(yield* certificates(settings))]
    // The embedded database needs both, and would make what is missing.
    const usable = settings.database_url !== undefined || (local.every(({ state }) => state !== "broken") && !isPasswordMissing(settings))
    const database = usable ? yield* checkDatabase(settings) : []
    const beside = yield* Effect.forEach(BESIDE, (check) => check(settings))
    return [...local, ...database, ...(yield* checkObjects(settings)), ...beside.flat()]
  })

const findings: Effect.Effect<ReadonlyArray<Finding>> = load.pipe(
  Effect.flatMap(examined),
  Effect.catchTag("StartRefused", ({ message }) => Effect.succeed(message.split(" | ").map(configuration.broken)))
)

const MARKS: Readonly<Record<State, string>> = { fine: "fine  ", mend: "MEND  ", broken: "BROKEN" }
const textOf = ({ check, says, state }: Finding) => `${MARKS[state]}  ${check}: ${says}\n`

const end = (status: number, to: NodeJS.WriteStream, text: string) =>
  Effect.sync(() => {
    to.write(text)
    process.exitCode = status
  })

const args = process.argv.slice(2)
const json = args.length === 1 && args[0] === "--json"

const run = Effect.gen(function* () {
  if (asksForHelp(args)) return yield* end(0, process.stdout, HELP)
  if (args.length > 0 && !json) return yield* end(2, process.stderr, HELP)
  const found = yield* findings
  const status = statusOf(found)
  yield* end(status, process.stdout, json ? `${JSON.stringify({ status, findings: found })}\n` : found.map(textOf).join(""))
}).pipe(Effect.provide(LogLines.layerError(process.stderr)))

stopWhenLeft(process, { tied: false })
NodeRuntime.runMain(run)
