/**
 * Nodes of different releases beside each other on one database. An upgrade may roll because migrations only
 * add (expand). Parts that they replace are removed by a later one (contract), when the oldest release that may
 * still run no longer reads it. That one is named `NNNN_needs_MMMM_…`: from it on only releases that have
 * migration MMMM can use the database.
 *
 *  - A release that lacks MMMM finds the name among the migrations that the database has, and does not start.
 *  - A node that would apply NNNN does not start while nodes run that lack MMMM. Every node says in the name of
 *    its connections which migration is its last one; those of releases up to 0038 say nothing, and count as
 *    older than any. A node that was still starting looks at the migrations again once it has these connections
 *    (`stillPlaysOn`).
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { refuseDatabase } from "./DatabaseName.ts"

/** A migration as the database knows it. */
export type Applied = readonly [number: number, name: string]

const NODES = "agon nodes"
const padded = (number: number) => String(number).padStart(4, "0")

/** The application name of a node's connections to the other nodes: it tells the node's last migration. */
export const nodesName = (last: number): string => `${NODES} ${padded(last)}`

/**
 * The migration that a release must have to use the database after this one; undefined
 * where every release plays on.
 */
export const needOf = ([, name]: Applied): number | undefined => {
  const found = /^needs_(\d{4})_/.exec(name)
  return found === null ? undefined : Number(found[1])
}

/** Why a release whose last migration is `last` cannot use a database that has these; undefined where it can. */
export const tooOld = (applied: ReadonlyArray<Applied>, last: number): string | undefined => {
  const step = applied.find((one) => (needOf(one) ?? 0) > last)
  return step === undefined
    ? undefined
    : `the database has migration ${padded(step[0])}, after which only releases with migration ${padded(needOf(step)!)} can use it, ` +
        `and this one ends with ${padded(last)}; start a later release, or restore a backup from before it`
}

/** Refuses a database that a release whose last migration is `last` can no longer use. */
export const playsOn = (applied: ReadonlyArray<Applied>, last: number) => {
  const reason = tooOld(applied, last)
  return reason === undefined ? Effect.void : refuseDatabase(reason)
}

/** The last migrations of the releases of the nodes that are connected now. */
const lastOfEach = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    SELECT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND starts_with(application_name, ${NODES})`
  return rows.map(({ name }) => Number(/\d+$/.exec(name)?.[0] ?? 0))
})

/** Whether every node that is connected now has this migration. */
export const allHave = (migration: number) => Effect.map(lastOfEach, (lasts) => lasts.every((last) => last >= migration))

/** Refuses migrations that nodes would not survive which are connected now. */
export const olderNodesGone = Effect.fnUntraced(function* (lacked: ReadonlyArray<Applied>) {
  const steps = lacked.flatMap((one) => {
    const need = needOf(one)
    return need === undefined ? [] : [{ number: one[0], need }]
  })
  if (steps.length === 0) return
  const lasts = yield* lastOfEach
  for (const { need, number } of steps) {
    const older = lasts.filter((last) => last < need)
    if (older.length > 0) {
      return yield* refuseDatabase(
        `migration ${padded(number)} removes what nodes without migration ${padded(need)} read, and such nodes run ` +
          `(${older.length} connections); upgrade them to a release that has it, or stop them, and start this node again`
      )
    }
  }
})
