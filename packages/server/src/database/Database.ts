/**
 * The service's connections to Postgres, as layers. Pools on one database:
 *
 *  - `SqlClient` for requests, and for whatever else is plain SQL: a pool for each class of callers (CallerSql.ts). Strangers, however
 *    many and whatever they ask, leave the others theirs, and their statements have a third of the time;
 *  - `PgClient` for what is to be heard from the database where there is no `NodeSql`;
 *  - `SeasonSql` for the season actors alone, so that a season's commit never waits for a connection behind requests;
 *  - `NodeSql` for what nodes tell each other and who hosts which season: a node whose requests are many is not taken for dead.
 *
 * Every wait has a bound: connecting 5 s; a statement 15 s, a lock 10 s and a transaction left open 30 s, which the server enforces. What
 * it cannot (it is frozen, the line is cut, no connection is free) is bounded by those who ask: requests by http/AnswerTimeout.ts,
 * seasons by the limits of SeasonActor.ts. The driver itself listens for the errors of idle connections and replaces those that have
 * died, so a restarted server needs nothing from us.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, type Redacted, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { refuse, type StartRefused } from "../config/StartRefused.ts"
import { OLDEST_MAJOR } from "./binaries.ts"
import type { CallerClass } from "./Caller.ts"
import * as CallerSql from "./CallerSql.ts"
import { migrate } from "./migrate.ts"
import { isRestarting } from "./rows.ts"

/** The actors' own pool. */
export class SeasonSql extends Context.Service<SeasonSql, PgClient.PgClient>()("agon/SeasonSql") {}

/** The connections by which nodes talk; undefined where there are none apart, as in tests. */
export class NodeSql extends Context.Reference<PgClient.PgClient | undefined>("agon/NodeSql", { defaultValue: () => undefined }) {}

export interface Options {
  readonly url: Redacted.Redacted
  /** Of each class of callers. */
  readonly request_connections?: number
  readonly season_connections?: number
  /** How long a server that is not there yet is waited for. */
  readonly patience_s?: number
}

/** With the embedded server's 60 connections, or a usual server's 100, there is room for two services and more, and a listener each. */
const REQUEST_CONNECTIONS = { anonymous: 4, session: 4, service: 6 }
/** Who wait for one of them: a page of a site makes some ten requests at once. */
const WAITS = { anonymous: { waiting: 64, wait: "5 seconds" }, session: { waiting: 128, wait: "10 seconds" } } as const
/** A stranger's statement that takes a second is one that somebody has looked for. */
const ANONYMOUS_LIMITS = { statement_timeout: "5s" }
const SEASON_CONNECTIONS = 3
/** One listens, one holds the locks of the seasons hosted here, the others are for statements. */
const NODE_CONNECTIONS = 4
const CONNECT_TIMEOUT = Duration.seconds(5)
const KEEP_ALIVE = Duration.seconds(30)
const LIMITS = { statement_timeout: "15s", lock_timeout: "10s", idle_in_transaction_session_timeout: "30s" }
/**
 * Costs of flash: at the default ones, which are those of disks, a page of 25 rows is joined by reading a whole table of 18,000
 * (79 ms where 0.2 do). Compiling a plan costs more than short statements ever win back.
 */
export const PLANNING = { random_page_cost: "1.1", jit: "off" }
/**
 * A season finds the rows that it changes by their keys, at most some hundreds in a commit, and by plans that are kept. One that
 * was made while a table was small would read the whole of it, and of its dead rows, ever after (2 ms a match, and growing, where
 * 0.1 do); one that is made anew for the values of each commit, which Postgres prefers once tables have been analysed, takes
 * twice as long as the commit itself.
 */
const BY_KEY = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  plan_cache_mode: "force_generic_plan"
}
/** A server that comes up together with us is waited for. */
const PATIENCE_S = 30
const MIGRATION_TIMEOUT = Duration.minutes(10)

