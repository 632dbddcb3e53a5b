/** The watch over uploads: everybody's turn comes, and replays that are wanted no more do not stay. */

import { SeasonActors } from "@agon/server/actor/SeasonEntity.ts"
import { incomingKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { Room } from "@agon/server/object/Room.ts"
import { StoredObjects } from "@agon/server/object/StoredObjects.ts"
import { UploadWatch } from "@agon/server/submission/UploadWatch.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
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
  Layer.provide([Room.layer, StoredObjects.layer]),
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
})
