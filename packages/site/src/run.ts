/** The site: pages for people, rendered here from what the service answers. Its options are in Options.ts. */
import "effect/schema/SchemaJITCompiler/enable" // before the rest: schemas compile when they are first used
import { byArguments, notStarted } from "@agon/api/program/arguments.ts"
import { ending } from "@agon/api/program/exitStatus.ts"
import * as LogLines from "@agon/api/program/LogLines.ts"
import { untilClosed } from "@agon/api/program/tied.ts"
import { warnOfUnread } from "@agon/api/program/warnOfUnread.ts"
import { stopWhenLeft } from "@agon/api/program/whenLeft.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Config, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { HELP, notListening, options } from "./Options.ts"
import { layer } from "./Site.ts"

/**
 * A site that a service started tells it the port, and has a channel to it that nobody else has. Where that service was killed meanwhile
 * nobody hears it, and the site is about to end.
 */
const tell = Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
  Effect.suspend(() => {
    if (address._tag === "UnixPathAddress") return Effect.void
    const { address: host, port } = address
    return process.send === undefined
      ? Effect.logInfo("the site answers", { at: `http://${host}:${port}` })
      : Effect.sync(() => void process.send?.({ port }, undefined, undefined, () => {}))
  })
)

const main = Effect.flatMap(options, (given) =>
  Effect.andThen(
    Layer.build(layer(given)).pipe(
      Effect.catchTag("ServeError", (error) => notListening(given, error)),
      Effect.flatMap((context) => Effect.provideContext(tell, context))
    ),
    Effect.never
  )
).pipe(Effect.scoped)

/** A site started by a service ends when the service ends, even by a kill. */
const runs = Effect.flatMap(Config.Boolean("AGON_SITE_TIED").pipe(Config.withDefault(false)), (isTied) => {
  stopWhenLeft(process, { tied: isTied })
  return isTied ? Effect.raceFirst(main, untilClosed(process.stdin)) : main
}).pipe(
  warnOfUnread("AGON_SITE_", HELP, Object.keys(process.env)),
  Effect.catchTag("Refused", ({ message }) => Effect.sync(() => notStarted(process, message))),
  LogLines.around(process.stdout)
)

byArguments(process, {
  name: "The site",
  help: HELP,
  start: () => NodeRuntime.runMain(runs, ending(process))
})
