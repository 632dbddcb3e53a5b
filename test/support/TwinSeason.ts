/**
 * A season whose every match is prepared by a script: pairings, seats and ids are rows before its actor
 * starts, all leased to one runner that reports when the script says. So two seasons of one script differ
 * in nothing but what is left out of one of them, and what readers see of both can be compared word by
 * word. Time is the script's, too.
 */

import { freshHead } from "@agon/domain/season/Head.ts"
import { LEASE_MS } from "@agon/domain/season/Lease.ts"
import type { Ladder } from "@agon/domain/season/Rules.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import { MatchVoiding } from "@agon/server/match/MatchVoiding.ts"
import { Clock, Effect, Layer, Schedule } from "effect"
import * as Administration from "./Administration.ts"
import * as Fixture from "./Fixture.ts"

const SLOT_MS = 600_000
const OPENED = Date.parse("2026-03-02T00:00:00.000Z")
/** Reads look at 48 moments between the opening and now: in the middle of a slot, when its points have been taken. */
const FIRST = OPENED + SLOT_MS / 2
const at = (slot: number, minutes = 0) => FIRST + slot * SLOT_MS + minutes * 60_000
/** So that every moment of the series lies in the middle of a slot. */
const END = OPENED + 47 * SLOT_MS

/** The services' time is where it was put, until they are stopped; what sleeps, sleeps in real time. */
let now = OPENED
let stands = true
const clock = Layer.effect(
  Clock.Clock,
  Effect.map(Clock.Clock, (real) => {
    const currentTimeMillisUnsafe = () => (stands ? now : real.currentTimeMillisUnsafe())
    const currentTimeNanosUnsafe = () => BigInt(currentTimeMillisUnsafe()) * 1_000_000n
    const begun = real.monotonicTimeNanosUnsafe()
    // By this a season's time would go on of itself (ClockGuard.ts).
    const monotonicTimeNanosUnsafe = () => (stands ? begun : real.monotonicTimeNanosUnsafe())
    return {
      currentTimeMillisUnsafe,
      currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
      currentTimeNanosUnsafe,
      currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
      monotonicTimeNanosUnsafe,
      monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe),
      sleep: (duration: Parameters<typeof real.sleep>[0]) => real.sleep(duration)
    }
  })
)
const timed = Layer.effectDiscard(
  Effect.acquireRelease(
    Effect.sync(() => void (stands = true)),
    () => Effect.sync(() => void (stands = false))
  )
)
export const layer = timed.pipe(Layer.provideMerge(Administration.layer.pipe(Layer.provide(clock))))
const setTime = (to: number) =>
  Effect.sync(() => {
    now = to
  })

export interface Planned {
  readonly ladder: Ladder | null // null: the trial of the candidate
  readonly round: number
  readonly seats: ReadonlyArray<number> // entries
  readonly ranks: ReadonlyArray<number>
  readonly forfeits?: number // the seat that does
}
export type Event =
  | { readonly _tag: "Play"; readonly match: number }
  | { readonly _tag: "Void"; readonly matches: ReadonlyArray<number> }
  | { readonly _tag: "Round"; readonly games: number }
  | { readonly _tag: "Switch"; readonly entry: number; readonly enabled: boolean }
  | { readonly _tag: "Close" }

export interface Script {
  /** Entries are numbered from 1; of these, baselines. One more is a candidate, version 2 of the model of entry 1. */
  readonly entries: number
  readonly baselines: number
  readonly matches: ReadonlyArray<Planned>
  /** Each in a slot of its own, in their order; those of one slot some minutes apart. */
  readonly slots: ReadonlyArray<ReadonlyArray<Event>>
}

const KINDS = ["season", "account", "model", "version", "match", "runner", "key"] as const
/** Of twin `t`; the order of ids is the same in both. */
const idOf = (t: number) => (kind: (typeof KINDS)[number], n: number) =>
  `0195000${KINDS.indexOf(kind)}-0000-7000-8${t.toString(16).padStart(3, "0")}-${n.toString(16).padStart(12, "0")}`

export interface Twin {
  readonly t: number
  readonly slug: string
  readonly id: ReturnType<typeof idOf>
  readonly script: Script
}

export const twin = (t: number, script: Script): Twin => ({ t, slug: `twin-${t}`, id: idOf(t), script })

/** Takes out of a text whatever tells twins apart. */
export const anonymous = ({ t }: Twin, text: string): string =>
  text.replaceAll(`-8${t.toString(16).padStart(3, "0")}-`, "-8000-").replaceAll(`twin-${t}`, "twin")

const instant = (ms: number) => new Date(ms).toISOString()
const LADDERS: ReadonlyArray<Ladder> = ["nano", "open"]

