/** Columns by the type of their elements. Times are ms since 1970 in the machine and timestamptz in the tables. */
import { storableJson, storableText } from "../../database/storable.ts"
import type { Column } from "./statement.ts"

export const int = <A>(name: string, of: (row: A) => number | null): Column<A> => ({ name, type: "int4", of })
export const float = <A>(name: string, of: (row: A) => number | null): Column<A> => ({ name, type: "float8", of })
export const bool = <A>(name: string, of: (row: A) => boolean): Column<A> => ({ name, type: "bool", of })
export const text = <A>(name: string, of: (row: A) => string | null): Column<A> => ({ name, type: "text", of })

/** A text column for values that come from outside. */
export const told = <A>(name: string, of: (row: A) => string | null): Column<A> =>
  text<A>(name, (row) => {
    const said = of(row)
    return said === null ? null : storableText(said)
  })
export const uuid = <A>(name: string, of: (row: A) => string | null): Column<A> => ({ name, type: "uuid", of })

export const bytes = <A>(name: string, of: (row: A) => Uint8Array): Column<A> => ({ name, type: "bytea", of })

/** Beyond 2^31, below 2^53: exact as a float on the wire. */
export const big = <A>(name: string, of: (row: A) => number | null): Column<A> => ({ ...float(name, of), expression: `t.${name}::int8` })

export const json = <A>(name: string, of: (row: A) => unknown): Column<A> => ({
  ...text<A>(name, of as (row: A) => string | null),
  of: (row) => storableJson(of(row)),
  expression: `t.${name}::jsonb`
})

/** Mostly null: null is not encoded. */
export const jsonOrNull = <A>(name: string, of: (row: A) => unknown): Column<A> => ({
  ...text<A>(name, (row) => {
    const value = of(row)
    return value === null ? null : JSON.stringify(value)
  }),
  expression: `t.${name}::jsonb`
})

export const time = <A>(name: string, of: (row: A) => number | null): Column<A> => ({
  ...float(name, of),
  expression: `to_timestamp(t.${name} / 1000.0)`
})

/** Columns that are null, or have a word or a switch, in nearly every row. */
export const mostlyNull = <A>(column: Column<A>): Column<A> => ({ ...column, mostly: { value: null, sql: "NULL" } })
export const mostly = <A>(value: string | boolean | number, column: Column<A>): Column<A> => ({
  ...column,
  mostly: { value, sql: typeof value === "string" ? `'${value}'` : String(value) }
})

/** Arrays in rows; as text, twelve floats would cost Node and Postgres 10 us a row. */
export const ints = <A>(name: string, of: (row: A) => ReadonlyArray<number>): Column<A> => ({
  name,
  type: "int4",
  of,
  list: true
})
export const floats = <A>(name: string, of: (row: A) => ReadonlyArray<number>): Column<A> => ({
  name,
  type: "float8",
  of,
  list: true
})
export const uuids = <A>(name: string, of: (row: A) => ReadonlyArray<string>): Column<A> => ({
  name,
  type: "uuid",
  of,
  list: true
})
