/**
 * The SqlClient of requests: each statement or transaction runs on a connection of its caller's pool
 * (CallerClass.ts). Anonymous callers and sessions have few connections and a bounded queue with a
 * bounded wait, and each address or account has a part of both (process/Caller.ts); a caller that waits
 * in vain is answered 503. Anonymous statements also have a shorter timeout. The service's own work
 * waits without a limit of its own.
 */
import { PgClient, PgPool } from "@effect/sql-pg"
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Layer, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { readGauges } from "../metric/gauge.ts"
import { type Bounds, makeShare } from "../process/Share.ts"
import { type CallerClass, CurrentCallerClass } from "./CallerClass.ts"

type Connection = SqlConnection.Connection
type Acquirer = Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>

interface Lane {
  readonly borrow: SqlConnection.Borrower
  readonly acquire: Acquirer
  readonly reserve: Acquirer
}

export type Pools = { readonly [Class in CallerClass]: PgPool.Config }

/** The bounds of each class's queue; the pool's size bounds the connections in use. */
export type Waits = { readonly [Class in CallerClass]?: Omit<Bounds, "places"> }

export const layer = (pools: Pools, waits: Waits): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(SqlClient.SqlClient, make(pools, waits)).pipe(Layer.provide(Reactivity.layer))

const make = Effect.fnUntraced(function* (pools: Pools, waits: Waits) {
  const lanes: { readonly [Class in CallerClass]: Lane } = {
    anonymous: yield* makeLane("anonymous", pools.anonymous, waits.anonymous),
    session: yield* makeLane("session", pools.session, waits.session),
    service: yield* makeLane("service", pools.service, waits.service)
  }
  return yield* SqlClient.make({
    acquirer: Effect.flatMap(CurrentCallerClass, (caller) => lanes[caller].acquire),
    borrower: (f) => Effect.flatMap(CurrentCallerClass, (caller) => lanes[caller].borrow(f)),
    transactionAcquirer: Effect.flatMap(CurrentCallerClass, (caller) => lanes[caller].reserve),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
})

type LaneWaits = Omit<Bounds, "places"> | undefined

const makeLane = Effect.fnUntraced(function* (caller: CallerClass, config: PgPool.Config, waits: LaneWaits) {
  const pool = yield* PgPool.make(config)
  const open: Lane = {
    borrow: (f) => pool.use((connection) => f(connectionOf(connection))),
    acquire: Effect.map(pool.get, connectionOf),
    reserve: Effect.map(pool.reserve, connectionOf)
  }
  if (waits === undefined) return open
  const { hold, taken, use, waiting } = makeShare({ places: config.maxConnections!, ...waits }, busy)
  const attributes = { class: caller }
  yield* readGauges([
    { name: "agon_database_connections_used", description: "Connections that requests of this class use now", attributes, read: taken },
    { name: "agon_database_waiting", description: "Requests of this class that wait for a connection", attributes, read: waiting }
  ])
  const inTurn = (acquire: Acquirer) => Effect.andThen(hold, acquire)
  return {
    borrow: (f) => use(open.borrow(f)),
    acquire: inTurn(open.acquire),
    reserve: inTurn(open.reserve)
  } satisfies Lane
})

/** A retryable error, which the boundary answers as 503 with Retry-After. */
const busy = () =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error("too many wait"), message: "No connection is free.", operation: "acquire" })
  })

/** Adapts the driver's connection to the SqlClient's interface. Rows are not transformed. */
const connectionOf = (connection: PgConnection.PgConnection): Connection => {
  const rowsOf = (text: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    Effect.map(connection.query(text, params, prepare), ({ rows }) => rows)
  return {
    execute: (text, params) => rowsOf(text, params, true),
    executeRaw: (text, params) => connection.query(text, params),
    executeStream: (text, params) => connection.stream(text, params),
    executeValues: (text, params) => connection.queryValues(text, params),
    executeValuesUnprepared: (text, params) => connection.queryValues(text, params, false),
    executeUnprepared: (text, params) => rowsOf(text, params, false)
  }
}

/** Postgres answers ROLLBACK to the COMMIT of a transaction that a statement has failed in. */
const commit = (connection: Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    (result as PgConnection.Result).command === "ROLLBACK"
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("rolled back"),
              message: "COMMIT of a failed transaction",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )
