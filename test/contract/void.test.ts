/** A voided match leaves a season of which nobody who reads can tell that it was ever played. */

import { mix } from "@agon/domain/season/Random.ts"
import { MatchVoiding } from "@agon/server/match/MatchVoiding.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Administration from "../support/Administration.ts"
import { valueOf } from "../support/scrape.ts"
import { slow } from "../support/slow.ts"
import type { Event, Planned, Script } from "../support/TwinSeason.ts"
import * as TwinSeason from "../support/TwinSeason.ts"

/** A voided match as its owners know it: that it was, and failed. */
const withoutVoided = (path: string, json: any, voided: ReadonlySet<string>) => {
  if (path.startsWith("/v1/me/matches")) {
    const matches = json.matches.filter(({ id }: { id: string }) => !voided.has(id))
    return { ...json, matches, total: json.total - (json.matches.length - matches.length) }
  }
  // A trial names its matches, those that failed as well.
  return JSON.parse(JSON.stringify(json), (name, value) => (name === "match_ids" ? value.filter((id: string) => !voided.has(id)) : value))
}

const seen = Effect.fnUntraced(function* (twin: TwinSeason.Twin, voided: ReadonlySet<string>) {
  const pages = new Map<string, unknown>()
  for (const [path, as] of TwinSeason.pages(twin)) {
    const { json, status } = yield* Administration.ask(path, as === undefined ? {} : { as })
    const shown = status === 200 ? withoutVoided(path, json, voided) : { status, code: json.code }
    pages.set(TwinSeason.anonymous(twin, path), JSON.parse(TwinSeason.anonymous(twin, JSON.stringify(shown))))
  }
  return pages
})

let twins = 0
/** Both twins play, and their pages are compared. The answer is how often a page says something. */
const compare = Effect.fnUntraced(function* (script: Script) {
  const extra = new Set(script.slots.flat().flatMap((event) => (event._tag === "Void" ? event.matches : [])))
  const [with_, without] = [TwinSeason.twin(++twins, script), TwinSeason.twin(++twins, script)]
  yield* TwinSeason.make(with_, new Set())
  yield* TwinSeason.play(with_, new Set())
  const voided = new Set([...extra].map((n) => with_.id("match", n + 1)))
  const told = yield* seen(with_, voided)
  yield* TwinSeason.make(without, extra)
  yield* TwinSeason.play(without, extra)
  const wanted = yield* seen(without, new Set())
  for (const [path, page] of wanted) assert.deepStrictEqual(told.get(path), page, path)
  return wanted
})

