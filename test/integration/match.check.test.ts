/**
 * The replay check on PostgreSQL: every match is looked at once, none for ever, whatever becomes
 * of replays, store and thread.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as LogLines from "@agon/api/program/LogLines.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { LocalMailboxes } from "@agon/server/actor/LocalMailboxes.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import { CheckShares } from "@agon/server/config/CheckShares.ts"
import { RetriedFor } from "@agon/server/match/check/CheckRetries.ts"
import { ReplayCheck, SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import * as ReplayThread from "@agon/server/match/check/ReplayThread.ts"
import type { Reported } from "@agon/server/match/check/replayFault.ts"
import { MatchVoiding } from "@agon/server/match/MatchVoiding.ts"
import { ObjectStore, ObjectsUnavailable, ObjectTooLarge } from "@agon/server/object/ObjectStore.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { untilSuccess } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import * as Postgres from "../support/Postgres.ts"
import { played } from "../support/playedMatch.ts"
import { hashOf } from "../support/Referee.ts"

const board = snakesBoards.find(({ players }) => players === 2)!
const hashes = [1, 2].map((seat) => ({ weights_hash: `sha256:${`${seat}a`.repeat(32)}`, manifest_hash: `sha256:${`${seat}b`.repeat(32)}` }))
const [OPEN, CLOSED] = [1, 2].map((n) => Fixture.uuid("season", n)) as [string, string]
const matchId = (season: number, n: number) => Fixture.uuid("match", 1000 * season + n)
const rules = { max_turns: 4, strike_limit: 3 }
const file = (hash: string) => ({ hash, url: "", bytes: 1 })
const truth = played({
  ...{ lease: "", expires_at: "", kind: "match", match_id: "", game: "snakes", engine_digest: Fixture.engineDigest, is_trial: false },
  ...{ board: JSON.parse(JSON.stringify(board)), seed: 7, rules, replay_upload: { method: "PUT", url: "", headers: {}, max_bytes: 1 } },
  seats: hashes.map((row, seat) => ({
    ...{ seat, version_id: "", memory_cap_bytes: 1 },
    weights: file(row.weights_hash),
    manifest: file(row.manifest_hash)
  }))
})
const bytes = new TextEncoder().encode(canonicalJson(truth.replay))

/** The store's fault with a match's replay, by its id; it holds the truth otherwise. */
const store = { gets: [] as Array<string>, does: new Map<string, "away" | "missing" | "long" | "garbage">() }
const objects = Layer.mock(ObjectStore, {
  get: ({ key, max_bytes }) =>
    Effect.suspend((): Effect.Effect<Option.Option<Uint8Array>, ObjectsUnavailable | ObjectTooLarge> => {
      const match = /[0-9a-f-]{36}/.exec(key)![0]
      store.gets.push(match)
      switch (store.does.get(match)) {
        case "away":
          return Effect.fail(new ObjectsUnavailable({ operation: "get", key, detail: "away" }))
        case "long":
          return Effect.fail(new ObjectTooLarge({ key, max_bytes }))
        case "missing":
          return Effect.succeed(Option.none())
        case "garbage":
          return Effect.succeed(Option.some(new TextEncoder().encode("{}")))
        default:
          return Effect.succeed(Option.some(bytes))
      }
    })
})
const voided: Array<string> = []
const voiding = Layer.succeed(MatchVoiding, {
  excuses: () => Effect.succeed(false),
  flag: () => Effect.void,
  voidMatch: ({ match }) => Effect.sync(() => void voided.push(match))
})
const mailboxes = new Map<string, Mailbox.Mailbox>()
const PATIENCE_MS = 200

/** A life of the service, until it holds. */
const lives = (until: () => boolean | Effect.Effect<boolean, unknown, SqlClient.SqlClient>, patience_ms = PATIENCE_MS) =>
  Effect.suspend(() => {
    const held = until()
    return typeof held === "boolean" ? Effect.succeed(held) : held
  }).pipe(
    Effect.flatMap((held) => (held ? Effect.void : Effect.fail(new Error("never")))),
    untilSuccess,
    Effect.provide(Layer.fresh(ReplayCheck.layer({ nodes: Redacted.make("ours") }))),
    Effect.provide(Layer.merge(around, Layer.succeed(RetriedFor, patience_ms)))
  )