/** Waits for the server, applies the migrations, and gives all pools. */
export const layer = (options: Options): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | SeasonSql, StartRefused> =>
  pools(options).pipe(Layer.provide(Layer.effectDiscard(prepare(options))))

/** All pools on a database whose schema is up to date already. */
export const pools = (options: Options): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | SeasonSql> => {
  const requestsOf = (caller: CallerClass) => options.request_connections ?? REQUEST_CONNECTIONS[caller]
  const requests = CallerSql.layer(
    {
      anonymous: poolOf(options, "agon anonymous", requestsOf("anonymous"), ANONYMOUS_LIMITS),
      session: poolOf(options, "agon sessions", requestsOf("session")),
      service: poolOf(options, "agon requests", requestsOf("service"))
    },
    WAITS
  )
  const rest = pool(options, "agon requests", requestsOf("service"))
  const seasons = pool(options, "agon seasons", options.season_connections ?? SEASON_CONNECTIONS, BY_KEY)
  const nodes = pool(options, "agon nodes", NODE_CONNECTIONS)
  return Layer.mergeAll(
    Layer.merge(rest, requests), // of two SqlClients the later is kept
    Layer.effect(SeasonSql, PgClient.PgClient).pipe(Layer.provide(seasons)),
    Layer.effect(NodeSql, PgClient.PgClient).pipe(Layer.provide(nodes))
  ).pipe(Layer.orDie)
}

/** `more` are settings of its sessions besides the usual ones, or in their place. */
const poolOf = (options: Options, applicationName: string, maxConnections: number, more: Readonly<Record<string, string>> = {}) => ({
  ...connection(options),
  ...{ applicationName, maxConnections, startupParameters: { ...LIMITS, ...PLANNING, ...more } }
})

const pool = (...of: Parameters<typeof poolOf>) => PgClient.layer(poolOf(...of))

const connection = ({ url }: Options) => ({ url, connectTimeout: CONNECT_TIMEOUT, keepAlive: KEEP_ALIVE })

/** Runs before the pools, on a connection of its own without the limits, because a migration may take longer than a request. */
const prepare = (options: Options) =>
  Effect.gen(function* () {
    yield* reach(Duration.seconds(options.patience_s ?? PATIENCE_S))
    yield* migrate.pipe(
      Effect.timeout(MIGRATION_TIMEOUT),
      Effect.mapError((error) => refuse(`DATABASE_URL: the schema could not be brought up to date: ${explain(error)}`))
    )
  }).pipe(Effect.provide(PgClient.layer({ ...connection(options), applicationName: "agon start", maxConnections: 1 }).pipe(Layer.orDie)))

const reach = Effect.fnUntraced(function* (patience: Duration.Duration) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ version: number; encoding: string }>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`.pipe(
    Effect.retry({ schedule: Schedule.spaced("500 millis").pipe(Schedule.upTo({ duration: patience })), while: comesUp }),
    Effect.mapError((error) => refuse(`DATABASE_URL: the server cannot be used: ${explain(error)}`))
  )
  const { version, encoding } = rows[0]!
  if (version < OLDEST_MAJOR * 10_000)
    return yield* refuse(`DATABASE_URL: the server is Postgres ${Math.floor(version / 10_000)}; it takes ${OLDEST_MAJOR} or later`)
  if (encoding !== "UTF8") return yield* refuse(`DATABASE_URL: the database is encoded in ${encoding}; it takes one in UTF8`)
})

const comesUp = (error: SqlError.SqlError) => error.reason._tag === "ConnectionError" || isRestarting(error)

/** What the server or the socket said, without the statement around it. */
const explain = (error: unknown): string => {
  const { reason, cause, message } = error as { reason?: { message?: string; cause?: unknown }; cause?: unknown; message?: string }
  const inner = reason?.cause ?? cause
  return inner instanceof Error && inner.message !== "" ? explain(inner) : (reason?.message ?? message ?? String(error))
}
