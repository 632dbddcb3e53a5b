/** Replays that were uploaded and that no accepted result took over. */

import { mkdtempSync, rmSync, utimesSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { replayKey, replayUploadKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { makeKeepReplay } from "@agon/server/runner/result/keepReplay.ts"
import { LEFT_MS, ReplayUploads } from "@agon/server/runner/result/ReplayUploads.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as Postgres from "../support/Postgres.ts"
import { played, toldOf } from "../support/playedMatch.ts"
import { hashOf, isMatch, keyed, report, seasonOf, uploaded } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-uploads-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)
const bytes = new TextEncoder().encode("never reported")

/** The true result of a match, with its replay in it. */
const withinOf = (work: Parameters<typeof uploaded>[0]) => {
  const match = played(work)
  const inline = canonicalJson(match.replay)
  const replay = { hash: hashOf(Buffer.from(inline)), bytes: Buffer.byteLength(inline), inline }
  return { kind: "match", runtime_version: "test", played_ms: 1, ...toldOf(work, match), lease: work.lease, replay } as const
}

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
        yield* sweep
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
  "are left to runners that wait with their results until a service comes back that was away for hours",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const life = Effect.provide(Service.layer({ directory, database_url: yield* Postgres.url({ migrate: true }) }))
      const { payload, secret, work } = yield* Effect.gen(function* () {
        const fleet = yield* keyed("waits")
        yield* seasonOf("waits", fleet)
        const { leases } = yield* fleet.client.runner.lease({ payload: { runner: yield* fleet.open(["match"]), max: 1, wait_s: 10 } })
        const work = leases.find(isMatch)!
        return { work, secret: fleet.secret, payload: yield* uploaded(work) }
      }).pipe(life)
      const then = new Date(Date.now() - 2 * LEFT_MS)
      utimesSync(join(directory, "objects", "objects", replayUploadKey(work.lease)), then, then)
      yield* Effect.gen(function* () {
        const { as, runner } = yield* Service.Service
        yield* as("admin") // some time after the start
        const client = yield* runner(secret)
        const told = client.runner.result({ params: { lease: work.lease }, payload })
        assert.deepStrictEqual(yield* retryRefused(told), { accepted: true })
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
          assert.deepInclude(refused, {
            code: "invalid_request",
            detail: "No replay was uploaded for this lease: upload it before its result is reported."
          })
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
  "go with their copies where the lease had ended with a fault before, and another runner played the match",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      yield* Effect.gen(function* () {
        const { sweep } = yield* ReplayUploads
        const fleet = yield* keyed("faulty")
        yield* seasonOf("faulty", fleet)
        const other = yield* keyed("other", fleet.admin)
        const runner = yield* fleet.open(["match"])
        const another = yield* other.open(["match"])
        const leased = (client: typeof fleet.client, runner: string) =>
          Effect.map(client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } }), ({ leases }) => leases.find(isMatch)!)
        const playedBy = Effect.fnUntraced(function* (match: Parameters<typeof uploaded>[0]) {
          const { lease, ...within } = withinOf(match)
          assert.deepStrictEqual(yield* other.client.runner.result({ params: { lease }, payload: within }), { accepted: true })
        })
        yield* playedBy(yield* leased(other.client, another)) // so that a fault leaves a match to it
        // The same replay as the other runner's, which is no object, and a different one.
        for (const lie of [{}, { replay: () => ({ seed: 1 }) }]) {
          const work = yield* leased(fleet.client, runner)
          const say = (payload: Parameters<typeof fleet.client.runner.result>[0]["payload"]) =>
            fleet.client.runner.result({ params: { lease: work.lease }, payload })
          assert.deepStrictEqual(yield* say({ kind: "match", fault_reason: "engine_fault", detail: "No memory." }), { accepted: true })
          assert.deepStrictEqual(yield* say(yield* uploaded(work, lie)), { accepted: true }, "as before")
          const again = yield* leased(other.client, another)
          assert.strictEqual(again.match_id, work.match_id)
          yield* playedBy(again)
          const then = new Date(Date.now() - LEFT_MS - 1_000)
          utimesSync(join(directory, "objects", "objects", replayUploadKey(work.lease)), then, then)
        }
        yield* sweep
        for (const prefix of ["replays/", "incoming/replays/"]) {
          assert.isEmpty(yield* ObjectStore.use(({ list }) => list({ prefix, limit: 10 })), prefix)
        }
      }).pipe(Effect.provide(Service.layer({ directory, database_url: yield* Postgres.url({ migrate: true }) })))
    }).pipe(Effect.scoped),
  60_000
)

