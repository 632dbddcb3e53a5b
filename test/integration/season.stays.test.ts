/** A season that has stayed on a node for longer than ten minutes, and what becomes of it when the node stops. */

import { OpenSeasons } from "@agon/server/actor/OpenSeasons.ts"
import { layer as seasonsLayer } from "@agon/server/actor/SeasonActors.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { Takeovers } from "@agon/server/actor/Takeovers.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { HasPeers } from "@agon/server/process/HasPeers.ts"
import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventually, untilSuccess } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"
import { create, node, shared } from "../support/SeasonNode.ts"

const seasons = Takeovers.layer.pipe(Layer.provideMerge(seasonsLayer))
const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(SeasonEvents.layerSilent),
  Layer.provideMerge(Layer.merge(OpenSeasons.layer, Layer.succeed(HasPeers, true))),
  Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 10 })),
  Layer.provideMerge(NodeCrypto.layerDigest)
)

layer(pg, { excludeTestServices: true })("a season that stays for long", (it) => {
  it.effect("is started by the next node when its own stops, though nobody asks it", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const season = yield* create(1)
      const a = yield* node(seasons)
      yield* untilSuccess(a.actors.wake(season))
      const b = yield* node(seasons)
      yield* shared(a, b)
      yield* untilSuccess(a.actors.wake(season))
      const [home, away] = a.local.has(season) ? [a, b] : [b, a]
      yield* sql`UPDATE cluster_messages SET last_read = now() - interval '11 minutes' WHERE NOT processed`
      yield* eventually(
        "what keeps it there is delivered again, and answered",
        Effect.map(
          sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM cluster_messages WHERE NOT processed`,
          ([row]) => row!.n === 0
        )
      )
      assert.isTrue(home.local.has(season))
      yield* home.stop
      yield* eventually(
        "the other node hosts it",
        Effect.sync(() => away.local.has(season))
      )
      yield* away.stop
    })
  )
})
