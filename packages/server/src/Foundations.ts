/**
 * The parts of the service that take time by themselves and need little code: the data directory, its secrets
 * and the database. run.ts begins with them before it loads the rest, so that initdb, or the start of the
 * embedded server, goes on beside the loading of a thousand modules.
 *
 *   settings ──▶ its addresses are free ──▶ directory and secrets ──▶ the database opens in a fiber of its own
 *                              ┌──────────────────────────────────────────────┴──▶ `url` answers, or says why it was refused
 *                              └── the scope closes ──▶ it is interrupted, and stops the server
 *
 * An address that is taken is told before anything is made or migrated.
 */
import { Context, Deferred, Effect, Layer, type Redacted } from "effect"
import { prepare } from "./config/dataDirectory.ts"
import * as Secrets from "./config/Secrets.ts"
import { Settings, type SettingsShape } from "./config/Settings.ts"
import type { StartRefused } from "./config/StartRefused.ts"
import { DatabaseName, databaseName } from "./database/DatabaseName.ts"
import { type Opened, openOwn } from "./database/open.ts"
import { tryAddress } from "./http/connection/listening.ts"

/** Among the first modules that the program loads meanwhile (loading.ts). */
const schema = Effect.promise(() => import("./database/upToDate.ts"))

/** Those that the service does not start without. */
const tryAddresses = Effect.fnUntraced(function* ({ host, metrics, node, port }: SettingsShape) {
  yield* tryAddress("PORT", { host, port })
  if (node !== undefined) yield* tryAddress("AGON_NODE", node)
  if (metrics?.asked === true) yield* tryAddress("AGON_METRICS", metrics.address)
})

export class Foundations extends Context.Service<
  Foundations,
  {
    readonly secrets: Secrets.Secrets
    /** Waits for the database with its schema; the URL for `Database.layerUpToDate`. */
    readonly url: Effect.Effect<Redacted.Redacted, StartRefused>
  }
>()("agon/Foundations") {
  static readonly layer: Layer.Layer<Foundations, StartRefused, Settings> = Layer.effect(
    Foundations,
    Effect.gen(function* () {
      const settings = yield* Settings
      yield* tryAddresses(settings)
      yield* prepare(settings.directory)
      const secrets = yield* Secrets.load(settings.directory)
      const opened = yield* Deferred.make<Opened, StartRefused>()
      // The fiber has a scope of its own: nothing of the database is released before the fiber
      // that still opens it has ended.
      yield* openOwn(settings, secrets).pipe(
        Effect.tap(({ url }) => Effect.flatMap(schema, ({ upToDate }) => upToDate({ url }))),
        Effect.flatMap((database) => Deferred.succeed(opened, database)),
        Effect.andThen(Effect.never),
        Effect.scoped,
        Effect.catchCause((cause) => Deferred.failCause(opened, cause)),
        Effect.provideService(DatabaseName, databaseName(settings)),
        Effect.forkScoped({ startImmediately: true })
      )
      return Foundations.of({ secrets, url: Effect.map(Deferred.await(opened), ({ url }) => url) })
    })
  )
}
