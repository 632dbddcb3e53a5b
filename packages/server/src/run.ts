/**
 * The service. Configuration is in config/Settings.ts, what it is made of in program.ts, which is loaded
 * while the database of Foundations.ts opens: this file imports only what that needs.
 */
import "effect/schema/SchemaJITCompiler/enable" // before the rest: schemas compile when they are first used
import { byArguments } from "@agon/api/program/arguments.ts"
import { ending } from "@agon/api/program/exitStatus.ts"
import * as LogLines from "@agon/api/program/LogLines.ts"
import type { Collector } from "@agon/api/program/Telemetry.ts"
import { stopWhenLeft } from "@agon/api/program/whenLeft.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, References } from "effect"
import { announce } from "./announce.ts"
import { doubtful } from "./config/doubtful.ts"
import { Settings } from "./config/Settings.ts"
import { unread } from "./config/unread.ts"
import { Foundations } from "./Foundations.ts"
import { loadProgram } from "./loading.ts"

const HELP = `Usage: scripts/start

Starts the service on this machine, with an embedded Postgres, a site and a runner beside it, until it is told to stop (SIGTERM, Ctrl-C).
It takes no arguments but --help; its options are variables, of which these come first. docs/operating.md#configuration has all of them.

  AGON_DATA      directory of its own for database, objects and secrets (./.agon)
  HOST, PORT     address and port to listen on (127.0.0.1, 8080)
  PUBLIC_ORIGIN  the origin that browsers see (http://localhost:PORT)
  DATABASE_URL   a Postgres of your own (an embedded one)

scripts/doctor says with the same variables whether it can start and work here.
`

/** The level of the log; spans, metrics and logs go to OTLP_URL too where that is set. */
const observed = Layer.unwrap(
  Effect.map(Settings, ({ log_level, otlp_share: share, otlp_url: url }) =>
    Layer.mergeAll(
      Layer.succeed(References.MinimumLogLevel, log_level),
      url === undefined ? Layer.empty : telemetry({ url, share, name: "agon" })
    )
  )
)

const telemetry = (collector: Collector) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const [Telemetry, NodeHttpClient] = await Promise.all([
        import("@agon/api/program/Telemetry.ts"),
        import("@effect/platform-node/NodeHttpClient")
      ])
      return Telemetry.layer(collector).pipe(Layer.provide(NodeHttpClient.layerUndici))
    })
  )

/** Lines of several nodes end in one place: each says which. */
const ofNode = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Settings, ({ node }) => (node === undefined ? effect : Effect.annotateLogs(effect, { node: `${node.host}:${node.port}` })))

const main = Effect.gen(function* () {
  const mistaken = [...unread(Object.keys(process.env)), ...doubtful(yield* Settings)]
  yield* Effect.forEach(mistaken, (sentence) => Effect.logWarning(sentence), { discard: true })
  const { Program } = yield* Effect.promise(loadProgram)
  yield* Layer.build(Program)
  yield* announce(process.stdout)
  return yield* Effect.never
}).pipe(ofNode, Effect.scoped, Effect.provide(Foundations.layer), Effect.provide(observed), Effect.provide(Settings.layer))

const program = Effect.catchTag(main, "StartRefused", ({ message }) =>
  Effect.sync(() => {
    process.stderr.write(`${message}\n`)
    process.exitCode = 1
  })
).pipe(LogLines.around(process.stdout))

byArguments(process, {
  name: "The service",
  help: HELP,
  start: () => {
    stopWhenLeft(process, { tied: false })
    NodeRuntime.runMain(program, ending(process))
  }
})
