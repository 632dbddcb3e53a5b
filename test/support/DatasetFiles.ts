/** Datasets of seasons whose matches a test writes: their maker, and the files as those read them who are given their addresses. */

import { createHash } from "node:crypto"
import { zstdDecompressSync } from "node:zlib"
import { DatasetMaker } from "@agon/server/dataset/DatasetMaker.ts"
import { Bounds, PauseTimes } from "@agon/server/dataset/PartFiles.ts"
import { replayKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { temporaryDirectory } from "../integration/objectLocal.ts"
import * as A from "./Administration.ts"
import * as Fixture from "./Fixture.ts"

const { seasonIds, versionIds: v } = Fixture
export const datasetsAt = (slug: string) => `${A.urlOf(slug)}/datasets`

/** A maker as each node has one; several make at once. */
export const makerWith = (datasets: "all" | "matches" = "all", rows = 100_000, bytes = 2 ** 28) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const built = yield* Layer.build(Layer.fresh(DatasetMaker.layer({ datasets, directory })))
    return Context.get(built, DatasetMaker)
  }).pipe(Effect.provideService(PauseTimes, 0), Effect.provideService(Bounds, { rows, bytes }))
export const make = (datasets: "all" | "matches" = "all", rows = 100_000) =>
  Effect.scoped(Effect.flatMap(makerWith(datasets, rows), ({ look }) => look))

export const idOf = (n: number) => Fixture.uuid("match", 1_000 + n)
export const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
export const replay = (n: number) => Buffer.from(JSON.stringify({ replay: n, filler: "x".repeat(n) }))

export interface Played {
  /** Its number of rating. */
  readonly n: number
  readonly at: string
  readonly season_id?: string
  readonly versions?: readonly [string, string]
}

/** Rated matches with replays, as a season writes them. */
export const played = (...matches: ReadonlyArray<Played>) =>
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const sql = yield* SqlClient.SqlClient
    for (const { at, n, season_id = seasonIds.spring, versions = [v.alpha2, v.beta1] } of matches) {
      const hash = `sha256:${hashOf(replay(n))}`
      yield* objects.put(replayKey(idOf(n), hash), replay(n))
      yield* sql`INSERT INTO match (id, season_id, n, ladder, round, map_id, seed, engine_digest, status, rated_n, lease_n, released,
          created_at, ended_at, reason, turns, played_ms, runtime_version, state_sha256, replay_hash, replay_bytes)
        VALUES (${idOf(n)}, ${season_id}, ${1_000 + n}, 'nano', 1, ${"duel"}, ${n * 7}, ${Fixture.engineDigest}, 'rated', ${n}, 1, false,
          ${new Date(at)}, ${new Date(at)}, 'last_standing', ${n}, 900, 'ort 1.30', ${"c".repeat(64)}, ${hash}, ${replay(n).byteLength})`
      for (const [seat, version] of versions.entries()) {
        const change = seat === 0 ? 1.239 * n : -1.239 * n
        yield* sql`INSERT INTO seat (match_id, seat, season_id, version_id, model_id, owner_id, ended_at, rank, score, strikes, place,
            made_mu, made_sigma, made_change, open_mu, open_sigma, open_change)
          SELECT ${idOf(n)}::uuid, ${seat}::int, ${season_id}::uuid, id, model_id, owner_id, ${new Date(at)}, ${seat + 1}::int, ${n * 2 - seat}::int,
            ${seat}::int, 1, 0, 60, ${change}::float8, 1, 50, ${change / 2}::float8 FROM version WHERE id = ${version}`
      }
    }
  })

/** As a season writes that a match is voided, at its own time. */
export const voided = (n: number, at: string, season_id: string = seasonIds.spring) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`UPDATE season SET head = head || jsonb_build_object('now', ${Date.parse(at)}::float8) WHERE id = ${season_id}`
    yield* sql`UPDATE match SET status = 'failed', rated_n = NULL, fault_reason = 'replay_mismatch' WHERE id = ${idOf(n)}`
    yield* sql`UPDATE seat SET rank = 0, made_mu = NULL, made_change = NULL WHERE match_id = ${idOf(n)}`
  })

export const listed = (slug: string, query = "") =>
  Effect.map(A.ask(`${datasetsAt(slug)}${query}`), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return answer.json.datasets as ReadonlyArray<any>
  })

/** The bytes behind an address, which are those that the list describes. */
export const fetched = (file: any) =>
  Effect.gen(function* () {
    const objects = yield* ObjectStore
    const key = new URL(file.url).pathname.slice("/objects/".length)
    const bytes = Option.getOrThrow(yield* objects.get({ key, max_bytes: 2 ** 28 }))
    assert.deepStrictEqual([bytes.byteLength, hashOf(bytes)], [file.bytes, file.sha256])
    return zstdDecompressSync(bytes)
  })
export const linesOf = (file: any) =>
  Effect.map(fetched(file), (bytes) => {
    const lines = bytes.toString("utf8").split("\n")
    assert.strictEqual(lines.pop(), "")
    assert.lengthOf(lines, file.rows)
    return lines.map((line) => JSON.parse(line))
  })
/** The files of a tar by their names. */
export const entriesOf = (file: any) =>
  Effect.map(fetched(file), (bytes) => {
    const found = new Map<string, Buffer>()
    for (let at = 0; bytes[at] !== 0; ) {
      const size = Number.parseInt(bytes.toString("latin1", at + 124, at + 135), 8)
      found.set(bytes.toString("latin1", at, bytes.indexOf(0, at)), bytes.subarray(at + 512, at + 512 + size))
      at += 512 * (1 + Math.ceil(size / 512))
    }
    assert.strictEqual(found.size, file.rows)
    return found
  })
