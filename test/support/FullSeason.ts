/**
 * A closed season with rows in every table that a season can have rows in, so that what removes one can be
 * seen to leave none. Models of ada and bob play in several of them: `begin` makes these, `fullSeason` a
 * season. Its ids are those of its number.
 */

import { freshHead } from "@agon/domain/season/Head.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "./Fixture.ts"

const { insert, uuid } = Fixture
const MODELS = { ada: uuid("model", 901), bob: uuid("model", 902) }
const BEGUN = "2026-03-01T00:00:00Z"
const at = (minutes: number) => new Date(Date.parse(BEGUN) + minutes * 60_000).toISOString()
const hashOf = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`

export interface FullSeason {
  readonly n: number
  readonly slug: string
  readonly id: string
  /** Of the things of the season; `n` from 0 to 99. */
  readonly idOf: (kind: Parameters<typeof uuid>[0], n: number) => string
  readonly replayKeys: ReadonlyArray<string>
  /** Of files that no other season's versions have. */
  readonly ownKeys: ReadonlyArray<string>
}

/** Files that versions of all full seasons have. */
export const SHARED_KEY = `weights/sha256/${hashOf(7).slice(7)}`

export const named = (n: number): FullSeason => {
  const idOf: FullSeason["idOf"] = (kind, k) => uuid(kind, 10_000 * n + k)
  return {
    n,
    slug: `full-${n}`,
    id: idOf("season", 0),
    idOf,
    replayKeys: [`replays/${idOf("match", 1)}.${hashOf(31).slice(7)}`, `replays/${idOf("match", 2)}`],
    ownKeys: [`weights/sha256/${hashOf(1_000 + n).slice(7)}`, `datasets/${idOf("season", 0)}/${n}`]
  }
}

const accounts = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly id: string; readonly username: string }>`SELECT id, username FROM account`,
    (rows) => Object.fromEntries(rows.map(({ id, username }) => [username, id])) as Record<"root" | "ada" | "bob", string>
  )
)

export const begin = Effect.gen(function* () {
  const { ada, bob } = yield* accounts
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO game (slug) VALUES ('snakes') ON CONFLICT DO NOTHING`
  const model = (id: string, owner_id: string, name: string) => ({ id, game: "snakes", owner_id, name, last_number: 9, created_at: BEGUN })
  yield* insert("model", [model(MODELS.ada, ada, "Asp"), model(MODELS.bob, bob, "Boomslang")])
  yield* insert("stored_object", [{ key: SHARED_KEY, check_at: null, unused: false }])
  yield* insert("story", [{ model_id: MODELS.ada, body: "Hers.", state: "draft", updated_at: BEGUN }])
})

/**
 * Play of the season: `matches` more that count than the two with replays, for removals
 * that take more than one batch.
 */
export const fullSeason = Effect.fnUntraced(function* (n: number, matches = 0) {
  const season = named(n)
  const { id, slug } = season
  const people = yield* accounts
  const podium = { nano: [season.idOf("version", 1)], micro: [], open: [] }
  const head = { ...freshHead(), phase: "closed", versions: 3, rated: 2 + matches, active: 2, podium }
  const times = { created_at: BEGUN, submissions_open_at: BEGUN, submissions_close_at: at(500), close_requested_at: at(600) }
  yield* insert("season", [Fixture.season(id, slug, { ...times, closed_at: at(601), head })])
  yield* field(season, people)
  yield* play(season, matches)
  yield* aside(season, people)
  yield* community(season, people)
  yield* runners(season, people)
  return season
})

const field = Effect.fnUntraced(function* ({ id, idOf, n, ownKeys }: FullSeason, { ada, bob }: Record<string, string>) {
  const base = { id: idOf("model", 3), game: "snakes", baseline_season: id, name: "random", last_number: 1, created_at: BEGUN }
  yield* insert("model", [base])
  const board = { season_id: id, map_id: "duel", ord: 1, players: 2, rows: 7, cols: 7, enabled: true, used: [], file: {}, added_at: BEGUN }
  yield* insert("board", [board])
  yield* insert("board_switch", [{ season_id: id, map_id: "duel", at: BEGUN, enabled: true }])
  const version = (k: number, model_id: string, owner_id: string | null, weights: number) => ({
    ...{ id: idOf("version", k), season_id: id, model_id, owner_id, ord: k, number: owner_id === null ? 1 : n },
    ...{
      weights_hash: hashOf(weights),
      manifest_hash: hashOf(8),
      created_at: BEGUN,
      status: "entered",
      weights_bytes: 10,
      manifest_bytes: 2
    },
    ...{ class: "nano", admit_attempt: 1, admit_failures: 0, trial_played: 1, trial_failed: 0, trial_void: 0 }
  })
  yield* insert("version", [
    version(1, MODELS.ada, ada!, 7),
    version(2, MODELS.bob, bob!, 1_000 + n),
    version(3, idOf("model", 3), null, 2_000 + n)
  ])
  yield* insert("stored_object", [{ key: ownKeys[0], check_at: null, unused: false }])
  yield* insert("review", [{ season_id: id, version_id: idOf("version", 3), lease_n: 0, released: false }])
  yield* insert("void_order", [{ version_id: idOf("version", 2), season_id: id, actor: ada, reason: "x", created_at: BEGUN }])
  const tally = { version_id: idOf("version", 1), counted_to: BEGUN, voided: 0, tallies: {} }
  for (const table of ["rival_tally", "map_tally"]) yield* insert(table, [tally])
  yield* insert("kept_list", [
    { name: "x", season_id: id, marks: "0", kept_to: BEGUN, total: 1, whole: true, last_trial: null, rows: {}, stored_at: BEGUN }
  ])
  yield* insert("season_tally", [{ season_id: id, counted_to: 1 }])
  yield* insert("match_tally", [{ season_id: id, ladder: "nano", map_id: "duel", classes: 1, matches: 1, first: BEGUN, last: BEGUN }])
})

