/**
 * A small competition written as rows, for tests of what the reads make of them. The time is that of a fresh TestClock.
 *
 *   spring   public, live, in its first round, the second planned; every kind of version, match and board
 *   winter   public, closed, its podium frozen
 *   secret   private, live; ada is on its roster (identity dev:ADA), bob is not
 *   autumn   public, opens later
 */

import { freshHead } from "@agon/domain/season/Head.ts"
import { DEFAULT_RULES, LADDERS } from "@agon/domain/season/Rules.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const KINDS = ["season", "account", "model", "version", "match", "runner", "key", "participant", "thread", "comment"] as const
/** `uuid("version", 3)`: ids that say what they name. */
export const uuid = (kind: (typeof KINDS)[number], n: number) =>
  `0195000${KINDS.indexOf(kind)}-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

/** Where a TestClock begins. */
export const start = "1970-01-01T00:00:00.000Z"
/** So many minutes after it. */
export const at = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString()

export const seasonIds = { spring: uuid("season", 1), winter: uuid("season", 2), secret: uuid("season", 3), autumn: uuid("season", 4) }
export const modelIds = {
  alpha: uuid("model", 1),
  beta: uuid("model", 2),
  gamma: uuid("model", 3),
  delta: uuid("model", 4),
  random: uuid("model", 5),
  greedy: uuid("model", 6),
  hidden: uuid("model", 7),
  secretBase: uuid("model", 8)
}
/** Of spring, but for `alphaSecret`, `hiddenSecret`, `secretBase` (secret) and `alphaWinter`, `betaWinter` (winter). */
export const versionIds = {
  alpha1: uuid("version", 1),
  alpha2: uuid("version", 2),
  beta1: uuid("version", 3),
  gamma1: uuid("version", 4),
  random: uuid("version", 5),
  greedy: uuid("version", 6),
  delta1: uuid("version", 7),
  beta2: uuid("version", 8),
  gamma2: uuid("version", 9),
  alphaSecret: uuid("version", 10),
  hiddenSecret: uuid("version", 11),
  secretBase: uuid("version", 12),
  alphaWinter: uuid("version", 13),
  betaWinter: uuid("version", 14)
}
export const matchIds = {
  nano: uuid("match", 1),
  open: uuid("match", 2),
  passedTrial: uuid("match", 3),
  openTrial: uuid("match", 4),
  cancelled: uuid("match", 5),
  failed: uuid("match", 6),
  uncounted: uuid("match", 7),
  secret: uuid("match", 8),
  queued: uuid("match", 9),
  playing: uuid("match", 10),
  liveTrial: uuid("match", 11),
  winter: uuid("match", 12)
}

export type Row = Readonly<Record<string, unknown>>

/** Rows as JSON values, cast by the table's own types; every row has the keys of the first. */
export const insert = (table: string, rows: ReadonlyArray<Row>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const columns = Object.keys(rows[0]!)
      .map((name) => `"${name}"`)
      .join()
    return sql.unsafe(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::text::jsonb)`,
      [JSON.stringify(rows)]
    )
  })

const MIB = 1_048_576
export const classes = LADDERS.map((name, i) => ({
  class: name,
  max_bytes: MIB * 4 ** i,
  memory_flat_bytes: 4_096,
  memory_cell_bytes: 64
}))
export const engineDigest = engineOf("snakes")!.digest

export const season = (id: string, slug: string, change: Row = {}): Row => ({
  id,
  game: "snakes",
  slug,
  name: `Season ${slug}`,
  visibility: "public",
  entry: "open",
  providers: [],
  featured: false,
  created_at: at(-50_000),
  submissions_open_at: at(-40_000),
  submissions_close_at: at(40_000),
  rules: DEFAULT_RULES,
  weight_classes: classes,
  fleet: { matches: "both", admissions: "both" },
  fill: { enabled: false, max_per_hour: null },
  engine_digest: engineDigest,
  head: freshHead(),
  close_requested_at: null,
  closed_at: null,
  ...change
})

