/** The messages by which the cluster keeps seasons on their node, once they are answered. */

import { LocalMailboxes } from "@agon/server/actor/LocalMailboxes.ts"
import { SeasonActors, layer as seasonsLayer } from "@agon/server/actor/SeasonActors.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { AnsweredMessages } from "@agon/server/node/AnsweredMessages.ts"
import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SingleRunner } from "effect/cluster"
import { eventually, untilSuccess } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"
import { create } from "../support/SeasonNode.ts"
import { lease } from "../support/SeasonScript.ts"

interface Kept {
  readonly open: number
  readonly answered: number
  readonly answers: number
}

const kept = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<Kept>`
      SELECT (count(*) FILTER (WHERE NOT processed))::int AS open, (count(*) FILTER (WHERE processed))::int AS answered,
        (SELECT count(*)::int FROM cluster_replies) AS answers
      FROM cluster_messages`,
    ([row]) => row!
  )
)
const eventuallyKept = (what: string, is: (now: Kept) => boolean) => eventually(what, Effect.map(kept, is))

/** One process, as long as the effect. */
const inProcess = Effect.provide(seasonsLayer.pipe(Layer.provide(SingleRunner.layer({ runnerStorage: "memory" }))))

const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(SeasonEvents.layerSilent),
  Layer.provideMerge(AnsweredMessages.layer),
  Layer.provideMerge(Postgres.layer({ migrate: true })),
  Layer.provideMerge(NodeCrypto.layerDigest)
)

layer(pg, { excludeTestServices: true })("messages of the cluster", (it) => {
  it.effect("a closed season leaves none behind, however often it is asked, and an open one keeps its own", () =>
    Effect.gen(function* () {
      const [closed, open] = [yield* create(1), yield* create(2)]
      const { look } = yield* AnsweredMessages
      yield* Effect.gen(function* () {
        const actors = yield* SeasonActors
        for (const season of [closed, open]) yield* untilSuccess(actors.wake(season))
        yield* untilSuccess(actors.ask(closed, { _tag: "CloseSeason" }))
        yield* eventuallyKept("the closed season may rest", (now) => now.answered === 1 && now.open === 1)
      }).pipe(inProcess)
      yield* Effect.gen(function* () {
        const actors = yield* SeasonActors
        yield* untilSuccess(actors.wake(open))
        assert.strictEqual((yield* Effect.flip(actors.ask(closed, lease())))._tag, "SeasonClosed")
        // Another one for each: the closed one was asked, and of two of an open season one is answered.
        yield* eventuallyKept("what the second process adds is answered", (now) => now.answered === 3 && now.open === 1)
        assert.strictEqual(yield* look, 3)
        assert.deepStrictEqual(yield* kept, { open: 1, answered: 0, answers: 0 })
        assert.isTrue((yield* LocalMailboxes).has(open))
        assert.strictEqual(yield* look, 0)
      }).pipe(inProcess)
    })
  )

  it.effect("an answer that finds its message gone goes too, and those of open messages stay", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { look } = yield* AnsweredMessages
      yield* sql`DELETE FROM cluster_messages`
      yield* sql`INSERT INTO cluster_messages (id, shard_id, entity_type, entity_id, kind, request_id) VALUES (7, 'default:1', 'Season', 'x', 0, 7)`
      yield* sql`INSERT INTO cluster_replies (id, kind, request_id, payload, sequence) VALUES (1, 0, 99, '{}', NULL), (2, NULL, 7, '[]', 0)`
      assert.strictEqual(yield* look, 0)
      assert.deepStrictEqual(yield* kept, { open: 1, answered: 0, answers: 1 })
    })
  )
})
