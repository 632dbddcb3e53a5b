/** The site: pages for people, rendered here from what the service answers. Its options are in Options.ts. */
import "@agon/api/heap.ts" // first: it says where objects go
import "effect/schema/SchemaJITCompiler/enable" // before the rest: schemas compile when they are first used
import { exitStatus } from "@agon/api/exitStatus.ts"
import * as LogLines from "@agon/api/LogLines.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { options } from "./Options.ts"
import { layer } from "./Site.ts"

/** A site that a service started tells it the port, and has a channel to it that nobody else has. */
const tell = Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
  Effect.suspend(() => {
    if (address._tag === "UnixPathAddress") return Effect.void
    const { address: host, port } = address
    return process.send === undefined
      ? Effect.logInfo("the site answers", { at: `http://${host}:${port}` })
      : Effect.sync(() => void process.send?.({ port }))
  })
)

const main = Effect.flatMap(options, (given) =>
  Effect.andThen(Layer.build(layer(given)).pipe(Effect.flatMap((context) => Effect.provideContext(tell, context))), Effect.never)
).pipe(Effect.scoped)

/** A site started by a service ends when the service ends, even by a kill: its standard input closes. */
const tied = Effect.callback<void>((resume) => {
  process.stdin.on("end", () => resume(Effect.void)).on("error", () => resume(Effect.void))
  process.stdin.resume()
  return Effect.sync(() => void process.stdin.destroy())
})

Effect.flatMap(Config.Boolean("AGON_SITE_TIED").pipe(Config.withDefault(false)), (isTied) =>
  isTied ? Effect.raceFirst(main, tied) : main
).pipe(
  LogLines.around(process.stdout),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: (exit, onExit) => onExit(exitStatus(exit, process.exitCode)) })
)