it.live(
  "are none of what came within a result: it is kept with its match, or not at all",
  () =>
    Effect.gen(function* () {
      const directory = yield* temporary
      const database_url = yield* Postgres.url({ migrate: true })
      const kept = (sql: SqlClient.SqlClient) => sql<{ readonly content: Uint8Array }>`SELECT content FROM replay`
      const all = ObjectStore.use(({ list }) =>
        Effect.map(Effect.all([list({ prefix: "replays/", limit: 10 }), list({ prefix: "incoming/replays/", limit: 10 })]), (lists) =>
          lists.flat()
        )
      )
      yield* Effect.gen(function* () {
        const fleet = yield* keyed("within")
        yield* seasonOf("within", fleet)
        const sql = yield* SqlClient.SqlClient
        const runner = yield* fleet.open(["match"])
        const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 2, wait_s: 10 } })
        const [work, other] = leases.filter(isMatch)
        const within = withinOf(work!)
        const { inline, ...replay } = within.replay
        const unsent = { ...within, lease: other!.lease, replay } // not uploaded, so that none is applied
        const say = (results: ReadonlyArray<typeof within | typeof unsent>) =>
          fleet.client.runner.lease({ payload: { runner, max: 0, wait_s: 0, results } })
        assert.deepInclude(yield* Effect.flip(say([within, unsent])), {
          code: "invalid_request",
          detail: "No replay was uploaded for this lease: upload it before its result is reported."
        })
        assert.deepStrictEqual(yield* kept(sql), [])
        assert.deepStrictEqual((yield* say([within])).results, [{ lease: work!.lease, accepted: true, reason: null }])
        assert.deepStrictEqual((yield* say([within])).results, [{ lease: work!.lease, accepted: true, reason: null }], "said again")
        assert.deepStrictEqual(
          (yield* kept(sql)).map(({ content }) => Buffer.from(content).toString()),
          [inline]
        )
        assert.deepStrictEqual(yield* all, [])
      }).pipe(Effect.provide(Service.layer({ directory, database_url })))
    }).pipe(Effect.scoped),
  60_000
)

it.live(
  "is kept as an object where the season's node, of an earlier release, did not write it with its match",
  () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const fleet = yield* keyed("earlier")
        yield* seasonOf("earlier", fleet)
        const runner = yield* fleet.open(["match"])
        const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
        const [work] = leases.filter(isMatch)
        yield* report(fleet.client, work!)
        const within = withinOf(work!)
        const key = replayKey(work!.match_id, within.replay.hash)
        const stored = ObjectStore.use(({ get }) => get({ key, max_bytes: 65_536 }))
        yield* ObjectStore.use(({ remove }) => remove(key)) // the row is now as that release writes it
        const keep = yield* makeKeepReplay
        yield* keep({ ...within, replay: { ...within.replay, hash: hashOf(bytes) } })
        assert.isTrue(Option.isNone(yield* stored), "another replay than the match's")
        yield* keep(within)
        const text = Option.map(yield* stored, (bytes) => Buffer.from(bytes).toString())
        assert.strictEqual(Option.getOrUndefined(text), within.replay.inline)
      }).pipe(Effect.provide(Service.layer({ directory: yield* temporary, database_url: yield* Postgres.url({ migrate: true }) })))
    }).pipe(Effect.scoped),
  60_000
)
