/**
 * The service put together from its settings: the database, the object store, its place among the nodes, every service,
 * the routes in front of them. Its own runner and the demo season are started when it answers.
 */

import { join } from "node:path"
import { type Context, Effect, Layer, Redacted } from "effect"
import { makeDevSignIn } from "./account/signin/DevSignIn.ts"
import { Providers } from "./account/signin/Providers.ts"
import { SignIn } from "./account/signin/SignIn.ts"
import { answerAsks } from "./actor/DirectAsks.ts"
import { LocalMailboxes } from "./actor/LocalMailboxes.ts"
import * as MatchTraces from "./actor/MatchTraces.ts"
import { SeasonActors } from "./actor/SeasonActors.ts"
import { CheckShares } from "./config/CheckShares.ts"
import { Mail } from "./config/Mail.ts"
import { loadNodeTls, type NodeTls } from "./config/nodeTls.ts"
import { PublicOrigin, publicOrigin } from "./config/publicOrigin.ts"
import type * as Secrets from "./config/Secrets.ts"
import { Settings, type SettingsShape } from "./config/Settings.ts"
import type { Address } from "./config/variables.ts"
import * as DiskWatch from "./DiskWatch.ts"
import * as Database from "./database/Database.ts"
import { DatabaseName, databaseName } from "./database/DatabaseName.ts"
import { SharedClock } from "./database/SharedClock.ts"
import { startAgain } from "./database/startAgain.ts"
import { DatasetMaker } from "./dataset/DatasetMaker.ts"
import * as DatasetMetrics from "./dataset/DatasetMetrics.ts"
import { Foundations } from "./Foundations.ts"
import { makeRoutes, serve } from "./Http.ts"
import { Handlers } from "./handlers.ts"
import { ClientAddress, type Told, telling, trusting } from "./http/ClientAddress.ts"
import { Mounts } from "./http/Front.ts"
import { RateLimits } from "./http/limit/RateLimits.ts"
import * as Metrics from "./http/Metrics.ts"
import { Site, type SiteShape } from "./http/page/SitePages.ts"
import { siteAddresses } from "./http/page/siteAddresses.ts"
import { ReplayCheck } from "./match/check/ReplayCheck.ts"
import { ReplayRetention } from "./match/retention/ReplayRetention.ts"
import * as Cluster from "./node/Cluster.ts"
import { MailDelivery } from "./notification/mail/MailDelivery.ts"
import * as OutboxMetrics from "./notification/OutboxMetrics.ts"
import { WebhookDelivery } from "./notification/webhook/WebhookDelivery.ts"
import * as ToldObjects from "./object/ToldObjects.ts"
import { objectLayers } from "./objectLayers.ts"
import { Parking } from "./parking/Parking.ts"
import { HasPeers } from "./process/HasPeers.ts"
import { type Listening, OwnSite } from "./process/OwnSite.ts"
import { Standstill } from "./process/Standstill.ts"
import * as FleetMetrics from "./runner/fleet/FleetMetrics.ts"
import { OwnRunner } from "./runner/fleet/OwnRunner.ts"
import { KnownRuntimes, knownRuntimes } from "./runner/session/KnownRuntimes.ts"
import * as DemoSeason from "./season/DemoSeason.ts"
import { Services } from "./services.ts"

type LoadedSecrets = Secrets.Secrets

const signInLayers = (settings: SettingsShape, secrets: LoadedSecrets) => {
  const origin = publicOrigin(settings.public_origin)
  const signIn = SignIn.layer({ secret: Redacted.value(secrets.state_cookie), admin: settings.admin })
  if (!settings.development_sign_in) return { mounts: [], layer: signIn, providers: Providers.layer(settings.providers) }
  const dev = makeDevSignIn({ host: settings.host, origin, secret: Redacted.value(secrets.development_sign_in) })
  return { mounts: [dev.mount], layer: signIn, providers: Providers.layer([dev.provider]) }
}

/** The site where the settings have one; a site beside the service says where it listens as often as it starts. */
const siteOf = ({ site }: SettingsShape, told: Told, listening: Listening): SiteShape | undefined => {
  if (site === "off") return undefined
  const own = () => (listening.port === undefined ? undefined : { host: "127.0.0.1", port: listening.port })
  return { told, at: site === "own" ? own : () => site }
}

const addresses = (settings: SettingsShape, told: Told) =>
  Layer.effect(
    ClientAddress,
    Effect.map(siteAddresses(settings), (isAt) => trusting(settings.trusted_proxies, { told, isAt }))
  )