/** Rows of the season before its first match, without the matches that are left out; and its actor wakes. */
export const make = Effect.fnUntraced(function* ({ id, script, slug }: Twin, leftOut: ReadonlySet<number>) {
  yield* setTime(FIRST - 60_000)
  const { baselines, entries, matches } = script
  const season = id("season", 1)
  const numbers = Array.from({ length: entries }, (_, i) => i + 1)
  const isBaseline = (n: number) => n > entries - baselines && n <= entries
  const rules = { ...DEFAULT_RULES, trial: { matches: 2 } }
  const head = { ...freshHead(), versions: entries + 1, matches: matches.length, active: entries, testing: 1 }
  const times = { submissions_open_at: instant(OPENED), submissions_close_at: "2099-01-01T00:00:00.000Z", created_at: instant(OPENED) }
  yield* Fixture.insert("season", [Fixture.season(season, slug, { ...times, rules, head, seq: 0, epoch: 0 })])
  const accounts = numbers.filter((n) => !isBaseline(n))
  const people = accounts.map((n) => ({ id: id("account", n), username: `${slug}-${n}`, display_name: `Owner ${n}`, bio: "" }))
  yield* Fixture.insert(
    "account",
    people.map((row) => ({ ...row, admin: false, suspended: false, created_at: instant(OPENED) }))
  )
  yield* Administration.rows`INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
    SELECT gen_random_uuid(), id, sha256(convert_to(username || '-token', 'UTF8')), '2026-01-01', '2026-01-01', '2099-01-01'
    FROM account WHERE username LIKE ${`${slug}-%`}`
  yield* Fixture.insert(
    "model",
    numbers.map((n) => ({
      id: id("model", n),
      game: "snakes",
      owner_id: isBaseline(n) ? null : id("account", n),
      baseline_season: isBaseline(n) ? season : null,
      name: `model ${n}`,
      retired: false,
      last_number: n === 1 ? 2 : 1,
      created_at: instant(OPENED)
    }))
  )
  yield* Fixture.insert("board", boardsOf(season))
  yield* Fixture.insert(
    "version",
    [...numbers, entries + 1].map((n) => versionOf(id, n, script))
  )
  yield* Fixture.insert(
    "rating",
    numbers.flatMap((n) => LADDERS.map((ladder) => ratingOf(id, n, ladder)))
  )
  yield* Fixture.insert(
    "live",
    matches.flatMap((match, n) => (leftOut.has(n) ? [] : [liveOf(id, match, n + 1, entries)]))
  )
  // A season that is claimed gives every lease a new one's time: it is claimed at the end of the
  // script, and begins before it.
  yield* setTime(END)
  const actors = yield* SeasonActors
  yield* Effect.orDie(actors.wake(season))
  yield* Effect.orDie(Effect.retry(actors.askAll(season, []), Schedule.spaced("10 millis"))) // which takes no step
  yield* setTime(FIRST - 60_000)
  yield* Administration.tell(season, { _tag: "Tick" })
})

const boardsOf = (season_id: string) =>
  [2, 3].map((players, i) => ({
    ...{ season_id, map_id: `board-${players}`, ord: i + 1, players, rows: 11, cols: 11, enabled: true },
    ...{ used: [0, 0, 0, 0, 0, 0, 0], file: { players }, added_at: instant(OPENED) }
  }))

const versionOf = (id: Twin["id"], n: number, { baselines, entries }: Script) => {
  const candidate = n === entries + 1
  const model = candidate ? 1 : n
  const owner_id = model > entries - baselines ? null : id("account", model)
  return {
    ...{ id: id("version", n), season_id: id("season", 1), model_id: id("model", model), owner_id, ord: n, number: candidate ? 2 : 1 },
    ...{ weights_hash: `sha256:${n}`, manifest_hash: `sha256:m${n}`, note: null, created_at: instant(OPENED) },
    ...{ status: candidate ? "testing" : "entered", phase: candidate ? "trial" : null, upload_until: null },
    ...{ weights_bytes: 1_000, manifest_bytes: 100, class: "nano", admit_attempt: 1, admit_failures: 0, admit_key: null, param_count: 9 },
    ...{ infer_us: 10, memory_flat: 0, memory_cell: 0, memory_bytes: 0, runtime_version: "test", reject_reason: null, reject_detail: null },
    ...{ successor: null, trial_played: candidate ? 0 : 2, trial_failed: 0, trial_void: 0 }
  }
}

const ratingOf = (id: Twin["id"], n: number, ladder: Ladder) => ({
  ...{ season_id: id("season", 1), ladder, version_id: id("version", n), ord: n, active: true, mu: 0, sigma: 200, matches: 0 },
  ...{ round_matches: 0, made: 0, credit: 0, forfeits: 0, seat_sum: 0, trend: null, met: [], history: [0] }
})

const liveOf = (id: Twin["id"], { ladder, round, seats }: Planned, n: number, entries: number) => ({
  ...{ season_id: id("season", 1), id: id("match", n), n, ladder, candidate: ladder === null ? id("version", entries + 1) : null, round },
  ...{ map_id: `board-${seats.length}`, seed: n, versions: seats.map((entry) => id("version", entry)), created_at: instant(OPENED) },
  ...{ lease_n: 1, losses: 0, runner_id: id("runner", 1), key_id: id("key", 1), until: instant(END + LEASE_MS), released: false }
})

