/**
 * The service and its site with a real S3 server of another origin, behind a front that can go wrong, and a
 * match with its replay there.
 */
import { hashOf } from "@agon/engine/hash.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { replayKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import * as S3Objects from "@agon/server/object/s3/S3Objects.ts"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "./Fixture.ts"
import { siteAnswers } from "./Pages.ts"
import { type Front, front } from "./S3Front.ts"
import { S3Server } from "./S3Server.ts"
import * as Service from "./Service.ts"
import * as SiteService from "./SiteService.ts"
import { seedAccounts } from "./Web.ts"

export const PLAYED = Fixture.matchIds.open
/** Of the private season that ada takes part in. */
export const PLAYED_IN_PRIVATE = Fixture.matchIds.secret

/** The proxy before the store, and its address, which is the store's for everybody. */
export class Elsewhere extends Context.Service<Elsewhere, { readonly front: Front; readonly endpoint: string; readonly replay: Buffer }>()(
  "test/Elsewhere"
) {}

/** Two matches whose replay, which the engine has played, lies in the bucket. */
const played = (replay: Buffer) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const hash = hashOf(replay)
    const { put } = yield* ObjectStore
    for (const match of [PLAYED, PLAYED_IN_PRIVATE]) {
      yield* put(replayKey(match, hash), replay)
      yield* sql`UPDATE match SET replay_hash = ${hash}, replay_bytes = ${replay.length} WHERE id = ${match}`
    }
  })

/** Behind a proxy that tells addresses, so that no visitor meets a rate. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const server = yield* S3Server
    const { endpoint, it } = yield* front(server.endpoint)
    const s3 = { ...server, endpoint, bucket: "agon-site" }
    const { replay } = record(engineOf("snakes")!, snakesBoards.find(({ map_id }) => map_id === "wrapped-9")!, 2011)
    const bytes = Buffer.from(JSON.stringify(replay))
    const seeded = Fixture.layer.pipe(Layer.provide(Layer.effectDiscard(seedAccounts)))
    const service = Service.layer({ ...SiteService.settings, s3 })
    return Layer.effectDiscard(Effect.andThen(played(bytes), siteAnswers)).pipe(
      Layer.provide(S3Objects.layer(s3)),
      Layer.provideMerge(seeded),
      Layer.provideMerge(service),
      Layer.merge(Layer.succeed(Elsewhere, { front: it, endpoint, replay: bytes }))
    )
  })
).pipe(Layer.provide(S3Server.layer))
