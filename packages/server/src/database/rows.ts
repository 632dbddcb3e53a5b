/** Shared by every `queries.ts`: reads rows and turns the database's errors into typed refusals. */
import { Effect, Schema, SchemaGetter } from "effect"
import type { SqlError } from "effect/sql"

/** The largest int4: above every number that is given to a match, and as a LIMIT none. */
export const INT4_MAX = 2 ** 31 - 1

/** Sorts before every id, and is the id of nothing. */
export const NIL = "00000000-0000-0000-0000-000000000000"

/** Before everything that has happened. */
export const BEGINNING = new Date("0001-01-01T00:00:00Z")

/** A timestamptz column as the wire's RFC 3339 string with milliseconds. */
export const Instant = Schema.Date.pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((date: Date) => date.toISOString()),
    encode: SchemaGetter.transform((text: string) => new Date(text))
  })
)

/** A timestamptz inside a jsonb value, in the wire's format. */
export const iso = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The wire's string as a Date for the driver; the wire allows years that Postgres does not read. */
export const dateOf = (instant: string | null): Date | null => (instant === null ? null : new Date(instant))

/** Turns the violation of one named unique constraint into a refusal; any other failure of the write is a defect. */
export const onUnique =
  <E>(constraint: string, refusal: () => E) =>
  <A, X, R>(write: Effect.Effect<A, X | SqlError.SqlError | Schema.SchemaError, R>): Effect.Effect<A, E, R> =>
    Effect.catch(write, (error) =>
      isUniqueViolation(error) && error.reason.constraint === constraint ? Effect.fail(refusal()) : Effect.die(error)
    )

const isUniqueViolation = (error: unknown): error is { readonly reason: SqlError.UniqueViolation } =>
  (error as SqlError.SqlError)?.reason?._tag === "UniqueViolation"

/** The SQLSTATE of an error that the driver classifies as unknown. */
const stateOf = ({ reason }: SqlError.SqlError): string => String((reason.cause as { readonly code?: unknown } | undefined)?.code)

/** Postgres shuts down or comes up (57P01 to 57P03). */
export const isRestarting = (error: SqlError.SqlError): boolean => /^57P0[123]$/.test(stateOf(error))

/**
 * Postgres has ended a session whose transaction was idle (25P03) or open (25P04) for too long, or that was idle itself (57P05): as where
 * this process stood still meanwhile. The transaction had no effect.
 */
export const isOutOfTime = (error: SqlError.SqlError): boolean => /^(25P0[34]|57P05)$/.test(stateOf(error))

/**
 * Postgres has no disk, memory or connections left (class 53). The statement had no effect;
 * the operator has to make room.
 */
export const isOutOfResources = (error: SqlError.SqlError): boolean => stateOf(error).startsWith("53")

/** The database takes no writes: it became a standby, or was set read-only, as some hosts do when its disk is full. */
export const isReadOnly = (error: SqlError.SqlError): boolean => stateOf(error) === "25006"
