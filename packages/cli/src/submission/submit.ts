/**
 * `agon submit MODEL.onnx --game snakes --model NAME`: enters a version and follows it until it is entered or rejected.
 *
 * The service knows a version by the hashes of its files: the same command again finds the version that it
 * has begun, sends the files that are still wanted, and follows on. So it may be stopped at any moment.
 */
import type { Client } from "@agon/api/Client.ts"
import { named } from "@agon/api/Name.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { type Refusal as EntryRefusal, refusals as entryRefusals, StorageFull } from "@agon/api/submission/api.ts"
import { hashOf } from "@agon/engine/hash.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer } from "../Answer.ts"
import { readBytes } from "../files.ts"
import { gameFlag } from "../gameFlag.ts"
import { connectSignedIn, jsonFlag, saying } from "../Service.ts"
import { manifestArgument, manifestOf } from "../version/seat.ts"
import { endOf, follow } from "./follow.ts"
import { findModel, findOrCreateModel } from "./ownModel.ts"
import { checkSizes, upload } from "./upload.ts"

interface Entry {
  readonly game: string
  readonly season?: string
  readonly name: string
  readonly note?: string
  readonly weights: Uint8Array
  readonly manifest: Uint8Array
}

type Refusals = ReadonlyArray<{ readonly code: string; readonly detail: string }>

interface Refused {
  readonly refusals: Refusals
  /** The slug of the season that was asked. */
  readonly season: string
}

type Refusal = EntryRefusal | StorageFull
const isRefusal = (error: unknown): error is Refusal => [...entryRefusals, StorageFull].some((refusal) => error instanceof refusal)

/** The version, or why it may not be entered: every reason that the service foresees, before a model is made for it. */
const enter = Effect.fnUntraced(function* (client: Client, { game, manifest, name, note, season, weights }: Entry) {
  const known = yield* findModel(client, game, name)
  const of = season === undefined ? {} : { season }
  const { refusals, season: slug } = yield* retryRefused(
    client.submission.preflight({ params: { game }, query: { ...of, ...(known === undefined ? {} : { model: known.id }) } })
  )
  if (known === undefined && refusals.length > 0) return { refusals, season: slug }
  yield* checkSizes(client, game, slug, { weights, manifest })
  const model = known ?? (yield* findOrCreateModel(client, game, name))
  const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
  const payload = { game, model: model.id, ...of, ...hashes, weights_bytes: weights.length, ...(note === undefined ? {} : { note }) }
  // The same files sent again are answered with their version, whatever the service would refuse of others.
  return yield* Effect.catchIf(retryRefused(client.submission.submit({ payload })), isRefusal, (refusal: Refusal) =>
    Effect.succeed({ refusals: refusals.length > 0 ? refusals : [{ code: refusal.code, detail: refusal.detail }], season: slug })
  )
})

interface How {
  readonly json: boolean
  readonly wait: boolean
}

const submitting = Effect.fnUntraced(function* (client: Client, entry: Entry, { json, wait }: How) {
  const entered = yield* enter(client, entry)
  if (!("version_id" in entered)) return yield* refused(client, entry, entered, json)
  const id = entered.version_id
  const before = yield* retryRefused(client.version.ownVersion({ params: { id } }))
  if (!json) yield* Console.log(`${before.model} version ${before.version} in ${before.season}: ${id}`)
  if (before.phase === "upload") yield* upload(entered.upload, entry, json)
  const after = wait ? yield* follow(client, id, json) : yield* retryRefused(client.version.ownVersion({ params: { id } }))
  if (json) yield* Console.log(JSON.stringify(after))
  else if (wait) yield* Console.log(endOf(after))
  yield* answer(after.status !== "rejected")
})

/** Refusals of the season itself: another one may take the version. */
const OF_SEASON: ReadonlyArray<string> = ["season_closed", "season_not_open"]

/** The other seasons that are live, where the featured one was meant and takes nothing: it stays featured when it closes. */
const elsewhere = Effect.fnUntraced(function* (client: Client, { game, season: named }: Entry, { refusals, season }: Refused) {
  if (named !== undefined || !refusals.some(({ code }) => OF_SEASON.includes(code))) return []
  const [seasons, now] = yield* Effect.all([retryRefused(client.season.privateSeasons({ params: { game } })), Clock.currentTimeMillis])
  const takes = (one: Season) => one.state === "live" && Date.parse(one.submissions_close_at) > now
  return seasons.filter((one) => one.slug !== season && takes(one)).map(({ slug }) => slug)
})

const refused = Effect.fnUntraced(function* (client: Client, entry: Entry, answered: Refused, json: boolean) {
  if (json) yield* Console.log(JSON.stringify({ refusals: answered.refusals }))
  else {
    for (const { code, detail } of answered.refusals) yield* Console.log(`refused (${code}): ${detail}`)
    const others = yield* elsewhere(client, entry, answered)
    if (others.length > 0) yield* Console.log(`The featured season was meant. --season names another that is live: ${others.join(", ")}.`)
  }
  yield* answer(false)
})

const ifSome = <Key extends string>(key: Key, value: Option.Option<string>): { readonly [key in Key]?: string } =>
  Option.isSome(value) ? ({ [key]: value.value } as { readonly [key in Key]: string }) : {}

export const submit = Command.make(
  "submit",
  {
    model: Argument.File("MODEL.onnx").pipe(Argument.withDescription("The model, one ONNX file")),
    manifest: manifestArgument,
    game: gameFlag,
    name: Flag.String("model").pipe(Flag.withDescription("Name of your model; it is made if you have none of this name")),
    season: Flag.String("season").pipe(Flag.withDescription("Season (default: the game's featured one)"), Flag.optional),
    note: Flag.String("note").pipe(Flag.withDescription("Note that others read beside the version"), Flag.optional),
    detach: Flag.Boolean("detach").pipe(Flag.withDescription("Do not wait for the end of the admission"), Flag.withDefault(false)),
    json: jsonFlag
  },
  Effect.fn(function* (given) {
    const entry: Entry = {
      ...{ game: given.game, name: named(given.name), ...ifSome("season", given.season), ...ifSome("note", given.note) },
      weights: yield* readBytes(given.model),
      manifest: yield* readBytes(yield* manifestOf(given.model, given.manifest))
    }
    const { client, url } = yield* connectSignedIn
    yield* submitting(client, entry, { json: given.json, wait: !given.detach }).pipe(
      saying(url),
      Effect.onInterrupt(() => Console.error("agon: stopped; the same command goes on from here."))
    )
  })
).pipe(Command.provide(NodeHttpClient.layerNodeHttp))
