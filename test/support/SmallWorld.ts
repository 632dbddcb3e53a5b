/**
 * Two public seasons with a little of everything in them, and play in them as a runner would have it: for
 * tests of what a write shows. `one` has two boards, two enabled baselines, Adder of ada's and Boa of bob's,
 * both entered, and matches between them; `two` has Cobra of ada's alone, and a match. The first of
 * `matches.one` is one in which Adder and Boa met.
 */

import type { Work } from "@agon/domain/season/Command.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as A from "./Administration.ts"
import * as Fixture from "./Fixture.ts"

const holder = { runner: Fixture.uuid("runner", 1), key: Fixture.uuid("key", 1) }

/** Work of the season, as the platform's runner gets it. */
export const lease = (
  season_id: string,
  of: "matches" | "admissions" = "matches",
  max = 1
): Effect.Effect<ReadonlyArray<Work>, never, any> =>
  A.tell(season_id, {
    ...holder,
    _tag: "LeaseWork",
    fleet: "platform",
    engine_digest: Fixture.engineDigest,
    matches: of === "matches",
    admissions: of === "admissions",
    max
  })

/** The next match, which the given seat wins; answers its id, and none where nothing is queued. */
export const play = Effect.fnUntraced(function* (season_id: string, winner = 0) {
  const [work] = yield* lease(season_id)
  if (work?.kind !== "match") return undefined
  const seats = work.versions.map((_, seat) => ({ score: seat === winner ? 9 : 1, rank: seat === winner ? 1 : 2, strikes: 0 }))
  const played = { runtime_version: "test", reason: "turns", turns: 30, played_ms: 1, state_sha256: "0".repeat(64), replay: null }
  const receipt = yield* A.tell(season_id, { _tag: "ReportMatch", key: holder.key, lease: work.lease, outcome: { ...played, seats } })
  assert.deepStrictEqual(receipt, { accepted: true })
  return work.match
})

/** The next match cannot be played. */
export const fail = Effect.fnUntraced(function* (season_id: string) {
  const [work] = yield* lease(season_id)
  const about = { fault_reason: "engine_fault", detail: "x" } as const
  yield* A.tell(season_id, { _tag: "ReportFault", key: holder.key, lease: work!.lease, ...about })
})

/** The next version in review is admitted, or rejected. */
export const review = Effect.fnUntraced(function* (season_id: string, admit: boolean) {
  const [work] = yield* lease(season_id, "admissions")
  const verdict = admit
    ? ({ verdict: "admitted", runtime_version: "test", param_count: 1, infer_us: 1, memory: { flat: 0, cell: 0 } } as const)
    : ({ verdict: "rejected", runtime_version: "test", reject_reason: "too_slow", reject_detail: "x" } as const)
  yield* A.tell(season_id, { _tag: "ReportAdmission", key: holder.key, lease: work!.lease, verdict })
})

const statusOf = (version: string) =>
  Effect.map(A.rows<{ readonly status: string }>`SELECT status FROM version WHERE id = ${version}`, ([row]) => row?.status)

/** Plays until the version has entered. */
export const enter = Effect.fnUntraced(function* (season_id: string, version: string) {
  for (let i = 0; i < 40 && (yield* statusOf(version)) === "testing"; i++) yield* play(season_id, i % 2)
  assert.strictEqual(yield* statusOf(version), "entered")
})

export const modelOf = Effect.fnUntraced(function* (as: string, name: string) {
  const made = yield* A.post("/v1/games/snakes/models", { name }, as)
  assert.strictEqual(made.status, 201, made.text)
  return made.json.id as string
})

const accountOf = (name: string) =>
  Effect.map(A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = ${name}`, ([row]) => row!.id)

export const board = (season_id: string, name: string) =>
  Effect.gen(function* () {
    yield* A.tell(season_id, { _tag: "AddBoard", board: name, players: 2, rows: 7, cols: 7, file: { map_id: name } })
    yield* A.tell(season_id, { _tag: "SwitchBoard", board: name, enabled: true })
  })

/** A season with two boards and two baselines in play. */
const field = Effect.fnUntraced(function* (slug: string, n: number) {
  const { id } = yield* A.season(slug, { rules: { trial: { matches: 1 }, cooldown_s: 0, provisional_matches: 1 } })
  for (const name of ["duel", "plain"]) yield* board(id, name)
  const baselines = yield* Effect.forEach([1, 2], (k) => A.baseline(id, n + k, `base${k}`))
  for (const version of baselines) yield* A.tell(id, { _tag: "SwitchBaseline", version, enabled: true })
  return { id, baselines }
})

const entrant = Effect.fnUntraced(function* (season_id: string, n: number, as: string, name: string) {
  const model = yield* modelOf(as, name)
  const version = yield* A.enter(season_id, n, model, yield* accountOf(as))
  yield* enter(season_id, version)
  return { model, version }
})

/** Plays until these two have met; the ids of the matches, that one first. */
const between = Effect.fnUntraced(function* (season_id: string, one: string, other: string) {
  const met = Effect.map(
    A.rows<{ readonly id: string }>`SELECT m.id FROM match m JOIN seat x ON x.match_id = m.id JOIN seat y ON y.match_id = m.id
      WHERE m.status = 'rated' AND x.version_id = ${one} AND y.version_id = ${other}`,
    ([row]) => row?.id
  )
  const matches: Array<string> = []
  for (let i = 0; i < 60 && (matches.length < 4 || (yield* met) === undefined); i++) matches.push((yield* play(season_id, i % 2))!)
  const first = yield* met
  return [first!, ...matches.filter((id) => id !== first)]
})

export const world = Effect.gen(function* () {
  const one = yield* field("one", 10)
  const two = yield* field("two", 20)
  const adder = yield* entrant(one.id, 33, "ada", "Adder")
  const boa = yield* entrant(one.id, 34, "bob", "Boa")
  const cobra = yield* entrant(two.id, 35, "ada", "Cobra")
  const idle = yield* modelOf("bob", "Idle")
  const matches = { one: yield* between(one.id, adder.version, boa.version), two: [(yield* play(two.id, 1))!] }
  return { one, two, adder, boa, cobra, idle, matches }
})
export type World = Effect.Success<typeof world>
