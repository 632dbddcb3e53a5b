/** Replays that were uploaded and that no accepted result took over. */

import { mkdtempSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { replayKey, replayUploadKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { LEFT_MS, ReplayUploads } from "@agon/server/runner/ReplayUploads.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { eventually } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"
import { about, hashOf, isMatch, keyed, played, playMatches, report, seasonOf, toldOf, uploaded } from "../support/Referee.ts"
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

it.live(
  "are no copies of what results brought before the match ended with another replay",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const { sweep } = yield* ReplayUploads
        const fleet = yield* keyed("copies")
        yield* seasonOf("copies", fleet)
        const runner = yield* fleet.open(["match"])
        const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 2, wait_s: 10 } })
        const [work, other] = leases.filter(isMatch)
        const truth = yield* uploaded(work!)
        const keysOf = Effect.map(
          ObjectStore.use(({ list }) => list({ prefix: "replays/", limit: 10 })),
          (found) => found.map(({ key }) => key).filter((key) => key.startsWith(`replays/${work!.match_id}`))
        )
        for (const text of ["one", "two"]) {
          const bytes = new TextEncoder().encode(text)
          const { headers, method, url } = work!.replay_upload
          yield* Effect.promise(() => fetch(url, { method, headers, body: bytes }))
          const result = { ...truth, lease: work!.lease, replay: { hash: hashOf(bytes), bytes: bytes.length } }
          const results = [result, { ...result, lease: other!.lease }] // the other has no upload, so that none is applied
          const refused = yield* Effect.flip(fleet.client.runner.lease({ payload: { runner, max: 0, wait_s: 0, results } }))
          assert.deepInclude(refused, { code: "invalid_request", detail: "The replay is missing." })
          const taken = Effect.map(keysOf, (keys) => keys.includes(replayKey(work!.match_id, hashOf(bytes))))
          yield* eventually("the replay is taken over, whose request was answered before", taken)
        }
        yield* sweep
        assert.lengthOf(yield* keysOf, 2, "the match is open")
        yield* report(fleet.client, work!)
        yield* sweep
        assert.deepStrictEqual(yield* keysOf, [replayKey(work!.match_id, truth.replay.hash)])
      }).pipe(Effect.provide(Service.layer({ directory, database_url: yield* Postgres.url({ migrate: true }) })))
    }).pipe(Effect.scoped),
  60_000
)

it.live(
  "are no copies of what came within a result that was refused, also where the service was started anew since",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const life = Effect.provide(Service.layer({ directory, database_url: yield* Postgres.url({ migrate: true }) }))
      const keys = (prefix: string) =>
        ObjectStore.use(({ list }) => list({ prefix, limit: 10 })).pipe(Effect.map((found) => found.map(({ key }) => key)))
      const inline = "never accepted"
      const replay = { hash: hashOf(Buffer.from(inline)), bytes: inline.length, inline }

      const { match, secret, work } = yield* Effect.gen(function* () {
        const fleet = yield* keyed("within")
        yield* seasonOf("within", fleet)
        const runner = yield* fleet.open(["match"])
        const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 2, wait_s: 10 } })
        const [work, other] = leases.filter(isMatch)
        const told = { kind: "match", runtime_version: "test", played_ms: 1, ...toldOf(work!, played(work!)) } as const
        const results = [
          { ...told, lease: work!.lease, replay },
          { ...told, lease: other!.lease, replay: { hash: replay.hash, bytes: replay.bytes } } // not uploaded, so that none is applied
        ]
        const refused = yield* Effect.flip(fleet.client.runner.lease({ payload: { runner, max: 0, wait_s: 0, results } }))
        assert.deepInclude(refused, { code: "invalid_request", detail: "The replay is missing." })
        assert.deepStrictEqual(yield* keys("incoming/replays/"), [replayUploadKey(work!.lease)])
        yield* ObjectStore.use(({ put }) => put(replayKey(work!.match_id, replay.hash), Buffer.from(inline))) // it may have come so far or not
        yield* fleet.client.runner.lease({ payload: { runner, max: 0, wait_s: 0, holds: [] } }) // both go back
        return { match: work!.match_id, secret: fleet.secret, work: work!.lease }
      }).pipe(life)

      yield* Effect.gen(function* () {
        const { sweep } = yield* ReplayUploads
        utimesSync(join(directory, "objects", "objects", replayUploadKey(work)), 0, 0)
        assert.strictEqual(yield* sweep, 0, "the match is open")
        const client = yield* (yield* Service.Service).runner(secret)
        const { runner } = yield* client.runner.openSession({ payload: { ...about, accepts: ["match"] } })
        const again = yield* playMatches(client, runner, 2)
        assert.include(
          again.map(({ match_id }) => match_id),
          match
        )
        yield* sweep
        assert.deepStrictEqual(yield* keys("incoming/replays/"), [])
        assert.notInclude(yield* keys("replays/"), replayKey(match, replay.hash))
      }).pipe(life)
    }).pipe(Effect.scoped),
  60_000
)
