/** The watch over uploads: everybody's turn comes, and files that are wanted no more do not stay. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { incomingKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { SeasonActors } from "@agon/server/season/SeasonEntity.ts"
import { UploadWatch } from "@agon/server/submission/UploadWatch.ts"
import * as Fixture from "../support/Fixture.ts"
import { core } from "../support/Web.ts"

const version = Fixture.versionIds.gamma2 // its window ends after twenty minutes
const objects = new Set<string>()
const asked = new Set<string>()
const Objects = Layer.mock(ObjectStore, {
  stat: (key) =>
    Effect.sync(() => {
      asked.add(key)
      return objects.has(key) ? Option.some({ bytes: 9 }) : Option.none()
    }),
  remove: (key) => Effect.sync(() => void objects.delete(key))
})
const watch = UploadWatch.layer.pipe(
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

  it.effect("of a version whose window ended with one of its files are removed, once none can be under way any more", () =>
    Effect.gen(function* () {
      const { look } = yield* UploadWatch
      const sql = yield* SqlClient.SqlClient
      objects.add(incomingKey(version, "weights"))
      yield* look
      yield* TestClock.adjust("21 minutes")
      yield* sql`UPDATE version SET status = 'rejected', phase = NULL, upload_until = NULL, reject_reason = 'upload_expired' WHERE id = ${version}`
      objects.add(incomingKey(version, "manifest")) // it had begun in time
      yield* look
      assert.strictEqual(objects.size, 2, "too early")
      yield* TestClock.adjust("15 minutes")
      yield* look
      assert.strictEqual(objects.size, 0)
    })
  )
})