/** Plays the script without what is left out: neither those matches nor their voids. */
export const play = Effect.fnUntraced(function* (twin: Twin, leftOut: ReadonlySet<number>) {
  for (const [slot, events] of twin.script.slots.entries()) {
    for (const [i, event] of events.entries()) {
      yield* setTime(at(slot, i === 0 ? 0 : 1 + i / 10))
      yield* obey(twin, event, leftOut)
    }
  }
  yield* setTime(END)
  yield* Effect.ignore(Effect.flatMap(SeasonActors, ({ ask }) => ask(twin.id("season", 1), { _tag: "Tick" })))
})

/** Until ratings are there without what was voided. */
const folded = (season: string) =>
  Administration.rows<{ readonly waits: boolean }>`SELECT EXISTS (SELECT 1 FROM voiding WHERE season_id = ${season}) AS waits`.pipe(
    Effect.repeat({ schedule: Schedule.spaced("10 millis"), while: ([row]) => row!.waits })
  )

const obey = Effect.fnUntraced(function* ({ id, script }: Twin, event: Event, leftOut: ReadonlySet<number>) {
  const season = id("season", 1)
  if (event._tag === "Round") {
    const later = now + 5_000
    yield* Administration.tell(season, { _tag: "PlanRound", kind: "round", games: event.games, starts_at: later })
    yield* setTime(later)
    return yield* Administration.tell(season, { _tag: "Tick" })
  }
  if (event._tag === "Switch") {
    return yield* Administration.tell(season, { _tag: "SwitchBaseline", version: id("version", event.entry), enabled: event.enabled })
  }
  if (event._tag === "Close") return yield* Administration.tell(season, { _tag: "CloseSeason" })
  if (event._tag === "Void") {
    if (leftOut.size > 0) return
    const { voidMatch } = yield* MatchVoiding
    const suspect = (n: number) => ({ season_id: season, match: id("match", n + 1), detail: "It was not so.", runners: [] })
    yield* Effect.forEach(event.matches, (n) => Effect.orDie(voidMatch(suspect(n)) as Effect.Effect<void>), {
      concurrency: "unbounded",
      discard: true
    })
    return yield* folded(season)
  }
  if (leftOut.has(event.match)) return
  const { forfeits, ranks } = script.matches[event.match]!
  const seats = ranks.map((rank, seat) => ({ rank, score: forfeits === seat ? 0 : 1_000 - 10 * rank, strikes: forfeits === seat ? 3 : 0 }))
  const outcome = {
    runtime_version: "test",
    reason: "last_standing",
    turns: 20 + event.match,
    played_ms: 5,
    seats,
    state_sha256: "0",
    replay: null
  }
  const lease = `${id("match", event.match + 1)}.1`
  const reply = yield* Administration.tell(season, { _tag: "ReportMatch", key: id("key", 1), lease, outcome })
  if (!reply.accepted) return yield* Effect.die(new Error(`match ${event.match}: ${JSON.stringify(reply)}`))
})

/** Every page that a reader, an owner and an administrator see of the season, by its path. */
export const pages = ({ id, script, slug }: Twin): ReadonlyArray<readonly [path: string, as: string | undefined]> => {
  const inSeason = `/v1/games/snakes/seasons/${slug}`
  const models = Array.from({ length: script.entries }, (_, i) => id("model", i + 1))
  const versions = Array.from({ length: script.entries + 1 }, (_, i) => id("version", i + 1))
  const everyone = [
    ...LADDERS.flatMap((ladder) => [
      `/v1/games/snakes/leaderboard?season=${slug}&ladder=${ladder}&limit=200`,
      `/v1/games/snakes/leaderboard/series?season=${slug}&ladder=${ladder}`,
      `/v1/matches?season=${slug}&ladder=${ladder}&limit=60`,
      ...models.map((model) => `/v1/models/${model}/season?season=${slug}&ladder=${ladder}`)
    ]),
    ...["", "/podium", "/maps", "/maps/board-2", "/playing"].map((rest) => `${inSeason}${rest}`),
    ...["newest", "closest", "upset", "longest"].map((sort) => `/v1/matches?season=${slug}&sort=${sort}&limit=60`),
    ...["win", "loss", "draw"].map((outcome) => `/v1/matches?season=${slug}&model=${models[0]}&outcome=${outcome}&limit=60`),
    `/v1/matches?season=${slug}&vs=${models[0]},${models[1]}&limit=60`,
    `/v1/matches?season=${slug}&map=board-3&players_min=3&limit=60`,
    ...models.flatMap((model) => [`/v1/models/${model}`, `/v1/models/${model}/rivals`, `/v1/matches?model=${model}&limit=60`]),
    ...versions.map((version) => `/v1/versions/${version}`),
    `/v1/profiles/${slug}-1`
  ]
  const matches = script.matches.flatMap((_, n) => ["", "/related"].map((rest) => `/v1/matches/${id("match", n + 1)}${rest}`))
  const own = [
    "/v1/me/matches?limit=60",
    `/v1/me/versions/${versions.at(-1)}`,
    `/v1/games/snakes/submission?season=${slug}&model=${models[0]}`
  ]
  return [
    ...[...everyone, ...matches].map((path) => [path, undefined] as const),
    ...own.map((path) => [path, `${slug}-1`] as const),
    [`${inSeason}/rounds`, "root"]
  ]
}
