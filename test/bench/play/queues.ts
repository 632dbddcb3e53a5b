/**
 * The same cycle on job queues: take a job, rate two entries and write the match and its two seats in one
 * statement, mark the job as done. They are given the easier half: jobs are there beforehand, pairs are
 * disjoint so that no row is fought over, one match is one row with two seats and one index besides the keys,
 * and nobody prevents a result from counting twice.
 */

import { Logger, run, runMigrations } from "graphile-worker"
import { Pool } from "pg"
import { PgBoss } from "pg-boss"
import type { Contestant } from "./contestant.ts"

/** More than the fastest queue was seen to finish in a second of its slot, so that no slot runs dry. */
const JOBS_PER_S = 5_000
const ENTRIES = 10_000

const TABLES = `
CREATE SCHEMA IF NOT EXISTS queued;
CREATE TABLE IF NOT EXISTS queued.rating (entry int PRIMARY KEY, mu float8 NOT NULL, sigma float8 NOT NULL, games int NOT NULL) WITH (fillfactor = 60);
CREATE TABLE IF NOT EXISTS queued.match (id bigint PRIMARY KEY, winner int NOT NULL, seed int NOT NULL, state_sha256 text NOT NULL, ended_at timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS queued.seat (match bigint, entry int, mu float8 NOT NULL, sigma float8 NOT NULL, PRIMARY KEY (match, entry));
CREATE INDEX IF NOT EXISTS seat_entry ON queued.seat (entry, match);
INSERT INTO queued.rating SELECT n, 0, 200, 0 FROM generate_series(0, ${ENTRIES - 1}) n ON CONFLICT DO NOTHING`

/**
 * Matches $1, each between entries 2n and 2n + 1, won by the first: Elo with deviations as
 * in docs/rating.md#two-seats.
 */
const RATE = `
WITH played AS (SELECT id, (2 * id % ${ENTRIES})::int AS a, (2 * id % ${ENTRIES})::int + 1 AS b FROM unnest($1::bigint[]) AS id),
pair AS (SELECT p.*, a.mu AS mu_a, b.mu AS mu_b, sqrt(30178 + 0.3927 * (a.sigma * a.sigma + b.sigma * b.sigma)) AS c
  FROM played p JOIN queued.rating a ON a.entry = p.a JOIN queued.rating b ON b.entry = p.b),
odds AS (SELECT *, 1 / (1 + exp((mu_b - mu_a) / c)) AS e FROM pair),
moved AS (UPDATE queued.rating r SET mu = r.mu + CASE WHEN r.entry = o.a THEN 1 ELSE -1 END * r.sigma * r.sigma * (1 - o.e) / o.c,
  sigma = r.sigma * sqrt(1 - r.sigma * r.sigma * o.e * (1 - o.e) / (o.c * o.c)), games = r.games + 1
  FROM odds o WHERE r.entry = ANY (ARRAY[o.a, o.b]) RETURNING o.id, r.entry, r.mu, r.sigma),
kept AS (INSERT INTO queued.match SELECT id, a, 7, 'sha256:0123456789abcdef', now() FROM played)
INSERT INTO queued.seat SELECT id, entry, mu, sigma FROM moved`

let next = 0
/** Numbers of matches that have not been played yet. */
const fresh = (count: number) => Array.from({ length: count }, () => ++next)

export const prepareQueues = async (url: string): Promise<{ readonly pool: Pool; readonly close: () => Promise<void> }> => {
  const pool = new Pool({ connectionString: url, max: 10 })
  pool.on("error", () => undefined)
  await pool.query(TABLES)
  await pool.query(SAME_TABLES)
  await runMigrations({ pgPool: pool, logger: silent })
  return { pool, close: () => pool.end() }
}

/**
 * The same on tables with the columns and indexes that Agon's have (see `sameRows`): two ladders, so four
 * ratings a match, the match and its two seats. This one tells what a season's actor saves against a queue, apart from
 * its writes.
 */
