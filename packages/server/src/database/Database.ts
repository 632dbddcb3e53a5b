/**
 * The service's connections to Postgres, as layers. Pools on one database:
 *
 * - `SqlClient` for requests and all other plain SQL: a pool for each class of callers (CallerSql.ts). Anonymous
 *   callers, however many, cannot use the connections of the others, and their statements have a third of the time;
 * - `PgClient` for messages between nodes where there is no `NodeSql`;
 * - `SeasonSql` for the season actors, so that a season's commit never waits for a connection behind requests; of these only results that are
 *   repeated are looked up there, one at a time;
 * - `NodeSql` for messages between nodes and for the placement of seasons: a node that is busy with requests is not
 *   taken for dead.
 *
 * Every wait has a bound. The server enforces 15 s for a statement, 10 s for a lock and 30 s for a
 * transaction left open; connecting takes 5 s at most. Where the server cannot (it is frozen, the connection
 * is cut, none is free), the callers do: requests by http/AnswerTimeout.ts, seasons by the limits of
 * SeasonActor.ts, messages between nodes by those of node/Broadcast.ts. A wait that none of them ends, such as a COMMIT's, ends
 * with its connection, which does not outlast a silence (socketTo.ts). The driver listens for the errors of idle
 * connections and replaces those that have died, so the service has nothing to do when the server restarts.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { StartRefused } from "../config/StartRefused.ts"
import { nodesName } from "./beside.ts"
import type { CallerClass } from "./CallerClass.ts"
import * as CallerSql from "./CallerSql.ts"
import { refuseDatabase } from "./DatabaseName.ts"
import { explain } from "./explain.ts"
import { MIGRATION_NUMBERS, stillPlaysOn } from "./migrate.ts"
import { SESSION } from "./session.ts"
import { socketTo } from "./socketTo.ts"
import { isNotReached } from "./startAgain.ts"
import { connection, KEEP_ALIVE, type Server, upToDate } from "./upToDate.ts"

/** The actors' own pool. */
export class SeasonSql extends Context.Service<SeasonSql, PgClient.PgClient>()("agon/SeasonSql") {}

/** The pool for traffic between nodes; undefined where there is no separate one, as in tests. */
export class NodeSql extends Context.Reference<PgClient.PgClient | undefined>("agon/NodeSql", { defaultValue: () => undefined }) {}

export interface Options extends Server {
  /** Connections of each class of callers. */
  readonly request_connections?: number
  readonly season_connections?: number
  /** Seconds of silence after which a connection is given up, in place of those of each pool. */
  readonly silent_s?: number
}

/**
 * With the embedded server's 60 connections, or a usual server's 100, there is room for two services
 * and more, and a listener each.
 */
const REQUEST_CONNECTIONS = { anonymous: 4, session: 4, service: 6 }
/**
 * The queue for a connection: one page of a site makes some ten requests at once. One address or account that
 * asks for much that is slow leaves a connection, and room in the queue, to others.
 */
const WAITS = {
  anonymous: { waiting: 256, wait: "5 seconds", each: { places: REQUEST_CONNECTIONS.anonymous - 1, waiting: 64 } },
  session: { waiting: 512, wait: "10 seconds", each: { places: REQUEST_CONNECTIONS.session - 1, waiting: 128 } }
} as const
/** Anonymous statements normally take far less than a second; a slow one has been provoked on purpose. */
const ANONYMOUS_LIMITS = { statement_timeout: "5s" }
const SEASON_CONNECTIONS = 3
/** One holds the locks of the seasons hosted here, the others are for statements. */
const NODE_CONNECTIONS = 3
/** Outside of the pools (node/Broadcast.ts). */
const LISTENERS = 1
/** The connections of all pools together, and the one that listens. */
export const CONNECTIONS_OF_A_NODE =
  REQUEST_CONNECTIONS.anonymous +
  REQUEST_CONNECTIONS.session +
  REQUEST_CONNECTIONS.service +
  SEASON_CONNECTIONS +
  NODE_CONNECTIONS +
  LISTENERS
