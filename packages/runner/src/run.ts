/**
 * The runner: leases matches and examinations, runs them in a sandbox and reports the results. Its
 * options are in runner/Options.ts.
 */
import "effect/schema/SchemaJITCompiler/enable" // first: schemas compile when they are first used
import { makeClient } from "@agon/api/Client.ts"
import { byArguments, notStarted } from "@agon/api/program/arguments.ts"
import { ending } from "@agon/api/program/exitStatus.ts"
import * as LogLines from "@agon/api/program/LogLines.ts"
import * as Telemetry from "@agon/api/program/Telemetry.ts"
import { untilClosed } from "@agon/api/program/tied.ts"
import { warnOfUnread } from "@agon/api/program/warnOfUnread.ts"
import { stopWhenLeft } from "@agon/api/program/whenLeft.ts"
import { engines } from "@agon/engine/registry.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { runtimeVersion } from "@agon/sandbox/runtimeVersion.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer, Redacted, References } from "effect"
import { HttpClient } from "effect/http"
import { FileCache } from "./runner/FileCache.ts"
import { HELP, logLevel, options, otlpUrl } from "./runner/Options.ts"
import { goBeforeOthers } from "./runner/outOfMemory.ts"
import { run } from "./runner/Runner.ts"
import { serviceHttp } from "./runner/serviceHttp.ts"
import { secondSignal } from "./runner/stopping.ts"
import { Transfers } from "./runner/Transfers.ts"
import { Worker } from "./runner/Worker.ts"

const main = Effect.fnUntraced(function* (hurry: Effect.Effect<void>) {
  const { accepts, cache, finish_s, key, name, slots, url } = yield* options
  const arena = yield* Arena
  yield* Effect.logInfo("runner starts", { url, slots, isolation: arena.isolation })
  const client = yield* makeClient(url, { key: Redacted.value(key) })
  const about = {
    name,
    runtime_version: runtimeVersion(),
    engines: engines.map(({ digest, slug }) => ({ game: slug, engine_digest: digest })),
    accepts,
    slots,
    isolation: arena.isolation
  }
  const workers = Worker.layer.pipe(Layer.provide(FileCache.layer(cache)), Layer.provide(transfers))
  yield* Effect.scoped(run(client, about, { finish_s, hurry })).pipe(Effect.provide(workers))
})

/** Files may be longer than answers of the service. */
const transfers = Layer.provide(Transfers.layer, NodeHttpClient.layerUndici)

const sandboxes = Layer.unwrap(Effect.map(options, ({ slots }) => Arena.layer({ slots })))

/** Requests have no spans: links to files are secrets for an hour, and nobody outside is told ids of ours. */
const untraced = Layer.succeed(HttpClient.TracerDisabledWhen, () => true)

/** A runner sends the traces of matches that the service has chosen, and begins none of its own. */
const observed = Layer.unwrap(
  Effect.map(otlpUrl, (url) => (url === undefined ? Layer.empty : Telemetry.layer({ url, share: 0, name: "agon-runner" })))
)

const runs = Effect.flatMap(Config.Boolean("AGON_RUNNER_TIED").pipe(Config.withDefault(false)), (isTied) => {
  stopWhenLeft(process, { tied: isTied })
  goBeforeOthers()
  const running = main(secondSignal({ tied: isTied }))
  // A runner started by a service ends when the service ends, even by a kill.
  return isTied ? Effect.raceFirst(running, untilClosed(process.stdin)) : running
}).pipe(
  Effect.provide(Layer.mergeAll(sandboxes, observed, untraced).pipe(Layer.provideMerge(serviceHttp))),
  warnOfUnread("AGON_RUNNER_", HELP, Object.keys(process.env)),
  Effect.provide(Layer.effect(References.MinimumLogLevel, logLevel)),
  Effect.catchTag("Refused", ({ message }) => Effect.sync(() => notStarted(process, message))),
  LogLines.around(process.stdout)
)

byArguments(process, {
  name: "The runner",
  help: HELP,
  start: () => NodeRuntime.runMain(runs, ending(process))
})