const frozen = { nano: [versionIds.alphaWinter, versionIds.betaWinter], open: [versionIds.betaWinter, versionIds.alphaWinter] }
const seasons = [
  season(seasonIds.spring, "spring", { head: { ...freshHead(), round: 1, versions: 9, rated: 2, active: 4, testing: 2, matches: 10 } }),
  season(seasonIds.winter, "winter", {
    submissions_open_at: at(-90_000),
    closed_at: at(-45_000),
    close_requested_at: at(-45_001),
    head: { ...freshHead(), phase: "closed", versions: 2, rated: 1, active: 2, podium: { micro: [], ...frozen } }
  }),
  season(seasonIds.secret, "secret", {
    visibility: "private",
    submissions_open_at: at(-10_000),
    head: { ...freshHead(), versions: 3, rated: 1, active: 2 }
  }),
  season(seasonIds.autumn, "autumn", { submissions_open_at: at(10_000), created_at: at(-60_000) })
]

const board = (season_id: string, ord: number, map_id: string, change: Row = {}): Row => ({
  season_id,
  map_id,
  ord,
  players: 2,
  rows: 7,
  cols: 9,
  enabled: true,
  used: [0, 0, 0, 0, 0, 0, 0],
  file: { format: "snakes-board/1", map_id, players: 2, rows: 7, cols: 9 },
  added_at: at(-39_000 + ord),
  ...change
})

const version = (id: string, model_id: string, owner: string | null, ord: number, number: number, change: Row = {}): Row => ({
  id,
  season_id: seasonIds.spring,
  model_id,
  owner,
  ord,
  number,
  weights_hash: `sha256:${String(ord).padStart(64, "a")}`,
  manifest_hash: `sha256:${String(ord).padStart(64, "b")}`,
  note: null,
  created_at: at(-1_000 + ord),
  status: "entered",
  phase: null,
  upload_until: null,
  weights_bytes: 1_000 * ord,
  manifest_bytes: 50,
  class: "nano",
  admit_attempt: 1,
  admit_failures: 0,
  admit_key: null,
  param_count: 5_000_000_000 + ord,
  infer_us: 700,
  memory_flat: 16,
  memory_cell: 1,
  memory_bytes: 316,
  runtime_version: "ort 1.30",
  reject_reason: null,
  reject_detail: null,
  successor: null,
  trial_played: 4,
  trial_failed: 0,
  trial_void: 0,
  ...change
})

const unadmitted = { class: null, param_count: null, infer_us: null, memory_flat: null, memory_cell: null, memory_bytes: null }
const uploading = { status: "testing", phase: "upload", upload_until: at(20), weights_bytes: null, manifest_bytes: null }
const v = versionIds
const m = modelIds
const versions = [
  version(v.alpha1, m.alpha, "ada", 1, 1, { status: "superseded", successor: 2 }),
  version(v.alpha2, m.alpha, "ada", 2, 2, { note: "deeper" }),
  version(v.beta1, m.beta, "bob", 3, 1),
  version(v.gamma1, m.gamma, "bob", 4, 1, { class: "micro" }),
  version(v.random, m.random, null, 5, 1),
  version(v.greedy, m.greedy, null, 6, 1, { status: "disabled" }),
  version(v.delta1, m.delta, "ada", 7, 1, { status: "testing", phase: "trial", trial_played: 1 }),
  version(v.beta2, m.beta, "bob", 8, 2, {
    ...unadmitted,
    status: "rejected",
    reject_reason: "external_data",
    reject_detail: "Put the weights into the file itself.",
    trial_played: 0
  }),
  version(v.gamma2, m.gamma, "bob", 9, 2, { ...unadmitted, ...uploading, runtime_version: null, admit_attempt: 0, trial_played: 0 }),
  version(v.alphaSecret, m.alpha, "ada", 1, 3, { season_id: seasonIds.secret }),
  version(v.hiddenSecret, m.hidden, "ada", 2, 1, { season_id: seasonIds.secret }),
  version(v.secretBase, m.secretBase, null, 3, 1, { season_id: seasonIds.secret, status: "disabled" }),
  version(v.alphaWinter, m.alpha, "ada", 1, 4, { season_id: seasonIds.winter }),
  version(v.betaWinter, m.beta, "bob", 2, 3, { season_id: seasonIds.winter })
]

