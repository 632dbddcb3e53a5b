/**
 * One fenced statement made of parts: data-modifying CTEs over typed arrays, each column of all rows of
 * a part in one parameter. Rows of VALUES and jsonb measured 1.4 to 2.3 times as expensive for
 * Postgres. A shape's text is made once; a statement's text once for each set of parts, so that the
 * driver reuses its prepared statements.
 */
import type { Parameter } from "@effect/sql-pg/PgTypes"
import { type Element, packed } from "./arrays.ts"

export interface Column<A> {
  readonly name: string
  readonly type: Element // of the array's elements on the wire
  readonly of: (row: A) => unknown
  readonly expression?: string // the stored value in terms of `t.<name>`, where it is not the element itself
  /**
   * The column is itself an array of these elements: all rows' arrays travel end to end, with
   * each row's position in them.
   */
  readonly list?: true
  /**
   * The value of nearly every row, null or not, and the same in SQL: where all rows of a part have
   * it, the column does not travel.
   */
  readonly mostly?: { readonly value: unknown; readonly sql: string }
}

/** `?n` in the text counts this part's own parameters from 1. */
export interface Shape<A> {
  readonly id: number
  readonly text: string
  readonly columns: ReadonlyArray<Column<A>>
  /** The same without the columns in `rare`, for rows that all have what most rows have there. */
  readonly plain?: { readonly shape: Shape<A>; readonly rare: ReadonlyArray<Column<A>> }
}
export interface Part {
  readonly shape: number
  readonly text: string
  readonly params: ReadonlyArray<Parameter>
}

/** The last id given: shapes are made once, when the modules load. */
let shapes = 0

/** A column's `unnest` expression and its stored expression; `at` is the number of its first parameter. */
const place = <A>({ expression, list, name, type }: Column<A>, at: number) =>
  list
    ? {
        names: [`${name}_from`, `${name}_to`],
        arrays: [`?${at}::int4[]`, `?${at + 1}::int4[]`],
        stored: `(?${at + 2}::${type}[])[t.${name}_from:t.${name}_to]`
      }
    : { names: [name], arrays: [`?${at}::${type}[]`], stored: expression ?? `t.${name}` }

const PARAMETERS_OF_LIST = 3

/**
 * Rows `t` out of the arrays, all of the same length. Each is unnested in the select list: as
 * functions in FROM Postgres would first materialise each one, which takes twice as long (1.7 us a row
 * of 17 columns, 0.9 as here).
 */
const placed = <A>(columns: ReadonlyArray<Column<A>>) => {
  let at = 1
  const places = columns.map((column) => {
    const found = place(column, at)
    at += column.list ? PARAMETERS_OF_LIST : 1
    return found
  })
  const elements = places.flatMap(({ arrays, names }) => names.map((name, i) => `unnest(${arrays[i]}) AS ${name}`))
  return { source: `f, (SELECT ${elements.join(", ")}) t`, stored: places.map(({ stored }) => stored) }
}

/** `fixed`: columns that every row takes from the fence. */
const insert = <A>(table: string, fixed: ReadonlyArray<string>, columns: ReadonlyArray<Column<A>>): Shape<A> => {
  const rare = columns.filter(({ mostly }) => mostly !== undefined)
  const whole = inserted(table, fixed, columns, [])
  return rare.length === 0 ? whole : { ...whole, plain: { shape: inserted(table, fixed, without(columns, rare), rare), rare } }
}

const without = <A>(all: ReadonlyArray<A>, some: ReadonlyArray<A>) => all.filter((each) => !some.includes(each))

const inserted = <A>(
  table: string,
  fixed: ReadonlyArray<string>,
  columns: ReadonlyArray<Column<A>>,
  usual: ReadonlyArray<Column<A>>
): Shape<A> => {
  const names = [...fixed, ...[...columns, ...usual].map((column) => column.name)]
  const { source, stored } = placed(columns)
  const values = [...fixed.map((name) => `f.${name}`), ...stored, ...usual.map(({ mostly }) => mostly!.sql)]
  return { id: ++shapes, text: `INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${source}`, columns }
}

/** A row that exists stays as it is. */
const insertOnce = <A>(table: string, key: string, fixed: ReadonlyArray<string>, columns: ReadonlyArray<Column<A>>): Shape<A> => ({
  id: ++shapes,
  text: `${insert(table, fixed, columns).text} ON CONFLICT (${key}) DO NOTHING`,
  columns
})

/** In a row that exists only the columns in `changing` are rewritten. No two rows of a part may have the same key. */
const upsert = <A>(
  table: string,
  key: ReadonlyArray<string>,
  columns: ReadonlyArray<Column<A>>,
  changing: ReadonlyArray<string>
): Shape<A> => {
  const { text } = insert(table, ["season_id"], columns)
  const changes = changing.map((name) => `${name} = excluded.${name}`)
  return { id: ++shapes, text: `${text} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changes.join(", ")}`, columns }
}

