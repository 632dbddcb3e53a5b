/**
 * Replays within results that reach another node than their season's: they are written with their match,
 * and either node gives them out.
 */

import { createHash } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { played, toldOf } from "../support/playedMatch.ts"
import { about, isMatch, keyed, seasonOf } from "../support/Referee.ts"
import { Service } from "../support/Service.ts"
import * as TwoNodes from "../support/twoNodes.ts"

/** As long as one may be that comes within its result, and six times that long as JSON. */
const LONGEST = "\u0001".repeat(65_536)
const SLOTS = 4
const replay = { hash: `sha256:${createHash("sha256").update(LONGEST).digest("hex")}`, bytes: LONGEST.length, inline: LONGEST }

/** Matches of a new season, reported with the longest replay, half of them to either node. */
const reported = Effect.fnUntraced(function* (name: string) {
  const { here, there } = yield* TwoNodes.Nodes
  const fleet = yield* Effect.provideService(
    Effect.tap(keyed(name), (fleet) => seasonOf(name, fleet)),
    Service,
    here
  )
  const { runner } = yield* fleet.client.runner.openSession({ payload: { ...about, accepts: ["match"] } })
  const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: SLOTS, wait_s: 10 } })
  const works = leases.filter(isMatch)
  assert.isAtLeast(works.length, 2)
  const results = works.map((work) => {
    return { kind: "match", runtime_version: "test", played_ms: 1, ...toldOf(work, played(work)), lease: work.lease, replay } as const
  })
  const half = Math.ceil(works.length / 2)
  for (const [node, said] of [[here, results.slice(0, half)] as const, [there, results.slice(half)] as const]) {
    const client = yield* node.runner(fleet.secret)
    const answer = yield* client.runner.lease({ payload: { runner, max: 0, wait_s: 0, results: said } })
    assert.deepStrictEqual(
      answer.results,
      said.map(({ lease }) => ({ lease, accepted: true, reason: null }))
    )
  }
  for (const { origin } of [here, there]) {
    for (const { match_id } of works) {
      const { replay_url } = yield* Effect.promise(() => fetch(`${origin}/v1/matches/${match_id}`).then((answer) => answer.json() as any))
      const text = yield* Effect.promise(() => fetch(replay_url).then((answer) => answer.text()))
      assert.isTrue(text === LONGEST)
    }
  }
  const sql = yield* PgClient.PgClient
  return yield* sql`SELECT m.replay_inline, length(r.content) AS bytes FROM match m LEFT JOIN replay r ON r.match_id = m.id
    WHERE m.id::text = ANY (string_to_array(${works.map(({ match_id }) => match_id).join()}, ','))`
})

layer(TwoNodes.layer, { excludeTestServices: true, timeout: "120 seconds" })("a replay within its result", (it) => {
  it.effect("is written with its match, whichever node hears of it", () =>
    Effect.gen(function* () {
      const rows = yield* reported("rows")
      assert.deepStrictEqual(rows, Array(rows.length).fill({ replay_inline: true, bytes: LONGEST.length }))
    })
  )

  it.effect("is an object while a node is connected that would not find it elsewhere", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const older = Effect.andThen(sql`SET LOCAL application_name = 'agon nodes 0044'`, Effect.never)
      const node = yield* Effect.forkChild(sql.withTransaction(older))
      yield* Effect.sleep("5500 millis") // the nodes have looked meanwhile
      const rows = yield* reported("objects")
      assert.deepStrictEqual(rows, Array(rows.length).fill({ replay_inline: false, bytes: null }))
      yield* Fiber.interrupt(node)
      yield* Effect.sleep("5500 millis")
      assert.isTrue((yield* reported("again")).every(({ replay_inline }) => replay_inline === true))
    })
  )
})
