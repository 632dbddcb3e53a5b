/**
 * `agon season create|rounds|close FILE.yaml [--dry-run]`: makes a season as its file describes it, or changes it
 * until it agrees with the file. A dry run shows the difference alone. Settings that agree already are left alone, so
 * each command may be repeated. Where the file differs in a setting that cannot change, nothing is written: status 1.
 */
import type { Client } from "@agon/api/Client.ts"
import { pages } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import type { Season } from "@agon/api/season/Season.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { connectSignedIn, jsonFlag, saying } from "../Service.ts"
import { colours } from "../Shown.ts"
import { type Change, type Changes, changeOf, type RoundStep, roundSteps, seasonChanges } from "./steer/changes.ts"
import { fileArgument, readCreatableFile, readSeasonFile, type SeasonFile } from "./steer/SeasonFile.ts"

const PAGE = 100

const flags = {
  file: fileArgument,
  dry: Flag.Boolean("dry-run").pipe(Flag.withDescription("Show what would change, and change nothing"), Flag.withDefault(false)),
  json: jsonFlag
}

interface Given {
  readonly dry: boolean
  readonly json: boolean
}

/** Tells the changes and, unless it is a dry run or something is fixed, carries them out. */
const settle = Effect.fnUntraced(function* <E, R>(
  { game, slug }: SeasonFile,
  { changes, fixed }: Changes,
  { dry, json }: Given,
  carryOut: Effect.Effect<unknown, E, R>
) {
  const writes = !dry && fixed.length === 0 && changes.length > 0
  if (writes) yield* carryOut
  if (json) yield* Console.log(JSON.stringify({ season: `${game}/${slug}`, changes, fixed, written: writes }))
  else {
    for (const line of yield* linesOf(changes)) yield* Console.log(line)
    for (const { from, to, what } of fixed) yield* Console.log(`fixed: ${what} is ${text(from)}, not ${text(to)}`)
    yield* Console.log(
      `${game}/${slug}: ${fixed.length > 0 ? "nothing was written" : changes.length === 0 ? "nothing to do" : writes ? "done" : "a dry run"}`
    )
  }
  yield* answer(fixed.length === 0)
})

const text = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing"))

const linesOf = (changes: ReadonlyArray<Change>) =>
  Effect.map(colours, ({ green, red }) =>
    changes.flatMap(({ from, to, what }) => [
      ...(from === undefined ? [] : [red(`- ${what}: ${text(from)}`)]),
      ...(to === undefined ? [] : [green(`+ ${what}: ${text(to)}`)])
    ])
  )

/** Undefined where there is none. */
const find = (client: Client, { game, slug }: SeasonFile): Effect.Effect<Season | undefined, unknown> =>
  Effect.catchTag(retryRefused(client.season.privateSeason({ params: { game, slug } })), "unknown_season", () => Effect.succeed(undefined))

const createOrEdit = Effect.fnUntraced(function* (
  client: Client,
  file: SeasonFile,
  found: Season | undefined,
  changes: ReadonlyArray<Change>
) {
  const { game, rounds: _, slug, ...payload } = file
  const params = { game, slug }
  if (found === undefined)
    return yield* retryRefused(client.seasonCreation.createSeason({ params: { game }, payload: { ...payload, slug } }))
  const isChanged = (key: string) => changes.some(({ what }) => what === key || what.startsWith(`${key}.`))
  const { rules, submissions_close_at, submissions_open_at, weight_classes } = payload
  const edited = {
    ...(isChanged("submissions_open_at") ? { submissions_open_at } : {}),
    ...(isChanged("submissions_close_at") ? { submissions_close_at } : {}),
    ...(isChanged("rules") && rules !== undefined ? { rules } : {}),
    ...(isChanged("weight_classes") ? { weight_classes } : {})
  }
  if (Object.keys(edited).length > 0) yield* retryRefused(client.seasonEditing.editSeason({ params, payload: edited }))
  if (isChanged("entry")) yield* retryRefused(client.seasonEditing.narrowEntry({ params, payload: { entry: "restricted" } }))
})

/** A command that compares the season of a file with the service's, and settles the difference. */
const steering = <File extends SeasonFile, E, R, R2>(
  name: string,
  read: (path: string) => Effect.Effect<File, E, R>,
  steer: (client: Client, file: File, given: Given) => Effect.Effect<void, unknown, R2>
) =>
  Command.make(
    name,
    flags,
    Effect.fn(function* (given) {
      const file = yield* read(given.file)
      const { client, url } = yield* connectSignedIn
      yield* saying(url)(steer(client, file, given))
    })
  )

const create = steering(
  "create",
  readCreatableFile,
  Effect.fnUntraced(function* (client, file, given) {
    const found = yield* find(client, file)
    const changes = seasonChanges(file, found)
    yield* settle(file, changes, given, createOrEdit(client, file, found, changes.changes))
  })
).pipe(Command.withDescription("Create a season, or change it to what its file says"))

const carryOut = (client: Client, { game, slug }: SeasonFile, step: RoundStep): Effect.Effect<unknown, unknown> => {
  const params = { game, slug }
  if (step.kind === "plan") return retryRefused(client.round.planRound({ params, payload: step.to }))
  if (step.kind === "withdraw")
    return retryRefused(client.round.patchRound({ params: { ...params, n: String(step.from.n) }, payload: { withdrawn: true } }))
  const { games, starts_at } = step.to
  return retryRefused(client.round.patchRound({ params: { ...params, n: String(step.n) }, payload: { games, starts_at } }))
}

const readPlannedFile = Effect.fnUntraced(function* (path: string) {
  const file = yield* readSeasonFile(path)
  const { rounds } = file
  if (rounds === undefined)
    return yield* new CouldNotRun({ message: "The file has no rounds. `rounds: []` withdraws all that have not begun." })
  return { ...file, rounds }
})

const rounds = steering(
  "rounds",
  readPlannedFile,
  Effect.fnUntraced(function* (client, file, given) {
    const params = { game: file.game, slug: file.slug }
    const answers = yield* Stream.runCollect(pages((query) => retryRefused(client.round.rounds({ params, query })), PAGE))
    const { fixed, steps } = roundSteps(
      file.rounds,
      Array.from(answers).flatMap((page) => page.rounds)
    )
    const write = Effect.forEach(steps, (step) => carryOut(client, file, step), { discard: true })
    yield* settle(file, { changes: steps.map(changeOf), fixed }, given, write)
  })
).pipe(Command.withDescription("Plan, move and withdraw rounds until they are those of the file"))

const close = steering(
  "close",
  readSeasonFile,
  Effect.fnUntraced(function* (client, file, given) {
    const params = { game: file.game, slug: file.slug }
    const { close_requested_at, state } = yield* retryRefused(client.season.privateSeason({ params }))
    const isOver = state === "closed" || close_requested_at !== null
    const changes = isOver ? [] : [{ what: "state", from: state, to: "closed" }]
    yield* settle(file, { changes, fixed: [] }, given, retryRefused(client.seasonEditing.closeSeason({ params })))
  })
).pipe(Command.withDescription("Close a season: its podium stands 90 seconds later at most"))

export const season = Command.make("season").pipe(
  Command.withSubcommands([create, rounds, close]),
  Command.provide(NodeHttpClient.layerNodeHttp)
)
