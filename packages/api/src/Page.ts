/**
 * Query parameters of a list (docs/contract.md#lists-and-cursors): `limit` is clamped,
 * `cursor` is an offset in decimal.
 */
import { Effect, Schema, SchemaGetter } from "effect"

/**
 * As `Schema.isInt`, but a number beyond 2^53 is one too: it is over every maximum, and which number
 * exactly it is makes no difference.
 */
const isWhole = Schema.makeFilter((n: number) => Number.isInteger(n), {
  representation: { id: "effect/schema/isInt", payload: null },
  toJsonSchema: () => ({ type: "integer" })
})

/**
 * A whole number as a query has it: its digits alone. Other spellings of a number (`1e2`, `+5`, `05`, `5.0`)
 * are refused, so that a proxy that reads them otherwise sees no other page than we do.
 */
export const QueryInt = Schema.String.check(Schema.isPattern(/^(0|[1-9]\d*)$/u)).pipe(
  Schema.decodeTo(Schema.Number.check(isWhole), { decode: SchemaGetter.transform(Number), encode: SchemaGetter.transform(String) })
)

export const limit = (fallback: number, max: number) =>
  QueryInt.check(Schema.isGreaterThanOrEqualTo(1)).pipe(
    Schema.decode({ decode: SchemaGetter.transform((n: number) => Math.min(n, max)), encode: SchemaGetter.passthrough() }),
    Schema.withDecodingDefaultTypeKey(Effect.succeed(fallback))
  )

const largestOffset = 2 ** 31 - 1

export const cursor = Schema.String.check(Schema.isPattern(/^(0|[1-9]\d{0,9})$/)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isLessThanOrEqualTo(largestOffset)), {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  }),
  Schema.withDecodingDefaultTypeKey(Effect.succeed(0))
)

/** The cursor of the next page, or null on the last one. */
export const nextCursor = (offset: number, rows: number, total: number) => (offset + rows < total ? String(offset + rows) : null)

export const NextCursor = Schema.NullOr(Schema.String)

/** The answer of a list: its rows under their name, the total, and the cursor of the next page. */
export const listOf = <const Name extends string, Row extends Schema.Constraint>(identifier: string, name: Name, row: Row) =>
  Schema.Struct({
    ...({ [name]: Schema.Array(row) } as { readonly [K in Name]: Schema.$Array<Row> }),
    total: Schema.Int,
    next_cursor: NextCursor
  }).annotate({ identifier })

/** The page size where the contract names none. */
export const query = { limit: limit(25, 100), cursor }

/** A requested page, decoded. */
export interface PageOf {
  readonly limit: number
  readonly cursor: number
}

/** The rows to read for a page of a list that is not counted: one more than it shows says whether another page follows. */
export const oneMoreThan = ({ cursor, limit }: PageOf) => ({ limit: limit + 1, offset: cursor })

/** The page, of the rows that `oneMoreThan` names. */
export const cutTo = <Row>({ cursor, limit }: PageOf, rows: ReadonlyArray<Row>) => {
  const shown = rows.slice(0, limit)
  return { shown, next_cursor: nextCursor(cursor, shown.length, cursor + rows.length) }
}