const LIMITS = { statement_timeout: "15s", lock_timeout: "10s", idle_in_transaction_session_timeout: "30s" }
/** Seconds in which a connection is given up that says nothing: more than LIMITS allow. */
const SILENT_S = 40
/** The service's own work counts whole seasons as well, for two minutes at most (match/list/WholeCounts.ts). */
const SILENT_SERVICE_S = 150
/**
 * Planner costs for flash storage. The defaults are for disks: with them a page of 25 rows is joined
 * by reading a whole table of 18,000 (79 ms instead of 0.2). JIT is off, since compiling a plan costs
 * more than short statements gain.
 */
export const PLANNING = { random_page_cost: "1.1", jit: "off" }
/**
 * A season finds the rows that it changes by their keys, at most some hundreds in a commit, with cached
 * plans. A plan made while a table was small would read the whole table and its dead rows ever after (2 ms a
 * match and growing, instead of 0.1). A new plan for the values of each commit, which Postgres prefers once
 * tables have been analysed, takes twice as long as the commit itself.
 */
export const BY_KEY = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
  plan_cache_mode: "force_generic_plan"
}

/** Waits for the server, applies the migrations, and gives all pools. */
export const layer = (options: Options): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | SeasonSql, StartRefused> =>
  layerUpToDate(options).pipe(Layer.provide(Layer.effectDiscard(upToDate(options))))

/** The same where `upToDate` has ended. */
export const layerUpToDate = (options: Options): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | SeasonSql, StartRefused> =>
  Layer.effectDiscard(checked).pipe(Layer.provideMerge(layerPools(options)))

/** On one of the connections by which a migration knows the node (beside.ts). */
const checked = Effect.gen(function* () {
  const nodes = (yield* NodeSql)!
  yield* Effect.provideService(stillPlaysOn, SqlClient.SqlClient, nodes)
}).pipe(
  Effect.catchTag("SqlError", (error) =>
    // The start is tried again where the server was not reached.
    isNotReached(error) ? Effect.die(error) : refuseDatabase(`the schema could not be looked at: ${explain(error)}`)
  )
)

/** All pools on a database whose schema is up to date already. */
export const layerPools = (options: Options): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient | SeasonSql> => {
  const requestsOf = (caller: CallerClass) => options.request_connections ?? REQUEST_CONNECTIONS[caller]
  const own = poolOf({ silent_s: SILENT_SERVICE_S, ...options }, "agon requests", requestsOf("service"))
  const requests = CallerSql.layer(
    {
      anonymous: poolOf(options, "agon anonymous", requestsOf("anonymous"), ANONYMOUS_LIMITS),
      session: poolOf(options, "agon sessions", requestsOf("session")),
      service: own
    },
    WAITS
  )
  const rest = PgClient.layer(own)
  const seasons = pool(options, "agon seasons", options.season_connections ?? SEASON_CONNECTIONS, BY_KEY)
  const nodes = pool(options, nodesName(MIGRATION_NUMBERS.at(-1)!), NODE_CONNECTIONS)
  return Layer.mergeAll(
    Layer.merge(rest, requests), // the second SqlClient replaces the first
    Layer.effect(SeasonSql, PgClient.PgClient).pipe(Layer.provide(seasons)),
    Layer.effect(NodeSql, PgClient.PgClient).pipe(Layer.provide(nodes))
  ).pipe(Layer.orDie)
}

/** `more` adds to the usual session settings or overrides them. */
const poolOf = (options: Options, applicationName: string, maxConnections: number, more: Readonly<Record<string, string>> = {}) => ({
  ...connection(options),
  stream: socketTo(options.url, { keepAlive: KEEP_ALIVE, silent: Duration.seconds(options.silent_s ?? SILENT_S) }),
  ...{ applicationName, maxConnections, startupParameters: { ...SESSION, ...LIMITS, ...PLANNING, ...more } }
})

const pool = (...of: Parameters<typeof poolOf>) => PgClient.layer(poolOf(...of))