const play = (match: number): Event => ({ _tag: "Play", match })
const plays = (...matches: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<Event>> => matches.map((match) => [play(match)])
const voids = (...matches: ReadonlyArray<number>): Event => ({ _tag: "Void", matches })

/** Two and three seats, both ladders, all entries; the first of the seats or the last wins. */
const match = (n: number, round = 0, entries = 5): Planned => {
  const at = (i: number) => 1 + ((n * 2 + i * (1 + (n % 2))) % entries)
  const seats = n % 4 === 3 ? [at(0), at(1), at(2)] : [at(0), at(1)]
  const ranks = seats.map((_, i) => (mix(n) % 3 === 0 ? seats.length - i : mix(n) % 3 === 1 ? i + 1 : 1))
  return { ladder: n % 3 === 0 ? "open" : "nano", round, seats, ranks }
}
const trial = (entry: number): Planned => ({ ladder: null, round: 0, seats: [6, entry], ranks: [1, 2] })
const base = { entries: 5, baselines: 2 }
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

/** A script by a number: joins, switches, rounds and voids wherever they fall. */
const scriptOf = (seed: number): Script => {
  let draws = 0
  const below = (n: number) => mix(seed * 7919 + ++draws) % n
  const [round, taken, off] = [8 + below(20), 4 + below(25), 6 + below(12)]
  const before = range(0, round).map((n) => match(n * 7 + seed))
  const after = range(round, 38).map((n) => match(n * 7 + seed, seed % 3 === 0 ? 0 : 1))
  const matches = [...before, ...after, trial(5), trial(4), trial(2)]
  const [tried, twice, thrice] = [38, 39, 40]
  const quiet = [round, taken, off, off + 3] // a point of the series is taken in these slots, with or without what is left out
  const extra = Array.from({ length: 1 + below(4) }, () => below(36)).filter((n) => !quiet.includes(n))
  const voidedAt = Math.max(0, ...extra) + 1 + below(3)
  const slots = range(0, 38).flatMap(
    (n): ReadonlyArray<ReadonlyArray<Event>> => [
      ...(n === voidedAt ? [[voids(...new Set(extra))]] : []),
      [
        ...(n === round && seed % 3 > 0 ? [{ _tag: "Round", games: 50 } as const] : []),
        ...(n === taken && taken < round ? [play(tried), voids(tried), play(twice), play(thrice)] : []),
        ...(n === off || n === off + 3 ? [{ _tag: "Switch", entry: 5, enabled: n !== off } as const] : []),
        play(n)
      ]
    ]
  )
  return { ...base, matches, slots: voidedAt > 37 ? [...slots, [voids(...new Set(extra))]] : slots }
}

layer(TwinSeason.layer, Administration.options)("a season that had a match and lost it is one that never had it", (it) => {
  for (const [which, extra] of Object.entries({ first: 0, "one in the middle of it": 9, last: 19 })) {
    it.effect(`when the ${which} is voided at the end`, () =>
      Effect.gen(function* () {
        const matches = range(0, 22).map((n) => match(n))
        const wanted = yield* compare({ ...base, matches, slots: [...plays(...range(0, 20)), [voids(extra)], ...plays(20, 21)] })
        const { entries } = wanted.get("/v1/games/snakes/leaderboard?season=twin&ladder=open&limit=200") as { entries: Array<any> }
        assert.isAbove(Math.max(...entries.map(({ history }) => history.length)), 8)
      })
    )
  }

  it.effect("when it was voided at once, between two others", () =>
    compare({
      ...base,
      matches: range(0, 24).map((n) => match(n)),
      slots: [...plays(...range(0, 10)), [...plays(10)[0]!, voids(10)], ...plays(...range(11, 24))]
    })
  )

  it.effect("when several are voided at once, while all the others are being played", () =>
    compare({
      ...base,
      matches: range(0, 30).map((n) => match(n)),
      slots: [...plays(...range(0, 20)), [voids(2, 11, 3, 19)], ...plays(20, 21)]
    })
  )

  it.effect("when its round is over, and another over since", () =>
    Effect.gen(function* () {
      const matches = range(0, 30).map((n) => match(n, n < 10 ? 0 : n < 20 ? 1 : 2))
      const round = [{ _tag: "Round", games: 50 }] as const
      const slots = [...plays(...range(0, 10)), round, ...plays(...range(10, 15)), [voids(8)], ...plays(...range(15, 20)), round]
      yield* compare({ ...base, matches, slots: [...slots, ...plays(20, 21), [voids(1, 12, 13)], ...plays(22, 23, 24), [voids(9)]] })
    })
  )

  it.effect("when a version has taken a rating over since, and its trial was voided as well", () =>
    Effect.gen(function* () {
      const matches = [
        ...range(0, 20).map((n) => match(n)),
        trial(5),
        trial(4),
        trial(2),
        ...range(0, 8).map((n) => ({ ...match(n), seats: [6, 2 + (n % 4)], ranks: [1, 2] }))
      ]
      const trials = [20, 21, 22].map((n) => ({ _tag: "Play", match: n }) as const)
      const slots = [...plays(...range(0, 12)), [trials[0]!, voids(20), trials[1]!, trials[2]!], ...plays(...range(23, 28)), [voids(4, 24)]]
      yield* compare({ ...base, matches, slots: [...slots, ...plays(28, 29)] })
    })
  )

  it.effect("when a seat had reached the strike limit in it, and its board was of three", () =>
    compare({
      ...base,
      matches: range(0, 20).map((n) => (n === 7 ? { ...match(7), seats: [1, 2, 3], ranks: [1, 2, 3], forfeits: 2 } : match(n))),
      slots: [...plays(...range(0, 14)), [voids(7)], ...plays(14, 15)]
    })
  )

  it.effect("when the season closed after it was voided: the podium is frozen without it", () =>
    compare({ ...base, matches: range(0, 16).map((n) => match(n)), slots: [...plays(...range(0, 16)), [voids(3)], [{ _tag: "Close" }]] })
  )

  for (const seed of range(0, slow ? 60 : 3)) {
    it.effect(`whatever happens around it (seed ${seed})`, () => compare(scriptOf(seed)))
  }

  it.effect("a match of a closed season stays as it is, and the log says who doubted it", () =>
    Effect.gen(function* () {
      const slots: Script["slots"] = [...plays(...range(0, 6)), [{ _tag: "Close" }]]
      const closed = TwinSeason.twin(++twins, { ...base, matches: range(0, 6).map((n) => match(n)), slots })
      yield* TwinSeason.make(closed, new Set())
      yield* TwinSeason.play(closed, new Set())
      const { id } = closed
      yield* Administration.rows`INSERT INTO runner_key (id, name, prefix, key_sha256, created_at) VALUES (${id("key", 1)}, 'k', 'k', '', now())`
      yield* Administration.rows`INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, created_at, last_seen_at)
        VALUES (${id("runner", 1)}, ${id("key", 1)}, 'rack', 'r', '[]', '{}', 1, 'active', now(), now())`
      const before = yield* seen(closed, new Set())
      const { flag, voidMatch } = yield* MatchVoiding
      const runner = id("runner", 1)
      const named = { id: runner, key: id("key", 1) }
      const suspect = { season_id: id("season", 1), match: id("match", 2), detail: "No." }
      const flagged = Effect.map(PrometheusMetrics.format(), (text) => valueOf(text, "agon_runners_flagged_total") ?? 0)
      const flaggedBefore = yield* flagged
      yield* Effect.orDie(voidMatch({ ...suspect, runners: [named] }) as Effect.Effect<void>)
      yield* Effect.orDie(flag({ ...named, key: null }, suspect) as Effect.Effect<void>)
      assert.strictEqual(yield* flagged, flaggedBefore + 1, "a runner that is flagged again is not counted again")
      assert.deepStrictEqual(yield* seen(closed, new Set()), before)
      const log = yield* Administration.log(id("season", 1))
      assert.deepStrictEqual(log, [
        [null, "match.doubt", id("match", 2), { detail: "No.", runners: [runner], why: "closed" }],
        [null, "runner.flag", runner, { name: "rack", key: id("key", 1), match: id("match", 2), detail: "No." }]
      ])
    })
  )
})
