/** How Postgres would run the statements of the service: a client that asks for their plans and runs none of them. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient, type SqlConnection } from "effect/sql"

/** A node of `EXPLAIN (FORMAT JSON)`, the fields that are read here. */
export interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly "Plan Rows": number
  readonly Plans?: ReadonlyArray<Node>
}
export interface Planned {
  readonly text: string
  readonly plan: Node
}

/** A client to whom every answer is empty; the plans of what it was asked are in `planned`. */
export const planner = (client: PgClient.PgClient, planned: Array<Planned>) => {
  const plan = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.map(client.unsafe<{ "QUERY PLAN": unknown }>(`EXPLAIN (FORMAT JSON) ${text}`, params), (rows) => {
      const answer = rows[0]!["QUERY PLAN"]
      const [{ Plan }] = (typeof answer === "string" ? JSON.parse(answer) : answer) as [{ readonly Plan: Node }]
      planned.push({ text, plan: Plan })
      return []
    })
  return SqlClient.make({
    acquirer: Effect.succeed({ execute: plan, executeUnprepared: plan } as unknown as SqlConnection.Connection),
    compiler: PgClient.makeCompiler(),
    driver: "planner",
    spanAttributes: []
  })
}

export const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Indexes that a plan reads. */
export const indexesOf = ({ plan }: Planned): ReadonlyArray<string> => nodesOf(plan).flatMap((node) => node["Index Name"] ?? [])

/**
 * Parts of a plan that grow with the tables: one of `large` read whole, or through an index from end to end,
 * and more than `sorted` rows, as Postgres reckons, put in order. An incremental sort has an index's order
 * already and stops at its limit.
 */
export const growingParts = ({ plan }: Planned, large: ReadonlySet<string>, sorted: number): ReadonlyArray<string> =>
  nodesOf(plan).flatMap((node) => {
    const table = node["Relation Name"]
    const type = node["Node Type"]
    if (type === "Seq Scan" && large.has(table!)) return [`reads all of ${table}`]
    if (/^Index (Only )?Scan$/.test(type) && large.has(table!) && node["Index Cond"] === undefined)
      return [`reads all of ${node["Index Name"]}`]
    const input = type === "Sort" ? (node.Plans?.[0]?.["Plan Rows"] ?? 0) : 0
    return input > sorted ? [`sorts ${input} rows`] : []
  })
