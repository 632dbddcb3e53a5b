/**
 * `scripts/remove-season GAME SLUG`, with the service's own environment, also while it runs. It
 * says what the season has, wants its slug typed, and removes it. Exit status 0 removed, 1 refused
 * or failed, 2 not understood.
 */

import { createInterface } from "node:readline"
import { asksForHelp } from "@agon/api/program/arguments.ts"
import * as LogLines from "@agon/api/program/LogLines.ts"
import { stopWhenLeft } from "@agon/api/program/whenLeft.ts"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime" // the whole package takes four times as long to load
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { prepare } from "../config/dataDirectory.ts"
import * as Secrets from "../config/Secrets.ts"
import { load, type SettingsShape } from "../config/Settings.ts"
import { PLANNING } from "../database/Database.ts"
import { DatabaseName, databaseName } from "../database/DatabaseName.ts"
import { hasDatabase, openBeside } from "../database/open.ts"
import { SESSION } from "../database/session.ts"
import { whyItEnded } from "../database/whyItEnded.ts"
import { LIMITS, type Removed, remove } from "./remove.ts"
import { type Contents, contentsOf, type FoundSeason, find } from "./season.ts"

const HELP = `Usage: scripts/remove-season GAME SLUG [--yes]

Removes a closed season with all that belongs to it: matches, versions, ratings, comments. Accounts and models stay.
It takes the service's own environment, also while it runs, and can be stopped and run again
(docs/operating.md#removing-a-season). Make a backup first: nothing else brings a season back.

--yes   does not ask for the slug
`
/** Between two lines about how far it is. */
const TELL_EVERY_MATCHES = 20_000

const count = (n: number) => n.toLocaleString("en-US")

const about = ({ closed_at, game, name, slug }: FoundSeason, has: Contents) =>
  `The season ${slug} of ${game}, "${name}", closed ${closed_at.toISOString()}, has ${count(has.matches)} matches, ` +
  `${count(has.versions)} versions and ${count(has.comments)} comments.\n` +
  `They are removed, with ${count(has.replays)} replays, models' files and ${count(has.files)} files of its dataset: ${count(has.bytes)} bytes, less what other seasons use.\n` +
  "Accounts and models stay. Only a backup brings the season back.\n"

const NOUNS: Readonly<Record<string, string>> = { matches: "matches", seats: "seats", version: "versions", rating: "ratings" }

const done = ({ game, slug }: FoundSeason, removed: Removed) => {
  const rows = Object.entries(NOUNS).map(([key, noun]) => `${count(removed[key] ?? 0)} ${noun}`)
  return `The season ${slug} of ${game} is removed: ${rows.join(", ")}. The service removes its objects from the store after a day.\n`
}

const say = (text: string) => Effect.sync(() => void process.stdout.write(text))
const warn = (text: string) => Effect.sync(() => void process.stderr.write(text))

/** The next line of the standard input; none at its end. */
const typed = Effect.callback<string | undefined>((resume) => {
  const lines = createInterface({ input: process.stdin })
  lines.once("line", (line) => resume(Effect.succeed(line.trim())))
  lines.once("close", () => resume(Effect.succeed(undefined)))
  return Effect.sync(() => lines.close())
})

const confirmed = Effect.fnUntraced(function* ({ slug }: FoundSeason) {
  yield* say(`Type ${slug} to remove it: `)
  const word = yield* typed
  process.stdin.unref?.()
  return word === slug
})

const progress = (all: number) => {
  let next = TELL_EVERY_MATCHES
  return (matches: number) => {
    if (matches < next) return Effect.void
    next = matches + TELL_EVERY_MATCHES
    return warn(`${count(matches)} of ${count(all)} matches are removed\n`)
  }
}

const removal = Effect.fnUntraced(function* (game: string, slug: string, sure: boolean) {
  const found = yield* find(game, slug)
  if (found.season === undefined) return yield* say(`The season ${slug} of ${game} was removed at ${found.removed_at.toISOString()}.\n`)
  const has = yield* contentsOf(found.season)
  yield* say(about(found.season, has))
  if (!sure && !(yield* confirmed(found.season))) return yield* refused("\nNothing was removed: the slug was not typed.\n")
  yield* say(done(found.season, yield* remove(found.season, progress(has.matches))))
})

const refused = (text: string) => end(1, text)
const end = (status: number, text: string) =>
  Effect.andThen(
    warn(text),
    Effect.sync(() => void (process.exitCode = status))
  )

const failed = (error: unknown) => Effect.flatMap(whyItEnded(error), (why) => refused(`${why}\n`))

const args = process.argv.slice(2)
const named = args.filter((one) => !one.startsWith("-"))
const sure = args.includes("--yes")
const understood = named.length === 2 && args.length === named.length + (sure ? 1 : 0)

const removed = Effect.fnUntraced(function* (settings: SettingsShape) {
  yield* hasDatabase(settings)
  yield* prepare(settings.directory)
  const { url } = yield* openBeside(settings, yield* Secrets.load(settings.directory))
  const pool = PgClient.layer({
    url,
    maxConnections: 1,
    applicationName: "agon removal",
    startupParameters: { ...SESSION, ...LIMITS, ...PLANNING }
  })
  yield* Effect.provide(removal(named[0]!, named[1]!, sure), pool)
})

const run = Effect.gen(function* () {
  if (asksForHelp(args)) return yield* say(HELP)
  if (!understood) return yield* end(2, HELP)
  const settings = yield* load
  yield* removed(settings).pipe(
    Effect.scoped,
    Effect.catch(failed),
    Effect.catchDefect(failed),
    Effect.provideService(DatabaseName, databaseName(settings))
  )
}).pipe(Effect.catch(failed), Effect.provide(LogLines.layerError(process.stderr)))

stopWhenLeft(process, { tied: false })
NodeRuntime.runMain(run)