export const rating = (version_id: string, ladder: string, mu: number, change: Row = {}): Row => ({
  season_id: seasonIds.spring,
  ladder,
  version_id,
  ord: 1,
  active: true,
  round: 1,
  mu,
  sigma: 60,
  matches: 14,
  round_matches: 12,
  made: 9,
  credit: 12,
  forfeits: 0,
  seat_sum: 0,
  trend: -3.456,
  met: [2, 3],
  history: [0, 12.346, mu],
  ...change
})
const newcomer = { sigma: 200, matches: 0, round_matches: 0, trend: null, met: [], history: [0] }
const ratings = [
  rating(v.alpha1, "nano", 90, { active: false }),
  rating(v.alpha2, "nano", 50),
  rating(v.beta1, "nano", 50, { sigma: 100.004 }),
  rating(v.random, "nano", -80.128, { round_matches: 9 }),
  rating(v.greedy, "nano", 200, { active: false }),
  rating(v.gamma1, "micro", 0, newcomer),
  rating(v.alpha2, "open", 10),
  rating(v.beta1, "open", 20),
  rating(v.gamma1, "open", 0, newcomer),
  rating(v.random, "open", -90),
  rating(v.alphaSecret, "open", 5, { season_id: seasonIds.secret }),
  ...["nano", "open"].flatMap((ladder) => [
    rating(v.alphaWinter, ladder, ladder === "nano" ? 30 : 1, { season_id: seasonIds.winter }),
    rating(v.betaWinter, ladder, ladder === "nano" ? 20 : 2, { season_id: seasonIds.winter })
  ])
]

const match = (id: string, n: number, change: Row = {}): Row => ({
  id,
  season_id: seasonIds.spring,
  n,
  ladder: "nano",
  candidate: null,
  round: 1,
  map_id: "duel",
  seed: 4_000_000_000 + n,
  engine_digest: engineDigest,
  status: "rated",
  rated_n: null,
  lease_n: 1,
  runner_id: uuid("runner", 1),
  key_id: uuid("key", 1),
  released: false,
  created_at: at(-100 + n),
  ended_at: at(-90 + n),
  withdrawn_reason: null,
  successor: null,
  fault_reason: null,
  fault_detail: null,
  reason: "last_standing",
  turns: 40 + n,
  played_ms: 900,
  runtime_version: "ort 1.30",
  state_sha256: "c".repeat(64),
  replay_hash: null,
  replay_bytes: null,
  ...change
})
const unplayed = { reason: null, turns: null, played_ms: null, runtime_version: null, state_sha256: null }
const matches = [
  match(matchIds.nano, 1, { rated_n: 1 }),
  match(matchIds.open, 2, { rated_n: 2, ladder: "open", map_id: "crowd", replay_hash: `sha256:${"d".repeat(64)}`, replay_bytes: 900 }),
  match(matchIds.passedTrial, 3, { status: "finished", candidate: v.beta1, ladder: null }),
  match(matchIds.openTrial, 4, { status: "finished", candidate: v.delta1, ladder: null }),
  match(matchIds.cancelled, 5, { ...unplayed, status: "cancelled", withdrawn_reason: "superseded", successor: 2 }),
  match(matchIds.failed, 6, { ...unplayed, status: "failed", fault_reason: "runner_lost" }),
  match(matchIds.uncounted, 7, { status: "finished" }),
  match(matchIds.secret, 1, { season_id: seasonIds.secret, rated_n: 1, ladder: "open" }),
  match(matchIds.winter, 1, { season_id: seasonIds.winter, rated_n: 1, ended_at: at(-50_000) })
]

