/** Replays that were uploaded and that no accepted result took over. */

import { mkdtempSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { replayKey, replayUploadKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { LEFT_MS, ReplayUploads } from "@agon/server/runner/ReplayUploads.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { hashOf, isMatch, keyed, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-uploads-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)
const bytes = new TextEncoder().encode("never reported")

it.live(
  "are removed an hour later, also where the service was started anew since, and nothing else is",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const life = Effect.provide(Service.layer({ directory, database_url: yield* Postgres.url({ migrate: true }) }))
      const sweep = ReplayUploads.use(({ sweep }) => sweep)
      const are = (keys: ReadonlyArray<string>) =>
        ObjectStore.use(({ stat }) => Effect.forEach(keys, (key) => Effect.map(stat(key), Option.isSome)))

      const { keys, refused, reported } = yield* Effect.gen(function* () {
        const fleet = yield* keyed("uploads")
        yield* seasonOf("uploads", fleet)
        const runner = yield* fleet.open(["match"])
        const lease = Effect.map(fleet.client.runner.lease({ payload: { runner, max: 1, wait_s: 10, holds: [] } }), ({ leases }) => {
          const { lease, replay_upload, ...work } = leases.find(isMatch)!
          return { lease, replay_upload, ...work }
        })
        const upload = ({ replay_upload: { headers, method, url } }: Effect.Success<typeof lease>) =>
          Effect.promise(async () => assert.strictEqual((await fetch(url, { method, headers, body: bytes })).status, 200))
        const first = yield* lease
        yield* upload(first)
        const refused = replayKey(first.match_id, hashOf(bytes)) // as a result leaves it that is refused after its replay was taken over
        yield* ObjectStore.use(({ put }) => put(refused, bytes))
        const again = yield* lease
        assert.strictEqual(again.match_id, first.match_id)
        yield* report(fleet.client, again)
        const next = yield* lease
        yield* upload(next)
        const keys = [first, next].map(({ lease }) => replayUploadKey(lease))
        assert.strictEqual(yield* sweep, 0, "too early")
        assert.deepStrictEqual(yield* are([...keys, refused]), [true, true, true])
        return { keys, refused, reported: yield* ObjectStore.use(({ list }) => list({ prefix: "replays/", limit: 10 })) }
      }).pipe(life)
      const then = new Date(Date.now() - LEFT_MS - 1_000)
      for (const key of keys) utimesSync(join(directory, "objects", "objects", key), then, then)

      yield* Effect.gen(function* () {
        yield* sweep // the one at the start may have been first
        assert.deepStrictEqual(yield* are([...keys, refused]), [false, false, false])
        const left = yield* ObjectStore.use(({ list }) => list({ prefix: "replays/", limit: 10 }))
        assert.deepStrictEqual(
          left.map(({ key }) => key),
          reported.map(({ key }) => key).filter((key) => key !== refused)
        )
        assert.lengthOf(left, 1)
      }).pipe(life)
    }).pipe(Effect.scoped),
  60_000
)
