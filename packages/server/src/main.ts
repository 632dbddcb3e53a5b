/** The service. Configuration is in config/Settings.ts, what it is made of in program.ts. */
import "effect/schema/SchemaJITCompiler/enable" // first: schemas compile when they are first used
import { NodeHttpClient, NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Logger, References } from "effect"
import { Otlp } from "effect/observability"
import { announce } from "./announce.ts"
import { Settings } from "./config/Settings.ts"
import { Program } from "./program.ts"

/** Logs as lines of key=value; spans, metrics and logs also to OTLP_URL where that is set. */
const Telemetry = Layer.unwrap(
  Effect.map(Settings, ({ log_level, otlp_url }) =>
    Layer.mergeAll(
      Logger.layer([Logger.consoleLogFmt]),
      Layer.succeed(References.MinimumLogLevel, log_level),
      otlp_url === undefined
        ? Layer.empty
        : Otlp.layerJson({ baseUrl: otlp_url, resource: { serviceName: "agon" } }).pipe(Layer.provide(NodeHttpClient.layerUndici))
    )
  )
)

const main = Effect.gen(function* () {
  yield* Layer.build(Program)
  yield* announce
  return yield* Effect.never
}).pipe(Effect.scoped, Effect.provide(Telemetry), Effect.provide(Settings.layer))

/** A stop that somebody asked for is a success; a start that was refused has set its own status. */
const statusOf = (exit: Exit.Exit<unknown, unknown>): number =>
  Exit.isSuccess(exit) ? Number(process.exitCode ?? 0) : Cause.hasInterruptsOnly(exit.cause) ? 0 : 1

NodeRuntime.runMain(
  Effect.catchTag(main, "StartRefused", ({ message }) =>
    Effect.sync(() => {
      process.stderr.write(`${message}\n`)
      process.exitCode = 1
    })
  ),
  { teardown: (exit, onExit) => onExit(statusOf(exit)) }
)