const around = Layer.mergeAll(
  objects,
  voiding,
  Layer.succeed(LocalMailboxes, mailboxes),
  Layer.succeed(SettledAfter, 0),
  Layer.succeed(CheckShares, { replay_check: 1, audit: 0 })
)

const at = (second: number) => new Date(Date.parse("2026-01-01") + 1000 * second).toISOString()
const idsIn = (n: number) => ({
  model: (seat: number) => Fixture.uuid("model", 10 * n + seat),
  version: (seat: number) => Fixture.uuid("version", 10 * n + seat)
})

/** Ended matches of a season, one a second, all with the same true replay. */
const season = Effect.fnUntraced(function* (n: number, id: string, matches: number, closed_at: string | null = null) {
  const { model, version } = idsIn(n)
  yield* Fixture.insert("season", [Fixture.season(id, `season-${n}`, { rules: { match: rules }, closed_at })])
  const shape = { map_id: board.map_id, ord: 1, players: 2, rows: 11, cols: 11, enabled: true, used: [], file: board }
  yield* Fixture.insert("board", [{ season_id: id, ...shape, added_at: at(0) }])
  yield* Fixture.insert(
    "model",
    hashes.map((_, seat) => ({
      id: model(seat),
      game: "snakes",
      baseline_season: id,
      name: `m${seat}`,
      retired: false,
      last_number: 1,
      created_at: at(0)
    }))
  )
  yield* Fixture.insert(
    "version",
    hashes.map((row, seat) => ({
      ...{ id: version(seat), season_id: id, model_id: model(seat), ord: seat, number: 1, ...row, created_at: at(0), status: "entered" },
      ...{ admit_attempt: 1, admit_failures: 0, trial_played: 0, trial_failed: 0, trial_void: 0 }
    }))
  )
  yield* play(n, id, matches)
})

