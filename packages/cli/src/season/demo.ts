/**
 * The demonstration season: boards in play, the zoo as baselines, two competitors. Everything goes through
 * the public API: sign-in, submission, upload, review, trial. Each step first checks whether it is already
 * done, so the command can be interrupted and run again.
 */

import { type Client, makeClient } from "@agon/api/Client.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { type Files, sendFiles } from "@agon/api/submission/sendFiles.ts"
import { hashOf } from "@agon/engine/hash.ts"
import { boardsOf } from "@agon/engine/registry.ts"
import { demoWeightClasses, type ZooEntry, zoo } from "@agon/zoo/zoo.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Console, Duration, Effect, Option, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { devSignIn } from "../account/devSignIn.ts"
import { addressOf, saying } from "../Service.ts"
import { findOrCreateModel } from "../submission/ownModel.ts"

const game = "snakes"
const slug = "demo"
const here = { game, slug }
const SEASON = Duration.days(90)
/** A review takes seconds; a dozen of them share one runner. */
const REVIEWS_TIMEOUT = "10 minutes"
const LOOK_EVERY = "500 millis"
/**
 * So many baselines are in play before the rest is sent. A runner reviews before it plays, so with all of
 * them sent at once the first match would come after a dozen reviews and the competitors' trials.
 */
const PAIR = 2

/** The competitors submit zoo models under names of their own. */
const COMPETITORS = [
  { login: "ada", model: "anaconda", trained_from: "settler" },
  { login: "grace", model: "garter", trained_from: "sniffer" }
] as const

const hashes = ({ manifest, weights }: Files) => ({ weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) })

const builtFor = (name: string): Files => zoo.find((entry) => entry.game === game && entry.name === name)!.build()

/**
 * The same network with its trainer's name in ModelProto.doc_string (field 6, accepted at any
 * place), so that its hash differs.
 */
const trainedBy = (login: string, { manifest, weights }: Files): Files => {
  const text = new TextEncoder().encode(`trained by ${login}`)
  return { manifest, weights: Uint8Array.from([...weights, 0x32, text.length, ...text]) }
}

const found = Effect.fnUntraced(function* (client: Client) {
  const now = yield* Clock.currentTimeMillis
  const fleet = { matches: "both", admissions: "both" } as const
  const payload = {
    name: "Demonstration",
    slug,
    submissions_open_at: new Date(now).toISOString(),
    submissions_close_at: new Date(now + Duration.toMillis(SEASON)).toISOString(),
    weight_classes: demoWeightClasses,
    visibility: "public",
    entry: "open",
    fleet,
    providers: []
  } as const
  yield* Effect.catchTag(
    retryRefused(client.seasonCreation.createSeason({ params: { game }, payload })),
    "season_exists",
    () => Effect.void
  )
})

const addBoards = Effect.fnUntraced(function* (client: Client) {
  for (const board of boardsOf(game)) {
    const adding = retryRefused(client.boardAdmin.addBoard({ params: here, payload: JSON.parse(JSON.stringify(board)) }))
    yield* Effect.catchTag(adding, "board_exists", () => Effect.void)
    yield* retryRefused(client.boardAdmin.switchBoard({ params: { ...here, map_id: board.map_id }, payload: { enabled: true } }))
  }
})

const listBaselines = (client: Client) =>
  Effect.map(retryRefused(client.baseline.baselines({ params: here, query: firstPage(100) })), ({ baselines }) => baselines)

/**
 * Records the models as baselines and sends their files, then switches all on as they are
 * admitted, until none of them is under review. Others may wait for files that are sent later: a run that
 * was stopped has announced them.
 */
const addBaselines = Effect.fnUntraced(function* (client: Client, models: ReadonlyArray<ZooEntry>) {
  const names = new Set(models.map(({ name }) => name))
  for (const entry of models) {
    const files = entry.build()
    const { status, upload } = yield* retryRefused(
      client.baseline.recordBaseline({ params: here, payload: { name: entry.name, ...hashes(files) } })
    )
    if (status === "testing") yield* sendFiles(upload, files)
  }
  const switchAdmitted = Effect.gen(function* () {
    const baselines = yield* listBaselines(client)
    for (const { name, status } of baselines) {
      if (status !== "disabled") continue
      yield* retryRefused(client.baseline.switchBaseline({ params: { ...here, baseline: name }, payload: { enabled: true } }))
    }
    return baselines.every(({ name, status }) => !names.has(name) || (status !== "testing" && status !== "disabled"))
  })
  yield* switchAdmitted.pipe(
    Effect.repeat({ schedule: Schedule.spaced(LOOK_EVERY), until: (done) => done }),
    Effect.timeoutOrElse({
      duration: REVIEWS_TIMEOUT,
      orElse: () => Effect.fail(new CouldNotRun({ message: "The baselines were not reviewed in time; is a runner connected?" }))
    })
  )
})

const compete = Effect.fnUntraced(function* (url: string, { login, model: name, trained_from }: (typeof COMPETITORS)[number]) {
  const client = yield* makeClient(url, { session: yield* devSignIn(url, login) })
  const model = yield* findOrCreateModel(client, game, name)
  const files = trainedBy(login, builtFor(trained_from))
  const payload = { game, season: slug, model: model.id, ...hashes(files), note: `Trained from ${trained_from}` }
  const { version_id, upload } = yield* retryRefused(client.submission.submit({ payload }))
  const { phase } = yield* retryRefused(client.version.ownVersion({ params: { id: version_id } }))
  if (phase === "upload") yield* sendFiles(upload, files)
})

/** Creates the season and everything in it, or the missing parts. */
export const demo = Effect.fn("demo")(function* (url: string, admin: string) {
  const client = yield* makeClient(url, { session: yield* devSignIn(url, admin) })
  yield* found(client)
  yield* addBoards(client)
  const models = zoo.filter((one) => one.game === game)
  yield* addBaselines(client, models.slice(0, PAIR))
  yield* Effect.all([addBaselines(client, models.slice(PAIR)), ...COMPETITORS.map((competitor) => compete(url, competitor))], {
    concurrency: "unbounded"
  })
})

export const demoCommand = Command.make(
  "demo",
  {
    url: Flag.String("url").pipe(
      Flag.withDefault("http://localhost:8080"),
      Flag.withDescription("Address of the service (default: http://localhost:8080)")
    ),
    admin: Flag.String("admin").pipe(Flag.withDefault("admin"), Flag.withDescription("Login name of an administrator (default: admin)"))
  },
  Effect.fn(function* ({ admin, url: given }) {
    const url = yield* addressOf(Option.some(given))
    yield* saying(url)(demo(url, admin))
    yield* Console.log(`The demonstration season is complete: ${url}/games/${game}/seasons/${slug}`)
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
