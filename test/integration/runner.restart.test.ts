/** Work that a runner held when the service stopped, and reports to its next life by the result route alone. */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { hashOf, isMatch, keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-restart-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)
const replay = new TextEncoder().encode(canonicalJson({ format: "replay/1" }))
const fetched = (url: string) => Effect.promise(() => fetch(url).then((response) => response.arrayBuffer()))

it.live(
  "a result is held to its lease, and its replay taken over, also where the service has been started anew since",
  () =>
    Effect.gen(function* () {
      const over = { directory: yield* temporary, database_url: yield* Postgres.url({ migrate: true }) }
      const life = Effect.provide(Service.layer(over))
      const { secret, work } = yield* Effect.gen(function* () {
        const fleet = yield* keyed("restart")
        yield* seasonOf("restart", fleet)
        const runner = yield* fleet.open(["match"])
        const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
        const work = leases.find(isMatch)!
        const { headers, method, url } = work.replay_upload
        assert.strictEqual((yield* Effect.promise(() => fetch(url, { method, headers, body: replay }))).status, 200)
        return { secret: fleet.secret, work }
      }).pipe(life)

      yield* Effect.gen(function* () {
        const { origin, runner } = yield* Service.Service
        const client = yield* runner(secret)
        const seats = work.seats.map(({ seat }) => ({ seat, score: 2 - seat, rank: 1 + seat, strikes: 0 }))
        const played = { kind: "match", runtime_version: "test", reason: "last_standing", turns: 3, played_ms: 1 } as const
        const result = { ...played, seats, state_sha256: "0".repeat(64), replay: { hash: hashOf(replay), bytes: replay.length } }
        const report = (payload: typeof result) => retryRefused(client.runner.result({ params: { lease: work.lease }, payload }))
        const other = yield* Effect.flip(report({ ...result, replay: { hash: hashOf(new Uint8Array(3)), bytes: 3 } }))
        assert.strictEqual((other as { readonly code?: string }).code, "invalid_request")
        const { headers, method, url } = work.replay_upload
        const moved = url.replace(new URL(url).origin, origin)
        assert.strictEqual((yield* Effect.promise(() => fetch(moved, { method, headers, body: replay }))).status, 200)
        assert.deepStrictEqual(yield* report(result), { accepted: true })
        const detail = JSON.parse(new TextDecoder().decode(yield* fetched(`${origin}/v1/matches/${work.match_id}`)))
        assert.deepStrictEqual(new Uint8Array(yield* fetched(detail.replay_url)), replay)
      }).pipe(life)
    }).pipe(Effect.scoped),
  60_000
)
