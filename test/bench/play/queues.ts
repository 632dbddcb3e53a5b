/**
 * The same cycle on job queues: take a job, rate two entries and write the match and its two seats in one statement, mark
 * the job as done. They are given the easier half: jobs are there beforehand, pairs are disjoint so that no row is fought
 * over, one match is one row with two seats and one index besides the keys, and nobody prevents a result from counting twice.
 */
import { PgBoss } from "pg-boss"
import { Logger, run, runMigrations } from "graphile-worker"
import { Pool } from "pg"
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

/** Matches $1, each between entries 2n and 2n + 1, won by the first: Elo with deviations as in DESIGN section 4. */
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
  await runMigrations({ pgPool: pool, logger: silent })
  return { pool, close: () => pool.end() }
}

const silent = new Logger(() => () => undefined)

/** `batched`: its local queue and batched completion, with connections to match; otherwise as it comes. */
export const graphileWorker = (url: string, pool: Pool, seconds: number, batched: boolean): Contestant => ({
  name: batched ? "graphile-worker, batched" : "graphile-worker, default",
  start: async (runners) => {
    const jobs = fresh(JOBS_PER_S * seconds)
    await pool.query("SELECT graphile_worker.add_job('rate', json_build_object('id', id)) FROM unnest($1::bigint[]) AS id", [jobs])
    await pool.query("ANALYZE graphile_worker._private_jobs")
    let cycles = 0
    const runner = await run({
      connectionString: url,
      concurrency: runners,
      noHandleSignals: true,
      logger: silent,
      preset: batched ? { worker: { maxPoolSize: 20, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } } : {},
      taskList: {
        rate: async (payload, helpers) => {
          await helpers.query(RATE, [[(payload as { readonly id: number }).id]])
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