const surroundings = (settings: SettingsShape, mounts: Context.Service.Shape<typeof Mounts>, told: Told, listening: Listening) =>
  Layer.mergeAll(
    Layer.succeed(Site, siteOf(settings, told, listening)),
    Layer.succeed(PublicOrigin, publicOrigin(settings.public_origin)),
    addresses(settings, told),
    Layer.succeed(Mail, settings.mail),
    Layer.succeed(Mounts, mounts),
    Layer.succeed(KnownRuntimes, knownRuntimes(settings.runtimes)),
    Layer.succeed(CheckShares, settings),
    Standstill.layer,
    settings.otlp_url === undefined ? Layer.empty : Layer.effect(MatchTraces.Traces, MatchTraces.make(settings.otlp_share)),
    settings.redis_url === undefined ? RateLimits.layer() : RateLimits.layerRedis({ url: settings.redis_url })
  )

/** The folder of AGON_DATA with the files of datasets that are being written. */
const datasetDirectory = (directory: string) => join(directory, "datasets")

/** The gauges that only the database knows; nobody asks for them where metrics are off. */
const gaugesOf = ({ datasets, metrics }: SettingsShape) => {
  if (metrics === undefined) return Layer.empty
  return Layer.mergeAll(FleetMetrics.layer, OutboxMetrics.layer, datasets === "off" ? Layer.empty : DatasetMetrics.layer)
}

/** The others also ask this node's seasons past the cluster's messages. */
const amongOthers = (node: Address, { nodes }: LoadedSecrets, tls: NodeTls | undefined) =>
  Layer.unwrap(Effect.map(answerAsks, (answer) => Cluster.layerAmongOthers(node, nodes, tls, answer))).pipe(
    Layer.provide(LocalMailboxes.layer)
  )

/** Launched by run.ts; fails with one line where the settings or the machine do not let it start. */
export const Program = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const { secrets, url } = yield* Foundations
    const objects = objectLayers(settings, secrets)
    const signIn = signInLayers(settings, secrets)
    const routes = Layer.merge(makeRoutes(Handlers), objects.routes)
    const tls = settings.node_tls === undefined ? undefined : yield* loadNodeTls(settings.node_tls)
    const cluster = settings.node === undefined ? Cluster.layerAlone : amongOthers(settings.node, secrets, tls)
    const wakeAll = Layer.effectDiscard(
      Effect.flatMap(
        Effect.flatMap(SeasonActors, ({ wakeAll }) => wakeAll),
        Effect.forkScoped
      )
    )
    const listening: Listening = { port: undefined }
    const ownSite = OwnSite.layer(settings, listening)
    const retention = ReplayRetention.layer({
      days: settings.replay_days,
      checks: settings.replay_check + settings.audit > 0,
      datasets: settings.datasets !== "off"
    })
    const datasets = DatasetMaker.layer({ datasets: settings.datasets, directory: datasetDirectory(settings.directory) })
    // Released first: the server ends when its requests have ended, and then the others take this node's seasons over.
    const partings = Layer.effectDiscard(Effect.flatMap(Parking, ({ close }) => Effect.addFinalizer(() => close)))
    const everything = partings.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          ReplayCheck.layer(secrets),
          retention,
          datasets,
          MailDelivery.layer,
          WebhookDelivery.layer,
          OwnRunner.layer(settings, secrets),
          ownSite,
          settings.s3 === undefined ? DiskWatch.layer : Layer.empty,
          DemoSeason.layer(settings),
          wakeAll
        )
      ),
      Layer.provideMerge(Metrics.layer(settings.metrics)),
      Layer.provideMerge(gaugesOf(settings)),
      Layer.provideMerge(serve({ host: settings.host, port: settings.port }, routes)),
      Layer.provideMerge(signIn.layer),
      Layer.provideMerge(Services),
      Layer.provideMerge(signIn.providers),
      Layer.provideMerge(surroundings(settings, signIn.mounts, telling(secrets.site), listening)),
      Layer.provideMerge(objects.withReplays),
      Layer.provideMerge(ToldObjects.layer),
      Layer.provideMerge(objects.store),
      Layer.provideMerge(SharedClock.layer),
      Layer.provideMerge(Layer.succeed(HasPeers, settings.node !== undefined)),
      Layer.provideMerge(cluster),
      Layer.provideMerge(Layer.unwrap(Effect.map(url, (url) => Database.layerUpToDate({ url }))))
    )
    return startAgain(everything).pipe(Layer.provide(Layer.succeed(DatabaseName, databaseName(settings))))
  })
)