const play = Effect.fnUntraced(function* ({ id, idOf }: FullSeason, more: number) {
  const match = (k: number, change: Fixture.Row = {}) => ({
    ...{
      id: idOf("match", k),
      season_id: id,
      n: k,
      ladder: "nano",
      candidate: null,
      round: 1,
      map_id: "duel",
      seed: k,
      engine_digest: "x"
    },
    ...{ status: "rated", rated_n: null, lease_n: 1, released: false, created_at: at(k), ended_at: at(k), replay_hash: null },
    ...{ replay_bytes: null, replay_by_match: false, replay_inline: false, classes: 1, ...change }
  })
  const replay = { replay_hash: hashOf(31), replay_bytes: 5 }
  yield* insert("match", [
    match(1, { rated_n: 1, ...replay }),
    match(2, { rated_n: 2, ...replay, replay_by_match: true }),
    match(3, { status: "failed" }),
    match(4, { status: "finished", candidate: idOf("version", 2), ladder: null, ...replay, replay_inline: true }),
    match(5, { status: "cancelled" }) // without seats: found by a scan
  ])
  yield* insert("replay", [{ match_id: idOf("match", 4), content: Buffer.from("moves") }])
  const seat = (k: number, n: number) => ({
    ...{
      match_id: idOf("match", k),
      seat: n,
      season_id: id,
      version_id: idOf("version", n + 1),
      model_id: n === 0 ? MODELS.ada : MODELS.bob
    },
    ...{ owner_id: null, ended_at: at(k), rank: n + 1, score: 1, strikes: 0 }
  })
  yield* insert(
    "seat",
    [1, 2, 3, 4].flatMap((k) => [seat(k, 0), seat(k, 1)])
  )
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO match (id, season_id, n, ladder, round, map_id, seed, engine_digest, status, rated_n, lease_n, released, created_at, ended_at)
    SELECT md5(${id} || k)::uuid, ${id}::uuid, 5 + k, 'open', 1, 'duel', k, 'x', 'rated', 2 + k, 1, false, now(), now()
    FROM generate_series(1, ${more}::int) k`
  yield* sql`INSERT INTO seat (match_id, seat, season_id, version_id, model_id, ended_at, rank, score, strikes)
    SELECT m.id, v.ord - 1, m.season_id, v.id, v.model_id, m.ended_at, v.ord, 1, 0
    FROM match m JOIN version v ON v.season_id = m.season_id AND v.ord < 3 WHERE m.season_id = ${id}::uuid AND m.n > 5`
})

/** Rows that play writes besides matches. */
const aside = Effect.fnUntraced(function* ({ id, idOf, n, ownKeys }: FullSeason, { ada }: Record<string, string>) {
  const at = BEGUN
  const season_id = id
  const version_id = idOf("version", 1)
  const live = {
    season_id,
    id: idOf("match", 9),
    n: 9,
    round: 1,
    map_id: "duel",
    seed: 9,
    versions: [version_id],
    created_at: at,
    lease_n: 0
  }
  yield* insert("live", [{ ...live, losses: 0, released: false }])
  yield* insert("rating", [{ ...Fixture.rating(version_id, "nano", 5), season_id }])
  const seed = { season_id, ladder: "nano", version_id, ord: 1, round: 1, n: 1, of: version_id, mu: 0, sigma: 1 }
  yield* insert("rating_seed", [seed])
  yield* insert("rating_redo", [{ season_id, seq: 1, ratings: "\\x00" }])
  yield* insert("voiding", [{ season_id, match_id: idOf("match", 1), n: 1, round: 1, ladder: "nano", versions: [version_id] }])
  yield* insert("series_point", [{ season_id, ladder: "nano", at, versions: [version_id], mus: [1], round: 1, n: 1 }])
  yield* insert("round", [{ season_id, n: 1, kind: "round", games: 1, starts_at: at, withdrawn: false }])
  yield* insert("match_check", [{ season_id, ended_at: at, match_id: idOf("match", 1), complete: false }])
  const audit = { id: idOf("match", 50), season_id, state: "done", created_at: at, lease_n: 0 }
  yield* insert("match_audit", [
    { ...audit, match_id: idOf("match", 1) },
    { ...audit, id: idOf("match", 51), match_id: idOf("match", 77) } // of a match that is not there
  ])
  yield* insert("owner_check", [{ id: idOf("participant", 1), season_id, account_id: ada }])
  const file = { season_id, day: "2026-03-01", part: 1, kind: "matches", key: ownKeys[1], sha256: "x", bytes: 3, rows: 1, through_n: 1 }
  yield* insert("dataset_file", [{ ...file, last: true, made_at: at }])
  yield* insert("stored_object", [{ key: ownKeys[1], check_at: null, unused: false }])
  yield* insert("dataset_voided", [{ season_id, match_id: idOf("match", 3), n: 1, at }])
  yield* insert("dataset_claim", [{ season_id, holder: idOf("season", 1), until: at }])
  yield* insert("audit", [
    { id: idOf("season", 2), at, actor: ada, action: "season.create", game: "snakes", season_id, subject: String(n) }
  ])
})

const community = Effect.fnUntraced(function* ({ id, idOf, slug }: FullSeason, { ada, bob }: Record<string, string>) {
  const created_at = BEGUN
  const season_id = id
  yield* insert("season_admin", [{ season_id, account_id: ada, added_at: created_at }])
  yield* insert("participant", [{ id: idOf("participant", 2), season_id, provider: "dev", login: "bob", added_at: created_at }])
  const thread = { season_id, ended_at: created_at, comments: 1, created_at }
  yield* insert("thread", [
    { id: idOf("thread", 1), match_id: idOf("match", 1), model_id: null, ...thread },
    { id: idOf("thread", 2), match_id: null, model_id: idOf("model", 3), ...thread }
  ])
  const comment = { account_id: bob, body: "Well played.", state: "published", reports: 1, created_at, published_at: created_at }
  yield* insert(
    "comment",
    [1, 2].map((k) => ({ id: idOf("comment", k), thread_id: idOf("thread", k), ...comment }))
  )
  yield* insert("report", [{ id: idOf("comment", 3), comment_id: idOf("comment", 1), account_id: ada, reason: "x", created_at }])
  yield* insert("pick", [{ id: idOf("thread", 3), match_id: idOf("match", 1), game: "snakes", season_id, picked_at: created_at }])
  yield* insert("story", [{ model_id: idOf("model", 3), body: "A baseline.", state: "draft", updated_at: created_at }])
  yield* insert("notice", [{ id: idOf("thread", 4), season_id, subject: "Soon.", sent_at: created_at, sent_by: ada, recipients: 1 }])
  yield* insert("notice_read", [{ account_id: ada, notice_id: idOf("thread", 4), read_at: created_at }])
  const links = [
    `/v1/games/snakes/seasons/${slug}/podium`,
    `/v1/me/versions/${idOf("version", 1)}`,
    `/v1/private/threads?match=${idOf("match", 1)}`,
    `/v1/private/threads?model=${idOf("model", 3)}`,
    `/v1/private/threads?model=${MODELS.ada}`,
    null
  ]
  const told = (link: string | null, i: number) => ({
    id: idOf("thread", 10 + i),
    account_id: ada,
    kind: "x",
    subject: `${slug} ${i}`,
    link,
    created_at
  })
  yield* insert("notification", links.map(told))
  const viewed = (kind: string, of: string, game = "") => ({ day: "2026-03-02", kind, game, id: of, views: 3 })
  const viewedThings = [viewed("season", slug, "snakes"), viewed("match", idOf("match", 1)), viewed("model", idOf("model", 3))]
  yield* insert("view_count", viewedThings)
})

const runners = Effect.fnUntraced(function* ({ id, idOf, n }: FullSeason, { ada }: Record<string, string>) {
  const created_at = BEGUN
  const key = { id: idOf("key", 1), season_id: id, name: "k", prefix: "x", key_sha256: `\\x0${n}`, created_by: ada, created_at }
  yield* insert("runner_key", [key])
  const runner = { id: idOf("runner", 1), key_id: idOf("key", 1), name: "r", runtime_version: "x", engines: [], accepts: [], slots: 1 }
  yield* insert("runner", [{ ...runner, state: "gone", created_at, last_seen_at: created_at }])
  const hook = { id: idOf("key", 2), account_id: ada, url: "https://example.org", secret: "s", created_at, channel: "season" }
  yield* insert("webhook", [hook])
  yield* insert("season_webhook", [{ season_id: id, webhook_id: hook.id }])
  const delivery = { webhook_id: hook.id, id: idOf("key", 3), kind: "season_closed", subject: "s" }
  yield* insert("webhook_attempt", [{ ...delivery, attempt: 1, at: created_at, outcome: "500" }])
  yield* insert("webhook_delivery", [{ ...delivery, created_at, due_at: created_at, attempts: 1 }])
})
