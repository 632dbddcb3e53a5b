/**
 * A season for tests, without Postgres and without waiting: the real machine and the real actor over rows in memory, on
 * TestClock. A test says who enters, which boards are in play and which runners there are, lets days pass and looks.
 *
 *     const season = yield* SeasonKit.season({ entries: 8, boards: [2], runners: 2 })
 *     yield* season.round({ games: 5 })
 *     yield* season.advance("3 days")
 *     assert.deepStrictEqual(season.ladder("open").map((entry) => entry.games >= 5), Array(8).fill(true))
 *
 * Entries are models 1, 2, ... of owners 1, 2, ...; where `strength` is not given, the lower number is
 * the better player. Runners lease, play for `match_s` seconds and report, as long as the season owes
 * anybody anything; `strength` decides who wins, with chance in it, the same in every run. Whatever the
 * kit does not say goes through `ask`: any command of the season, with its answer. `rows()` are the
 * tables as the service would find them.
 */

import type { Command, ReplyTo } from "@agon/domain/season/Command.ts"
import type { Ladder, Rules, Settings } from "@agon/domain/season/Rules.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import * as SeasonActor from "@agon/server/actor/SeasonActor.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { Clock, Duration, Effect, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryStore from "./MemoryStore.ts"
import { ADMITTED, board, id, lease, report, settings, submit } from "./SeasonScript.ts"

export interface Options {
  readonly entries: number
  /** Boards in play, by their seats; named `board0`, `board1`, ... */
  readonly boards: ReadonlyArray<number>
  /** Machines that play one match at a time, 1 where nothing is said. */
  readonly runners?: number
  /** How long a match takes, 10 where nothing is said. They send no heartbeats: a match of 30 or more is lost. */
  readonly match_s?: number
  /** How well model `n` plays, in Elo points; 0 is the average. */
  readonly strength?: (n: number) => number
  readonly rules?: Partial<Rules>
  readonly settings?: Partial<Settings>
}

/** One line of a ladder, best first. */
export interface Entry {
  readonly model: number
  readonly rating: number
  readonly deviation: number
  readonly games: number // counted in the current round
}

export interface Kit {
  /** Days pass, in which runners play and the season's clock runs. */
  readonly advance: (duration: Duration.Input) => Effect.Effect<void>
  /** A further version of model `n`, which goes through review and trial as runners come to it. */
  readonly submit: (n: number) => Effect.Effect<ReplyTo<Extract<Command, { _tag: "SubmitVersion" }>>, Mailbox.Refused>
  /** Plans a round for a second from now. */
  readonly round: (round: { readonly games: number; readonly kind?: "round" | "finals" }) => Effect.Effect<void, Mailbox.Refused>
  readonly close: Effect.Effect<void, Mailbox.Refused>
  readonly ask: <C extends Command>(command: C) => Effect.Effect<ReplyTo<C>, Mailbox.Refused>
  readonly ladder: (ladder: Ladder) => ReadonlyArray<Entry>
  /** Status of every version of model `n`, oldest first. */
  readonly versions: (n: number) => ReadonlyArray<string>
  readonly podium: (ladder: Ladder) => ReadonlyArray<number>
  readonly rows: () => MemoryStore.Rows
}

const SEASON = id("season", 1)
const numberOf = (uuid: string): number => Number.parseInt(uuid.slice(-12), 16)

/** Starts the season and brings every entry onto its ladders. Ends with the scope of the test. */
export const season = Effect.fnUntraced(function* (options: Options) {
  yield* TestClock.setTime(1_000_000)
  const memory: MemoryStore.Memory = new Map()
  MemoryStore.createSeason(memory, SEASON, settingsOf(options))
  const mailbox = yield* Mailbox.make(SEASON)
  yield* SeasonActor.supervised(mailbox).pipe(
    Effect.provide([MemoryStore.layer(memory), SeasonEvents.layerSilent, Logger.layer([])]),
    Effect.forkScoped
  )
  yield* TestClock.adjust(0)
  const rows = () => memory.get(SEASON)!
  const ask = <C extends Command>(command: C) => Mailbox.ask(mailbox, command)
  const kit = makeKit(ask, rows)
  for (const [i, players] of options.boards.entries()) yield* Mailbox.askAll(mailbox, board(`board${i}`, players))
  for (let n = 1; n <= options.entries; n++) yield* kit.submit(n)
  yield* usher(kit)
  const play = playerOf(options)
  for (let n = 1; n <= (options.runners ?? 1); n++) yield* Effect.forkScoped(runner(kit, n, play, options.match_s ?? 10))
  return kit
}) satisfies (options: Options) => Effect.Effect<Kit, Mailbox.Refused, Scope.Scope>

const settingsOf = ({ rules, settings: change }: Options): Settings => {
  const standard = settings({ submissions_open_at: 1_000_000 })
  return { ...standard, ...change, rules: { ...standard.rules, ...change?.rules, ...rules } }
}

const makeKit = (ask: Kit["ask"], rows: Kit["rows"]): Kit => {
  let submitted = 0
  const advance = (duration: Duration.Input) => TestClock.adjust(duration)
  return {
    advance,
    ask,
    rows,
    submit: (n) => {
      const v = ++submitted
      const number = [...rows().versions.values()].filter(({ model }) => model === id("model", n)).length + 1
      const hashes = { weights_hash: `sha256:w${v}`, manifest_hash: `sha256:m${v}` }
      return ask(submit(v, { model: id("model", n), owner: id("owner", n), number, ...hashes }))
    },
    round: Effect.fnUntraced(function* ({ games, kind = "round" }) {
      const now = yield* Clock.currentTimeMillis
      yield* ask({ _tag: "PlanRound", kind, games, starts_at: now + 1_000 })
      yield* advance("1 second")
    }),
    close: Effect.andThen(ask({ _tag: "CloseSeason" }), advance("1 minute")),
    ladder: (ladder) =>
      [...rows().ratings.values()]
        .filter((row) => row.active && row.ladder === ladder)
        .sort((a, b) => b.mu - a.mu)
        .map(({ mu, round_matches, sigma, version }) => ({
          model: numberOf(rows().versions.get(version)!.model),
          rating: 1_500 + mu,
          deviation: sigma,
          games: round_matches
        })),
    versions: (n) =>
      [...rows().versions.values()].filter(({ model }) => model === id("model", n)).map(({ phase, status }) => phase ?? status),
    podium: (ladder) => (rows().head.podium?.[ladder] ?? []).map((version) => numberOf(rows().versions.get(version)!.model))
  }
}

/** Scores of a match, from its seed and the models by seat. */
type Play = (seed: number, models: ReadonlyArray<number>) => ReadonlyArray<number>

/** Strength and luck: differences of two scores are spread as the logistic that the ratings assume. */
const playerOf = ({ strength = (n) => -20 * n }: Options): Play => {
  const scale = 400 / Math.LN10
  const luck = (seed: number, seat: number): number => {
    const lot = Math.imul(seed ^ Math.imul(seat + 1, 0x9e3779b1), 0x85ebca6b) >>> 0
    return -Math.log(-Math.log((lot + 0.5) / 4294967296))
  }
  return (seed, models) => models.map((n, seat) => Math.round(1_000 * (strength(n) / scale + luck(seed, seat))))
}

/**
 * Whoever was submitted before the season began is on the ladders at once: reviewed and tried by
 * a machine that takes no time.
 */
const usher = Effect.fnUntraced(function* ({ ask, rows }: Kit) {
  const request = lease({ runner: id("runner", 0), key: id("key", 0), max: 64 })
  while ([...rows().versions.values()].some(({ status }) => status === "testing")) {
    for (const work of yield* ask(request)) yield* ask(report(work, request.key))
  }
  yield* ask({ _tag: "HoldOnly", runner: request.runner, holds: [] })
})

const IDLE_S_MAX = 600

/**
 * Leases one piece of work at a time, takes its time over it, reports it, and looks
 * again later where there is none.
 */
const runner = Effect.fnUntraced(function* ({ ask, rows }: Kit, n: number, play: Play, match_s: number) {
  const [key, name] = [id("key", n), id("runner", n)]
  const modelOf = (version: string) => numberOf(rows().versions.get(version)!.model)
  for (let idle_s = match_s; ; ) {
    const [work] = yield* ask(lease({ runner: name, key }))
    yield* Effect.sleep(Duration.seconds(work === undefined ? idle_s : work.kind === "match" ? match_s : 1))
    idle_s = work === undefined ? Math.min(2 * idle_s, IDLE_S_MAX) : match_s
    if (work?.kind === "admission") yield* ask({ _tag: "ReportAdmission", key, lease: work.lease, verdict: ADMITTED })
    if (work?.kind === "match") {
      const outcome = outcomeOf(play(work.seed, work.versions.map(modelOf)))
      yield* ask({ _tag: "ReportMatch", key, lease: work.lease, outcome })
    }
  }
})

const outcomeOf = (scores: ReadonlyArray<number>) => ({
  runtime_version: "kit",
  reason: "last_standing",
  turns: 100,
  played_ms: 1_000,
  seats: scores.map((score) => ({ score, rank: 1 + scores.filter((other) => other > score).length, strikes: 0 })),
  state_sha256: "kit",
  replay: null
})