/** Matches of two versions, as they were reported. */
const play = Effect.fnUntraced(function* (n: number, id: string, matches: number) {
  const { model, version } = idsIn(n)
  const { reason, scores, ranks, strikes, turns } = truth.result
  const told = {
    reason,
    turns,
    state_sha256: truth.replay.state_sha256,
    runtime_version: "test",
    engine_digest: Fixture.engineDigest,
    seed: 7
  }
  const numbers = Array.from({ length: matches }, (_, i) => i + 1)
  yield* Fixture.insert(
    "match",
    numbers.map((i) => ({
      ...{
        id: matchId(n, i),
        season_id: id,
        n: i,
        ladder: "open",
        round: 0,
        map_id: board.map_id,
        status: "rated",
        rated_n: i,
        lease_n: 1
      },
      ...{
        ...told,
        released: false,
        created_at: at(i),
        ended_at: at(i),
        replay_hash: hashOf(bytes),
        replay_bytes: bytes.length,
        classes: 0
      }
    }))
  )
  yield* Fixture.insert(
    "seat",
    numbers.flatMap((i) =>
      hashes.map((_, seat) => ({
        ...{ match_id: matchId(n, i), seat, season_id: id, version_id: version(seat), model_id: model(seat), ended_at: at(i) },
        ...{ rank: ranks[seat], score: scores[seat], strikes: strikes[seat] }
      }))
    )
  )
})
/** Nothing of another test, but the database's schema and the game. */
const stage = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE game, account, match, seat, match_check, match_audit, audit CASCADE`
  yield* Fixture.insert("game", [{ slug: "snakes" }])
  store.gets.length = 0
  store.does.clear()
  voided.length = 0
  mailboxes.clear()
})
const here = (id: string) => mailboxes.set(id, {} as Mailbox.Mailbox)
const idsOf = (n: number, from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => matchId(n, from + i))
const progress = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ match_id: string }>`SELECT match_id FROM match_check`, ([row]) => row?.match_id)
)
const ended = (n: number, last: number) => () => store.gets.includes(matchId(n, last))

layer(Postgres.layer({ migrate: true }), { excludeTestServices: true })("the replay check", (it) => {
  it.effect("goes on where it stopped, voids what does not follow, and looks at nothing a third time", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 70)
      here(OPEN)
      store.does.set(matchId(1, 5), "garbage")
      yield* lives(ended(1, 40))
      const first = store.gets.length
      yield* lives(ended(1, 70))
      assert.deepStrictEqual(store.gets.slice(0, first), idsOf(1, 1, first))
      assert.deepStrictEqual([...new Set(store.gets)], idsOf(1, 1, 70))
      assert.deepStrictEqual(voided, [matchId(1, 5)])
      yield* lives(() => Effect.map(progress, (at) => at === matchId(1, 70)))
      const looked = store.gets.length
      for (const id of idsOf(1, 1, 70)) assert.isAtMost(store.gets.filter((each) => each === id).length, 2)
      let looks = 0
      yield* lives(() => ++looks > 5)
      assert.strictEqual(store.gets.length, looked)
    })
  )

  it.effect("finds no fault with a match that was voided before it was looked at, but one with its replay", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 3)
      const sql = yield* SqlClient.SqlClient
      const ids = idsOf(1, 1, 2)
      yield* sql`UPDATE match SET status = 'failed', rated_n = NULL, fault_reason = 'replay_mismatch' WHERE ${sql.in("id", ids)}`
      yield* sql`UPDATE seat SET rank = 0 WHERE ${sql.in("match_id", ids)}` // as the season does (actor/store/logShapes.ts)
      here(OPEN)
      store.does.set(matchId(1, 2), "garbage")
      yield* lives(() => Effect.map(progress, (at) => at === matchId(1, 3)))
      assert.deepStrictEqual([...new Set(voided)], [matchId(1, 2)])
    })
  )

  it.effect("sets aside what cannot be had now, looks at those after it meanwhile, and comes back to it", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 70)
      here(OPEN)
      store.does.set(matchId(1, 40), "away")
      yield* lives(ended(1, 70), 60_000)
      assert.deepStrictEqual([...new Set(store.gets)], idsOf(1, 1, 70))
      assert.strictEqual(yield* progress, matchId(1, 32)) // before the one that is left, so that nobody forgets it
      store.does.delete(matchId(1, 40))
      yield* lives(() => Effect.map(progress, (at) => at === matchId(1, 70)))
      assert.isAbove(store.gets.filter((id) => id === matchId(1, 40)).length, 1)
      assert.deepStrictEqual(voided, [])
    })
  )

  it.effect("checks what ends after a clock that was years ahead was set back", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 3)
      here(OPEN)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO match_check (season_id, ended_at, match_id) VALUES (${OPEN}, '2045-01-01', ${matchId(1, 1)})`
      yield* lives(() => Effect.map(sql`SELECT FROM match_check WHERE ended_at < now()`, (rows) => rows.length > 0))
      yield* sql`UPDATE match SET ended_at = ended_at + (SELECT ended_at - '2026-01-01' FROM match_check) + interval '0.001 s' * n`
      yield* lives(ended(1, 3))
      assert.sameMembers([...new Set(store.gets)], idsOf(1, 1, 3))
    })
  )

  it.effect("gives each season a page in its turn", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 100)
      yield* season(2, CLOSED, 3)
      here(OPEN)
      here(CLOSED)
      yield* lives(ended(1, 100))
      assert.deepStrictEqual(store.gets.slice(32, 35), idsOf(2, 1, 3))
    })
  )

  it.effect("passes over what is not there and what is longer than was reported, and over what cannot be had after a while", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 6)
      here(OPEN)
      for (const [n, does] of [
        [1, "missing"],
        [2, "long"],
        [4, "away"]
      ] as const)
        store.does.set(matchId(1, n), does)
      const began = Date.now()
      yield* lives(() => Effect.map(progress, (at) => at === matchId(1, 6)))
      assert.isAtLeast(Date.now() - began, PATIENCE_MS)
      const sql = yield* SqlClient.SqlClient
      const told = yield* sql<{ subject: string; why: string }>`
        SELECT subject, detail->>'why' AS why FROM audit WHERE action = 'match.unchecked' ORDER BY subject`
      assert.deepStrictEqual(
        told.map(({ subject }) => subject),
        [1, 2, 4].map((n) => matchId(1, n))
      )
      assert.strictEqual(told[2]!.why, "Its stored replay could not be read: away.")
      assert.deepStrictEqual(
        store.gets.filter((id) => id !== matchId(1, 4)),
        [...idsOf(1, 1, 3), ...idsOf(1, 5, 6)]
      )
      assert.isAbove(store.gets.filter((id) => id === matchId(1, 4)).length, 1)
      assert.deepStrictEqual(voided, [])
    })
  )

  it.effect("says in its log what the audit log does not take, and goes on", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 2)
      here(OPEN)
      store.does.set(matchId(1, 1), "missing")
      const sql = yield* SqlClient.SqlClient
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.map(LogLines.json, (line) => void lines.push(line))])
      yield* sql`ALTER TABLE audit ADD CONSTRAINT nothing CHECK (false)`
      yield* lives(() => Effect.map(progress, (at) => at === matchId(1, 2))).pipe(
        Effect.provide(logger),
        Effect.ensuring(Effect.orDie(sql`ALTER TABLE audit DROP CONSTRAINT nothing`))
      )
      const told = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "an entry is missing in the audit log")
      assert.deepStrictEqual(
        told.map(({ action, subject, why }) => ({ action, subject, why })),
        [{ action: "match.unchecked", subject: matchId(1, 1), why: "Its stored replay is not there any more, or is longer than it was." }]
      )
    })
  )

  it.effect("looks at a closed season to its end, wherever it was played, and once", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(2, CLOSED, 40, "2026-01-02T00:00:00Z")
      store.does.set(matchId(2, 40), "garbage")
      const sql = yield* SqlClient.SqlClient
      const complete = Effect.map(sql<{ complete: boolean }>`SELECT complete FROM match_check`, ([row]) => row?.complete === true)
      yield* lives(() => complete)
      assert.deepStrictEqual([store.gets.length, voided], [40, [matchId(2, 40)]])
      yield* sql`DELETE FROM match_check WHERE NOT complete`
      let looks = 0
      yield* lives(() => ++looks > 5)
      assert.strictEqual(store.gets.length, 40)
    })
  )

  it.effect("tells a closing season that its results are checked when the last of them is, and not before", () =>
    Effect.gen(function* () {
      yield* stage
      yield* season(1, OPEN, 40)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE season SET close_requested_at = now(), head = head || '{"played": 41, "checked": 3}' WHERE id = ${OPEN}`
      const mailbox = yield* Mailbox.make(OPEN)
      yield* Mailbox.open(mailbox)
      mailboxes.set(OPEN, mailbox)
      store.does.set(matchId(1, 7), "away").set(matchId(1, 40), "garbage")
      yield* lives(() => store.gets.filter((id) => id === matchId(1, 7)).length > 4, 60_000)
      assert.deepStrictEqual([...new Set(voided)], [matchId(1, 40)])
      assert.strictEqual(mailbox.held.size, 0)
      store.does.delete(matchId(1, 7))
      yield* lives(() => mailbox.held.size > 0)
      assert.deepStrictEqual([...mailbox.held][0]!.commands, [{ _tag: "ReplaysChecked", played: 41 }])
      yield* sql`UPDATE season SET head = head || '{"checked": 41}' WHERE id = ${OPEN}`
      yield* Mailbox.shut(mailbox, "it is over")
      yield* Mailbox.open(mailbox)
      let looks = 0
      yield* lives(() => ++looks > 5)
      assert.strictEqual(mailbox.held.size, 0)
    })
  )
})

/** Answers by the first byte: hangs, ends itself, throws, or finds a fault or none. */
const script = `import { parentPort } from "node:worker_threads"
parentPort.on("message", ({ bytes }) => {
  if (bytes[0] === 1) for (;;) {}
  if (bytes[0] === 2) process.exit(1)
  if (bytes[0] === 3) throw new Error("a crash")
  parentPort.postMessage({ fault: bytes[0] === 5 ? "a fault" : null, late: [] })
})`

describe("the thread that checks replays", () => {
  it.live("is ended when it hangs, and replaced whenever it has ended: the next replay is answered", () =>
    Effect.gen(function* () {
      const directory = mkdtempSync(join(tmpdir(), "agon-thread-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(directory, { recursive: true, force: true })))
      const path = join(directory, "thread.mjs")
      writeFileSync(path, script)
      const check = yield* ReplayThread.make(pathToFileURL(path), "5 seconds")
      const ask = (first: number) => check({} as Reported, Uint8Array.of(first))
      for (const [first, answer] of [
        [0, { fault: null, late: [] }],
        [1, "undecided"],
        [5, { fault: "a fault", late: [] }],
        [2, "undecided"],
        [3, "undecided"],
        [0, { fault: null, late: [] }]
      ] as const) {
        assert.deepStrictEqual(yield* ask(first), answer)
      }
      const both = yield* Effect.all([ask(3), ask(5)], { concurrency: "unbounded" })
      assert.deepStrictEqual(both, ["undecided", { fault: "a fault", late: [] }])
    }).pipe(Effect.scoped)
  )
})
