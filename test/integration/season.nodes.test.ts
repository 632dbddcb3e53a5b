/**
 * Seasons that are created through one node and written to through another at once
 * (docs/contract.md#creating-a-season): the first write is obeyed, whichever node the season lives on.
 * Nothing is tried twice here. Two things see to it, either of which is enough: the answer to a creation
 * waits for the season, and so does a write that finds it starting.
 */

import { isDeepStrictEqual } from "node:util"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { SHARDS } from "@agon/server/node/Cluster.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Visitor } from "../e2e/Visitor.ts"
import { later, seasonBody, urlOf } from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as TwoNodes from "../support/twoNodes.ts"

/** The sessions of the nodes with the shards that each holds. */
const placed = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ readonly pid: number; readonly shards: ReadonlyArray<number> }>`
    SELECT l.pid, array_agg(l.objid::int ORDER BY l.objid) AS shards FROM pg_locks l JOIN pg_database d ON d.oid = l.database
    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
    GROUP BY l.pid HAVING count(*) > 1 ORDER BY l.pid`
)

/** Both nodes hold shards, and every shard is held. */
const settled = eventually(
  "each node has its share",
  Effect.map(placed, (held) => held.length === 2 && held.flatMap(({ shards }) => shards).length === SHARDS)
)

const ROUND = { kind: "round", games: 1, starts_at: "2091-01-01T00:00:00Z" }
const SEASONS = 4

/**
 * Creates seasons one after another, each written to through the other node at once; the statuses of
 * writes that no rate put off.
 */
const written = Effect.fnUntraced(function* (made: Visitor, other: Visitor, word: string) {
  const statuses: Array<number> = []
  for (let n = 0; statuses.length < SEASONS; n++) {
    const slug = `${word}-${n}`
    yield* Effect.promise(() => made.post("/v1/games/snakes/seasons", { ...seasonBody(slug), submissions_open_at: later }))
    const [rest, body] = n % 2 === 0 ? ["/rounds", ROUND] : ["/maps", snakesBoards[0]]
    const status = yield* Effect.promise(() => other.once("POST", urlOf(slug, rest), body))
    if (status !== 429) statuses.push(status)
  }
  return statuses
})

layer(TwoNodes.layer, { excludeTestServices: true })("a season among nodes", (it) => {
  it.effect("obeys the first write through a node that did not create it", () =>
    Effect.gen(function* () {
      const { here, there } = yield* TwoNodes.Nodes
      const admin = yield* Effect.promise(() => Visitor.signedIn(here.origin, "admin"))
      let tries = 0
      yield* eventually(
        "no shard moves while seasons are created",
        Effect.gen(function* () {
          yield* settled
          const before = yield* placed
          tries++
          const statuses = [
            ...(yield* written(admin, admin.at(there.origin), `here-${tries}`)),
            ...(yield* written(admin.at(there.origin), admin, `there-${tries}`))
          ]
          if (!isDeepStrictEqual(before, yield* placed)) return false // a season that moves is 503
          assert.deepStrictEqual(statuses, Array(2 * SEASONS).fill(201))
          return true
        })
      )
    })
  )
})
