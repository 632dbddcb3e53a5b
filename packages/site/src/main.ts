/** The site: pages for people, rendered here from what the service answers. Its options are in Options.ts. */
import "effect/schema/SchemaJITCompiler/enable" // first: schemas compile when they are first used
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer, Logger } from "effect"
import { HttpServer } from "effect/http"
import { options } from "./Options.ts"
import { layer } from "./Site.ts"

/** A site that a service started tells it the port, and has a channel to it that nobody else has. */
const tell = Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
  Effect.sync(() => {
    if (address._tag === "UnixPathAddress") return
    if (process.send === undefined) process.stdout.write(`The site answers at http://${address.address}:${address.port}\n`)
    else process.send({ port: address.port })
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
).pipe(Effect.provide(Logger.layer([Logger.consoleLogFmt])), NodeRuntime.runMain)
