/** The watch over uploads: everybody's turn comes, and replays that are wanted no more do not stay. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Incoming } from "@agon/server/object/Incoming.ts"
import { incomingKey, replayUploadKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { Room } from "@agon/server/object/Room.ts"
import { StoredObjects } from "@agon/server/object/StoredObjects.ts"
import { SeasonActors } from "@agon/server/season/SeasonEntity.ts"
import { UploadWatch } from "@agon/server/submission/UploadWatch.ts"
import * as Fixture from "../support/Fixture.ts"
import { core } from "../support/Web.ts"

const version = Fixture.versionIds.gamma2 // its window ends after twenty minutes
const objects = new Set<string>()
const asked = new Set<string>()
const Objects = Layer.mock(ObjectStore, {
  presignPut: ({ expires_s, key, max_bytes }) =>
    Effect.map(DateTime.now, (now) => ({
      ...({ method: "PUT", url: `http://store/${key}`, headers: {}, max_bytes } as const),
      expires_at: DateTime.add(now, { seconds: expires_s })
    })),
  stat: (key) =>
    Effect.sync(() => {
      asked.add(key)
      return objects.has(key) ? Option.some({ bytes: 9 }) : Option.none()
    }),
  remove: (key) => Effect.sync(() => void objects.delete(key))
})
const watch = UploadWatch.layer.pipe(
  Layer.provide([Room.layer, StoredObjects.layer]),
  Layer.provideMerge(Incoming.layer),
  Layer.provide([Objects, Layer.mock(SeasonActors, {})]),
  Layer.provide(Fixture.layer),
  Layer.provideMerge(core())
)

layer(watch)("uploads", (it) => {
  it.effect("are looked at in turn: many that never come do not hold up one that does", () =>
    Effect.gen(function* () {
      const { look } = yield* UploadWatch
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO version SELECT (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'ord', 1000 + i,
        'number', 1000 + i, 'upload_until', v.upload_until - interval '1 minute'))).* FROM version v, generate_series(1, 600) i WHERE v.id = ${version}`
      asked.clear()
      for (let looks = 0; looks < 3; looks++) yield* look
      assert.strictEqual(asked.size, 601)
      assert.isTrue(asked.has(incomingKey(version, "manifest")))
      yield* sql`DELETE FROM version WHERE number > 1000`
    })
  )

  it.effect("of replays that no runner has reported are removed, once none can be under way any more, and no others", () =>
    Effect.gen(function* () {
      const { look } = yield* UploadWatch
      const { presignPut, remove } = yield* ObjectStore
      const keys = ["lost", "reported", "late"].map(replayUploadKey)
      const [lost, reported, late] = keys as [string, string, string]
      for (const key of [lost, reported]) yield* presignPut({ key, sha256: null, max_bytes: 9, expires_s: 1_800 })
      for (const key of [lost, reported]) objects.add(key)
      yield* remove(reported)
      objects.add(reported) // somebody else's now, for all that this node knows
      yield* TestClock.adjust("10 minutes")
      yield* presignPut({ key: late, sha256: null, max_bytes: 9, expires_s: 1_800 })
      objects.add(late)
      yield* TestClock.adjust("35 minutes")
      yield* look
      assert.isTrue(objects.has(lost), "too early")
      yield* TestClock.adjust("1 second")
      yield* look
      assert.deepStrictEqual([...objects], [reported, late])
      yield* TestClock.adjust("10 minutes")
      yield* look
      assert.deepStrictEqual([...objects], [reported])
    })
  )
})