const made = (mu: number, change: number, place: number) => ({ made_mu: mu, made_sigma: 60, made_change: change, place })
const open = (mu: number, change: number) => ({ open_mu: mu, open_sigma: 60, open_change: change })
const seat = (match_id: string, n: number, version_id: string, rank: number, score: number, change: Row = {}): Row => ({
  match_id,
  seat: n,
  version_id,
  rank,
  score,
  strikes: 0,
  place: null,
  made_mu: null,
  made_sigma: null,
  made_change: null,
  open_mu: null,
  open_sigma: null,
  open_change: null,
  ...change
})
const seats = [
  seat(matchIds.nano, 0, v.alpha2, 1, 100, { ...made(50, 8.126, 4), ...open(10, 4.444) }),
  seat(matchIds.nano, 1, v.beta1, 2, 50, { ...made(50, -8.126, 1), ...open(20, -4.444) }),
  seat(matchIds.open, 0, v.gamma1, 2, 79, { ...made(0, -0.001, 3), strikes: 1 }),
  seat(matchIds.open, 1, v.alpha2, 1, 80, made(10, 2, 2)),
  seat(matchIds.open, 2, v.beta1, 1, 80, made(20, -2, 1)),
  seat(matchIds.passedTrial, 0, v.beta1, 1, 10),
  seat(matchIds.passedTrial, 1, v.random, 2, 5),
  seat(matchIds.openTrial, 0, v.delta1, 2, 5),
  seat(matchIds.openTrial, 1, v.beta1, 1, 10),
  seat(matchIds.cancelled, 0, v.alpha1, 0, 0),
  seat(matchIds.cancelled, 1, v.beta1, 0, 0),
  seat(matchIds.failed, 0, v.alpha2, 0, 0),
  seat(matchIds.failed, 1, v.beta1, 0, 0),
  seat(matchIds.uncounted, 0, v.alpha2, 1, 10),
  seat(matchIds.uncounted, 1, v.beta1, 2, 5),
  seat(matchIds.secret, 0, v.alphaSecret, 1, 10, made(5, 5, 1)),
  seat(matchIds.secret, 1, v.hiddenSecret, 2, 5, made(-5, -5, 2)),
  seat(matchIds.winter, 0, v.alphaWinter, 2, 10, { ...made(30, -1, 1), ...open(1, -1) }),
  seat(matchIds.winter, 1, v.betaWinter, 1, 90, { ...made(20, 1, 2), ...open(2, 1) })
]

const live = (id: string, n: number, versions: ReadonlyArray<string>, change: Row = {}): Row => ({
  season_id: seasonIds.spring,
  id,
  n,
  ladder: "nano",
  candidate: null,
  round: 1,
  map_id: "duel",
  seed: n,
  versions,
  created_at: at(-20 + n),
  lease_n: 0,
  losses: 0,
  runner_id: null,
  key_id: null,
  until: null,
  released: false,
  ...change
})
const leased = { lease_n: 1, runner_id: uuid("runner", 1), key_id: uuid("key", 1), until: at(0.5) }

/** `owner` names an account; its id comes from the row that `seedAccounts` made. */
const owned = (rows: ReadonlyArray<Row>, ids: ReadonlyMap<string, string>) =>
  rows.map(({ owner, ...row }) => ({ ...row, owner_id: owner === null ? null : ids.get(owner as string) }))

const seedPeople = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* sql<{ id: string; username: string }>`SELECT id, username FROM account`
  const ids = new Map(accounts.map(({ id, username }) => [username, id]))
  yield* insert(
    "identity",
    ["ada", "bob"].map((login) => ({ provider: "dev", subject: login, account_id: ids.get(login), login, created_at: start }))
  )
  return ids
})

