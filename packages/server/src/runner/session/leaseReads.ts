/**
 * Leases and their seasons from the rows, where this node does not know them: each in one statement with others
 * that are asked for meanwhile.
 */

import { parseLease } from "@agon/domain/season/Lease.ts"
import { Effect } from "effect"
import { gathered } from "../../http/gathered.ts"
import type { Holdings } from "./Holdings.ts"
import { makeQueries } from "./leaseQueries.ts"

/** Reads an open lease and remembers it. */
export const makeReadHolding = Effect.fnUntraced(function* (holdings: Holdings) {
  const queries = yield* makeQueries
  const held = yield* gathered((leases) =>
    Effect.map(Effect.orDie(queries.held(leases)), (rows) => new Map(rows.map((row) => [row.lease, row])))
  )
  return Effect.fnUntraced(function* (lease: string) {
    const found = parseLease(lease) === undefined ? undefined : yield* held(lease)
    if (found !== undefined) holdings.add(found)
    return found
  })
})

/** Reads a runner's leases and remembers them. */
export const makeHeldBy = Effect.fnUntraced(function* (holdings: Holdings) {
  const queries = yield* makeQueries
  const held = yield* gathered((ids) => Effect.map(Effect.orDie(queries.heldBy(ids)), (rows) => Map.groupBy(rows, ({ runner }) => runner)))
  return Effect.fnUntraced(function* (runner: string) {
    const leases = (yield* held(runner)) ?? []
    holdings.know(runner, leases)
    return leases
  })
})

/** Reads the season of work that is not open any more. */
export const makeSeasonOfWork = Effect.gen(function* () {
  const queries = yield* makeQueries
  return yield* gathered((ids) =>
    Effect.map(Effect.orDie(queries.seasonsOf(ids)), (rows) => new Map(rows.map(({ id, season }) => [id, season])))
  )
})
