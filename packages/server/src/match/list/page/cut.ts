/** Where a page begins and ends. */
import type { SqlClient, Statement } from "effect/sql"
import { INT4_MAX } from "../../../database/rows.ts"

type Sql = SqlClient.SqlClient

export interface Cut {
  readonly limit: number
  readonly offset: number
}

export const endOf = ({ limit, offset }: Cut): number => Math.min(INT4_MAX, offset + limit)

/**
 * The first page of the default and of the largest size have their bounds in the text: Postgres then caches their plans, which
 * take longer to make (1 ms) than to run. Other bounds are parameters, so that there is not one text for each page.
 */
const USUAL: ReadonlySet<number> = new Set([0, 26, 61])
export const bound = (sql: Sql, rows: number): Statement.Fragment => (USUAL.has(rows) ? sql.literal(String(rows)) : sql`${rows}`)