const seedField = Effect.fnUntraced(function* (ids: ReadonlyMap<string, string>) {
  const model = (id: string, owner: string | null, name: string, n: number, baseline_season: string | null = null) =>
    ({ id, game: "snakes", owner, baseline_season, name, retired: false, last_number: 9, created_at: at(-2_000 + n) }) as Row
  const models = [
    ...[model(m.alpha, "ada", "Alpha", 1), model(m.beta, "bob", "Beta", 2), model(m.gamma, "bob", "Gamma", 3)],
    ...[model(m.delta, "ada", "Delta", 4), model(m.hidden, "ada", "Hidden", 7)],
    ...[model(m.random, null, "random", 5, seasonIds.spring), model(m.greedy, null, "greedy", 6, seasonIds.spring)],
    model(m.secretBase, null, "base", 8, seasonIds.secret)
  ]
  yield* insert("model", owned(models, ids))
  const rows = owned(versions, ids)
  yield* insert("version", rows)
  yield* insert("rating", ratings)
  yield* insert("match", matches)
  const holder = new Map(rows.map((row: Row) => [row["id"], row]))
  const match = new Map(matches.map((row) => [row["id"], row]))
  const seated = seats.map((row) => {
    const { ended_at, season_id } = match.get(row["match_id"])!
    const { model_id, owner_id } = holder.get(row["version_id"])!
    return { ...row, season_id, ended_at, model_id, owner_id }
  })
  yield* insert("seat", seated)
  yield* FIGURES
})

/** The columns that a season writes on a match from its seats, in the words of the contract. */
const FIGURES = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
  UPDATE match m SET
    closeness = (SELECT CASE WHEN f.s[1] = f.s[2] THEN 0 ELSE -abs(f.s[1] - f.s[2])::float8 / nullif(abs(f.s[1]), 0) END
      FROM (SELECT array_agg(y.score ORDER BY y.rank, y.score DESC) AS s FROM seat y WHERE y.match_id = m.id) f),
    upset = (SELECT max((l.made_mu - l.made_change) - (w.made_mu - w.made_change)) FROM seat w JOIN seat l ON l.match_id = w.match_id
      WHERE w.match_id = m.id AND w.rank < l.rank),
    classes = (SELECT bit_or(CASE v.class WHEN 'nano' THEN 1 WHEN 'micro' THEN 2 END) FROM seat y JOIN version v ON v.id = y.version_id
      WHERE y.match_id = m.id),
    best_place = (SELECT min(y.place) FROM seat y WHERE y.match_id = m.id)`
)

const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* seedPeople
  yield* sql`INSERT INTO game (slug) VALUES ('snakes'), ('othello') ON CONFLICT DO NOTHING` // the service may have been here before
  yield* insert("season", seasons)
  yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE season SET ratings_round = (head->>'round')::int`)
  yield* insert("participant", [
    { id: uuid("participant", 1), season_id: seasonIds.secret, provider: "dev", login: "ADA", added_at: start }
  ])
  const boards = [
    board(seasonIds.spring, 1, "duel"),
    board(seasonIds.spring, 2, "crowd", { players: 3, rows: 11, cols: 11 }),
    board(seasonIds.spring, 3, "old", { enabled: false, rows: 25, cols: 25, players: 8 }),
    ...[board(seasonIds.secret, 1, "duel"), board(seasonIds.winter, 1, "duel")]
  ]
  yield* insert("board", boards)
  const old = (minutes: number, enabled: boolean) => ({ season_id: seasonIds.spring, map_id: "old", at: at(minutes), enabled })
  yield* insert("board_switch", [
    { ...old(-900, true), map_id: "duel" },
    ...[old(-900, true), old(-800, false), old(-700, true), old(-600, false)]
  ])
  const round = (n: number, kind: string, change: Row) =>
    ({ season_id: seasonIds.spring, n, kind, games: 20, started_at: null, ended_at: null, withdrawn: false, ...change }) as Row
  yield* insert("round", [
    round(1, "round", { starts_at: at(-500), started_at: at(-500) }),
    round(2, "round", { starts_at: at(500), withdrawn: true }),
    round(3, "finals", { starts_at: at(600) })
  ])
  yield* seedField(ids)
  yield* insert("live", [
    live(matchIds.queued, 9, [v.alpha2, v.beta1]),
    live(matchIds.playing, 10, [v.gamma1, v.random], { ...leased, ladder: "open" }),
    live(matchIds.liveTrial, 11, [v.delta1, v.random], { ladder: null, candidate: v.delta1 })
  ])
  yield* insert("review", [{ season_id: seasonIds.spring, version_id: v.gamma2, lease_n: 0, released: false }])
})

/** Goes over a database that holds the accounts of Web.ts. */
export const layer = Layer.effectDiscard(seed)