const RATE_SAME_ROWS = `
WITH played AS (SELECT id, (2 * id % ${ENTRIES})::int + 1 AS a, (2 * id % ${ENTRIES})::int + 2 AS b FROM unnest($1::bigint[]) AS id),
pair AS (SELECT p.*, x.ladder, x.mu AS mu_a, y.mu AS mu_b, sqrt(30178 + 0.3927 * (x.sigma * x.sigma + y.sigma * y.sigma)) AS c
  FROM played p JOIN same.rating x ON x.ord = p.a JOIN same.rating y ON y.ord = p.b AND y.ladder = x.ladder),
odds AS (SELECT *, 1 / (1 + exp((mu_b - mu_a) / c)) AS e FROM pair),
moved AS (UPDATE same.rating r SET mu = r.mu + CASE WHEN r.ord = o.a THEN 1 ELSE -1 END * r.sigma * r.sigma * (1 - o.e) / o.c,
    sigma = r.sigma * sqrt(1 - r.sigma * r.sigma * o.e * (1 - o.e) / (o.c * o.c)), matches = r.matches + 1, made = r.made + 1,
    round_matches = r.round_matches + 1, credit = r.credit + 1, met = r.met[2:] || CASE WHEN r.ord = o.a THEN o.b ELSE o.a END,
    history = r.history[2:] || r.mu
  FROM odds o WHERE r.ladder = o.ladder AND r.ord = ANY (ARRAY[o.a, o.b])
  RETURNING o.id, o.a, r.ladder, r.ord, r.season_id, r.version_id, r.mu, r.sigma),
ended AS (SELECT *, lpad(to_hex(id), 32, '0')::uuid AS match_id FROM moved),
kept AS (INSERT INTO same.match (id, season_id, n, ladder, round, map_id, seed, engine_digest, status, rated_n, lease_n, runner_id, key_id,
    released, created_at, ended_at, reason, turns, played_ms, runtime_version, state_sha256, closeness, upset, classes, best_place)
  SELECT match_id, season_id, id, 'nano', 0, 'board-1', 7, 'sha256:engine', 'rated', id, 1, season_id, season_id, false, now(), now(),
    'last_standing', 77, 1234, 'bench', 'sha256:0123456789abcdef', mu / -1000, mu, 1, 1 FROM ended WHERE ladder = 'nano' AND ord = a)
INSERT INTO same.seat (match_id, seat, season_id, version_id, model_id, owner_id, ended_at, rank, score, strikes, place, made_mu, made_sigma,
    made_change, open_mu, open_sigma, open_change, closeness, upset, turns, shared)
  SELECT m.match_id, m.ord - m.a, m.season_id, m.version_id, m.version_id, m.version_id, now(), 1 + m.ord - m.a, 2, 0, 1, m.mu, m.sigma, 1,
    o.mu, o.sigma, 1, m.mu / -1000, m.mu, 77, false
  FROM ended m JOIN ended o ON o.match_id = m.match_id AND o.ord = m.ord AND o.ladder = 'open' WHERE m.ladder = 'nano'`

/** Copies of Agon's tables with their indexes, and of the ratings that are there. */
const SAME_TABLES = `
CREATE SCHEMA same;
CREATE TABLE same.rating (LIKE rating INCLUDING ALL) WITH (fillfactor = 60);
CREATE TABLE same.match (LIKE match INCLUDING ALL);
CREATE TABLE same.seat (LIKE seat INCLUDING ALL);
CREATE INDEX ON same.rating (ord);
INSERT INTO same.rating SELECT * FROM rating;
ANALYZE same.rating`

const ADD_JOBS = `
SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
  SELECT ROW('rate', json_build_object('id', id), NULL, NULL, NULL, NULL, NULL, NULL)::graphile_worker.job_spec FROM unnest($1::bigint[]) AS id))`

const silent = new Logger(() => () => undefined)

/**
 * `default`: as it comes. `batched`: its local queue and batched completion, with connections to match.
 * `same rows`: as it comes, writing what Agon writes.
 */
export const graphileWorker = (url: string, pool: Pool, seconds: number, manner: "default" | "batched" | "same rows"): Contestant => ({
  name: `graphile-worker, ${manner}`,
  start: async (runners) => {
    const jobs = fresh(JOBS_PER_S * seconds)
    await pool.query(ADD_JOBS, [jobs])
    await pool.query("ANALYZE graphile_worker._private_jobs")
    const statement = manner === "same rows" ? RATE_SAME_ROWS : RATE
    let cycles = 0
    const runner = await run({
      connectionString: url,
      concurrency: runners,
      noHandleSignals: true,
      logger: silent,
      preset:
        manner === "batched"
          ? { worker: { maxPoolSize: 20, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } }
          : {},
      taskList: {
        rate: async (payload, helpers) => {
          await helpers.query(statement, [[(payload as { readonly id: number }).id]])
          cycles++
        }
      }
    })
    const stop = async () => {
      await runner.stop()
      await pool.query("DELETE FROM graphile_worker._private_jobs")
      await pool.query("VACUUM graphile_worker._private_jobs")
    }
    return { cycles: () => cycles, stop }
  }
})

export const pgBoss = (url: string, pool: Pool, seconds: number, batchSize: number): Contestant => ({
  name: `pg-boss, ${batchSize === 1 ? "one" : "ten"} at a time`,
  start: async (runners) => {
    const boss = new PgBoss({ connectionString: url, schedule: false, supervise: false })
    boss.on("error", () => undefined)
    await boss.start()
    await boss.createQueue("rate")
    for (let s = 0; s < seconds; s++)
      await boss.insert(
        "rate",
        fresh(JOBS_PER_S).map((id) => ({ data: { id } }))
      )
    await pool.query("ANALYZE")
    let cycles = 0
    let playing = true
    const play = async () => {
      while (playing) {
        const jobs = await boss.fetch<{ readonly id: number }>("rate", { batchSize })
        if (jobs.length === 0) return
        await pool.query(RATE, [jobs.map((job) => job.data.id)])
        await boss.complete(
          "rate",
          jobs.map((job) => job.id)
        )
        cycles += jobs.length
      }
    }
    const all = Array.from({ length: runners }, play)
    const stop = async () => {
      playing = false
      await Promise.all(all)
      await boss.deleteAllJobs("rate")
      await boss.stop({ graceful: false })
    }
    return { cycles: () => cycles, stop }
  }
})