/** `only`: a condition on the row, checked once this statement has its lock. */
const update = <A>(table: string, key: string | ReadonlyArray<string>, columns: ReadonlyArray<Column<A>>, only?: string): Shape<A> => {
  const keys = typeof key === "string" ? [key] : key
  const { source, stored } = placed(columns)
  const changes = columns.flatMap(({ name }, i) => (keys.includes(name) ? [] : [`${name} = ${stored[i]}`]))
  const joined = [`${table}.season_id = f.season_id`, ...keys.map((name) => `${table}.${name} = t.${name}`)]
  const where = [...joined, ...(only === undefined ? [] : [`${table}.${only}`])].join(" AND ")
  return { id: ++shapes, text: `UPDATE ${table} SET ${changes.join(", ")} FROM ${source} WHERE ${where}`, columns }
}

const remove = <A>(table: string, key: Column<A>): Shape<A> => ({
  id: ++shapes,
  text: `DELETE FROM ${table} USING f WHERE ${table}.season_id = f.season_id AND ${table}.${key.name} = ANY (?1::${key.type}[])`,
  columns: [key]
})

/** Removes the season's rows whose `key` is below the bound number. */
const removeBelow = (table: string, key: string): Shape<number> => ({
  id: ++shapes,
  text: `DELETE FROM ${table} USING f WHERE ${table}.season_id = f.season_id AND ${table}.${key} < (?1::float8[])[1]::int8`,
  columns: [{ name: key, type: "float8", of: (bound) => bound }]
})

/** A statement with its own text: it reads the fence as `f`, and each column is the parameter of its position. */
const worded = <A>(text: string, columns: ReadonlyArray<Column<A>>): Shape<A> => ({ id: ++shapes, text, columns })

/** No rows, no part. */
const bind = <A>(shape: Shape<A>, rows: ReadonlyArray<A>): Part | null => {
  if (rows.length === 0) return null
  const { columns, id, text } = shape.plain !== undefined && areUsual(rows, shape.plain.rare) ? shape.plain.shape : shape
  return { shape: id, text, params: columns.flatMap((column) => (column.list ? lists(rows, column) : [single(rows, column)])) }
}

const areUsual = <A>(rows: ReadonlyArray<A>, rare: ReadonlyArray<Column<A>>): boolean =>
  rare.every(({ mostly, of }) => rows.every((row) => of(row) === mostly!.value))

const single = <A>(rows: ReadonlyArray<A>, column: Column<A>): Parameter => packed(column.type, rows, column.of)

/** Positions count from 1 and include both ends; for an empty list the end is before the beginning. */
const lists = <A>(rows: ReadonlyArray<A>, column: Column<A>): ReadonlyArray<Parameter> => {
  const all: Array<unknown> = []
  const from: Array<number> = []
  const to: Array<number> = []
  for (const row of rows) {
    from.push(all.length + 1)
    for (const element of column.of(row) as ReadonlyArray<unknown>) all.push(element)
    to.push(all.length)
  }
  return [packed("int4", from, itself), packed("int4", to, itself), packed(column.type, all, itself)]
}

const itself = (value: unknown): unknown => value

/**
 * `fence` updates the season's row under its condition and returns it only where that holds: every part joins it.
 * Answers `held`: 1, or 0 where nothing was written.
 */
const fenced = (fence: string, values: ReadonlyArray<unknown>, parts: ReadonlyArray<Part>) => {
  const key = `${parts.map((part) => part.shape).join()} ${fence}`
  const text = texts.get(key) ?? join(key, fence, values.length, parts)
  return { text, params: parts.reduce<Array<unknown>>((all, part) => all.concat(part.params), [...values]) }
}

/** A column's time as ms since 1970: int8 would come as BigInt. */
export const ms = (column: string, name = column): string => `(extract(epoch FROM ${column}) * 1000)::float8 AS ${name}`

/** The database's clock, as ms since 1970. */
export const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at"

/** Bounded by the number of sets of parts that occur together, a few dozen. */
const texts = new Map<string, string>()

const join = (key: string, fence: string, values: number, parts: ReadonlyArray<Part>): string => {
  let offset = values
  const ctes = parts.map((part, i) => {
    const text = part.text.replace(/\?(\d+)/g, (_, n: string) => `$${Number(n) + offset}`)
    offset += part.params.length
    return `, p${i} AS (${text})`
  })
  const text = `WITH f AS (${fence})${ctes.join("")} SELECT count(*)::int4 AS held, ${NOW} FROM f`
  texts.set(key, text)
  return text
}

export const statement = { insert, insertOnce, upsert, update, remove, removeBelow, worded, bind, fenced }
