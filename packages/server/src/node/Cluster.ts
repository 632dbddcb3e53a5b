/**
 * The placement of seasons on processes. A single process hosts all of them. Of several on one database each has an address
 * (AGON_NODE), at which the others reach it, and hosts its share: seasons are spread over 16 shards, shards over the nodes,
 * and a node holds its shards by locks of a database session of its own (`effect/cluster`). The shards of a node that
 *
 *   stops       it releases them at once, and the others see that within 0.25 s
 *   is killed   the database releases its locks at once, and the others find its port closed within 1 s (Lookout.ts)
 *   vanishes with its machine   the others miss its heartbeat within 4 s, and the database ends its idle session
 *   is frozen   the database ends its idle session after 4 s, the others miss its heartbeat meanwhile; when it resumes it finds its
 *               locks gone and ends its actors, and the epoch check refuses their writes in between (actor/store/commit.ts)
 *   is cut off from the database   the same: it ends its actors itself when it has not reached its locks for 1.3 s
 *
 * Nodes command each other's seasons over HTTP, at a port of its own and with a credential of the installation (Peers.ts).
 */

import { seldomSaid } from "@agon/api/program/seldom.ts"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, type Redacted } from "effect"
import {
  HttpRunner,
  RunnerAddress,
  RunnerHealth,
  Runners,
  type Sharding,
  ShardingConfig,
  SingleRunner,
  SqlMessageStorage,
  SqlRunnerStorage
} from "effect/cluster"
import { RpcSerialization } from "effect/rpc"
import { SqlClient } from "effect/sql"
import type { NodeTls } from "../config/nodeTls.ts"
import { StartRefused } from "../config/StartRefused.ts"
import type { Address } from "../config/variables.ts"
import { NodeSql } from "../database/Database.ts"
import type { AnswerAsk } from "./AskServer.ts"
import { lookout } from "./Lookout.ts"
import { PeerLink } from "./PeerLink.ts"
import { layerPeerClients, layerPeerServer } from "./Peers.ts"
import { knownToOthers } from "./stranger.ts"

/** The library says these again and again while the database is away. */
export const repeatedLines = seldomSaid([
  "Shard lock storage is still unhealthy",
  "Could not acquire/release shards",
  "Could not release shards, retrying",
  "Could not read messages from storage"
])

/** A single process; the actors need the cluster only to be hosted. */
export const layerAlone: Layer.Layer<Sharding.Sharding, never, SqlClient.SqlClient> = SingleRunner.layer({ runnerStorage: "memory" }).pipe(
  Layer.provide([NodeCrypto.layerDigest, repeatedLines]),
  Layer.orDie
)

/** Any fixed number: it names this lock among the advisory locks of the database. */
const TABLES_LOCK = 4_607_183

/** The library's own tables, made once, however many nodes start at the same time. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const made = Layer.build(Layer.merge(SqlMessageStorage.layerMigrations({}), SqlRunnerStorage.layerMigrations({})))
  yield* sql.withTransaction(Effect.andThen(sql`SELECT pg_advisory_xact_lock(${TABLES_LOCK})`, Effect.scoped(made)))
})

/** Those that `layerAlone` makes where they are missing. */
export const tablesAlone = Effect.scoped(Layer.build(SqlMessageStorage.layerMigrations({})))

const layerSql = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function* () {
    return (yield* NodeSql) ?? (yield* PgClient.PgClient)
  })
)

/** The same on all nodes, or they would disagree about the placement of seasons. */
export const SHARDS = 16

/** `node` is the address of this node for the others, `secret` is shared by all; with `tls` nodes present certificates to each other. */
export const layerAmongOthers = (node: Address, secret: Redacted.Redacted, tls: NodeTls | undefined, answer: AnswerAsk) => {
  const config = ShardingConfig.layer({
    runnerAddress: Option.some(RunnerAddress.make(node.host, node.port)),
    shardsPerGroup: SHARDS,
    shardLockExpiration: "4 seconds",
    shardLockRefreshInterval: "1333 millis",
    refreshAssignmentsInterval: "250 millis",
    simulateRemoteSerialization: false
  })
  const clients = layerPeerClients(secret, tls)
  // A ping that waits behind others' messages would make a busy node look like one that is gone.
  const health = RunnerHealth.layerPing.pipe(Layer.provide(Runners.layerRpc), Layer.provide(layerPeerClients(secret, tls)))
  return layerPeerServer(node, secret, tls, answer).pipe(
    Layer.merge(PeerLink.layerOf(node, secret, tls)),
    Layer.provideMerge(HttpRunner.layerClient),
    Layer.provide([clients, health]),
    Layer.provideMerge(SqlMessageStorage.layerStorage({})),
    Layer.provide(SqlRunnerStorage.layerStorage({})),
    Layer.provide([config, RpcSerialization.layerSchemaBinary(), NodeCrypto.layerDigest, repeatedLines]),
    Layer.merge(Layer.effectDiscard(lookout(node))),
    Layer.provide(Layer.effectDiscard(Effect.andThen(tables, knownToOthers({ node, secret, tls })))),
    Layer.provide(layerSql),
    Layer.catch((error) => Layer.effectContext(error instanceof StartRefused ? Effect.fail(error) : Effect.die(error)))
  )
}
