/** The watch over uploads: everybody's turn comes, and a file that is refused is refused with its reason. */

import type { Command } from "@agon/domain/season/Command.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import { incomingKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { Room } from "@agon/server/object/Room.ts"
import { StoredObjects } from "@agon/server/object/StoredObjects.ts"
import { UploadWatch } from "@agon/server/submission/UploadWatch.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { core } from "../support/Web.ts"
import { localObjects, loopback, temporaryDirectory } from "./objectLocal.ts"

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

const told: Array<Command> = []
let refused: "Unavailable" | "SeasonClosed" | undefined
const Season = Layer.mock(SeasonActors, {
  ask: (season, command) =>
    Effect.suspend((): Effect.Effect<never, Mailbox.Refused> => {
      if (refused === "Unavailable") return Effect.fail(new Mailbox.Unavailable({ season, reason: "the season is reloading" }))
      if (refused === "SeasonClosed") return Effect.fail(new Mailbox.SeasonClosed({ season }))
      told.push(command)
      return Effect.succeed(null as never)
    })
})
const stored = Layer.unwrap(Effect.map(temporaryDirectory, (directory) => localObjects(directory).pipe(Layer.provide(loopback))))
const watchOfStore = UploadWatch.layer.pipe(
  Layer.provide([Room.layer, StoredObjects.layer]),
  Layer.provideMerge(stored),
  Layer.provide(Season),
  Layer.provide(Fixture.layer),
  Layer.provideMerge(core())
)

const keys = (["weights", "manifest"] as const).map((kind) => incomingKey(version, kind))
const putBoth = Effect.flatMap(ObjectStore, ({ put }) => Effect.forEach(keys, (key) => put(key, new Uint8Array(9)), { discard: true }))
const areGone = Effect.flatMap(ObjectStore, ({ stat }) => Effect.map(Effect.forEach(keys, stat), (found) => found.every(Option.isNone)))

layer(watchOfStore)("a file that is refused", (it) => {
  it.effect("when its season has just closed is removed, and nobody is warned", () =>
    Effect.gen(function* () {
      const { look } = yield* UploadWatch
      yield* putBoth
      refused = "SeasonClosed"
      const lines: Array<unknown> = []
      yield* Effect.provide(look, Logger.layer([Logger.make(({ message }) => void lines.push(message))]))
      assert.deepStrictEqual(lines, [])
      assert.isTrue(yield* areGone)
    })
  )

  it.effect("while its season is away is refused with the same reason once that is back, and removed then", () =>
    Effect.gen(function* () {
      const { look } = yield* UploadWatch
      yield* putBoth
      refused = "Unavailable"
      yield* look
      refused = undefined
      yield* look
      assert.deepInclude(told.pop(), { _tag: "RejectFiles", version, reject_reason: "hash_mismatch" })
      assert.isTrue(yield* areGone)
    })
  )
})
