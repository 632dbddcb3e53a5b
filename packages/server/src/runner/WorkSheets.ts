/**
 * What a runner needs to do a piece of work: the machine names ids, the runner gets files, URLs, rules and boards.
 * Versions and board files never change, so they are remembered; signed URLs are, for a part of their life.
 */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import type { AdmissionWork, AuditWork, File, MatchWork } from "@agon/api/runner/protocol.ts"
import type { Work } from "@agon/domain/season/Command.ts"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { replayKey, replayUploadKey, storedKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import type { LeasedAudit } from "./auditQueries.ts"
import { type Files, makeQueries, type OpenSeason } from "./queries.ts"
import { Remembered } from "./Remembered.ts"

/** A file may be fetched for this long after the lease; a link is handed out again for the first half of it. */
const URL_S = 3_600
const REPLAY_URL_S = 1_800
/** The largest replay that is taken. */
export const REPLAY_BYTES_MAX = 4 * 1024 * 1024

type MachineMatch = Extract<Work, { kind: "match" }>
type MachineReview = Extract<Work, { kind: "admission" }>

export class WorkSheets extends Context.Service<
  WorkSheets,
  {
    readonly of: (season: OpenSeason, works: ReadonlyArray<Work>) => Effect.Effect<ReadonlyArray<MatchWork | AdmissionWork>>
    readonly audit: (audit: LeasedAudit, lease: string, until: number) => Effect.Effect<AuditWork>
  }
>()("agon/WorkSheets") {
  static readonly layer: Layer.Layer<WorkSheets, never, SqlClient.SqlClient | ObjectStore> = Layer.effect(
    WorkSheets,
    Effect.suspend(() => makeWorkSheets)
  )
}

/** Signed links to what lies in the object store. */
const makeLinks = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const urls = new Remembered<{ readonly url: string; readonly until: number }>(40_000)
  const urlOf = Effect.fnUntraced(function* (key: string) {
    const now = yield* Clock.currentTimeMillis
    const known = urls.get(key)
    if (known !== undefined && known.until > now) return known.url
    const url = yield* objects.presignGet({ key, expires_s: URL_S })
    urls.set(key, { url, until: now + (URL_S / 2) * 1000 })
    return url
  })
  const fileOf = (kind: "weights" | "manifests", hash: string, bytes: number): Effect.Effect<File> =>
    Effect.map(urlOf(storedKey(kind, hash)), (url) => ({ hash, url, bytes }))
  const filesOf = (row: Files) =>
    Effect.all({
      weights: fileOf("weights", row.weights_hash, row.weights_bytes),
      manifest: fileOf("manifests", row.manifest_hash, row.manifest_bytes)
    })
  const replayUpload = (lease: string) =>
    Effect.map(
      objects.presignPut({ key: replayUploadKey(lease), sha256: null, max_bytes: REPLAY_BYTES_MAX, expires_s: REPLAY_URL_S }),
      ({ expires_at: _, ...upload }) => upload
    )
  const replayOf = (match: string, hash: string, bytes: number): Effect.Effect<File> =>
    Effect.map(objects.presignGet({ key: replayKey(match), expires_s: REPLAY_URL_S }), (url) => ({ hash, url, bytes }))
  return { filesOf, replayUpload, replayOf }
})

const makeWorkSheets = Effect.gen(function* () {
  const queries = yield* makeQueries
  const links = yield* makeLinks
  const versions = new Remembered<Files>(20_000)
  const boards = new Remembered<MatchWork["board"]>(1_000)

  const learn = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const unknown = [...new Set(ids)].filter((id) => versions.get(id) === undefined)
    if (unknown.length > 0) for (const row of yield* queries.files(unknown)) versions.set(row.id, row)
  }, Effect.orDie)

  const boardOf = Effect.fnUntraced(function* (season_id: string, map_id: string) {
    const key = `${season_id}/${map_id}`
    const known = boards.get(key)
    if (known !== undefined) return known
    const { file } = yield* queries.boardFile({ season_id, map_id })
    boards.set(key, file)
    return file
  }, Effect.orDie)

  const seatsOf = (ids: ReadonlyArray<string>) =>
    Effect.forEach(ids, (version_id, seat) => {
      const row = versions.get(version_id)!
      const memory_cap_bytes = memoryCapOf(row.weights_bytes)
      return Effect.map(links.filesOf(row), (files) => ({ seat, version_id, ...files, memory_cap_bytes }))
    })

  const matchWork = Effect.fnUntraced(function* ({ engine_digest, game, id }: OpenSeason, work: MachineMatch) {
    const seats = yield* seatsOf(work.versions)
    const replay_upload = yield* links.replayUpload(work.lease)
    const board = yield* boardOf(id, work.board)
    const { is_trial, lease, match: match_id, rules, seed } = work
    const expires_at = instant(work.until)
    return { lease, kind: "match", expires_at, match_id, game, engine_digest, is_trial, board, seed, rules, seats, replay_upload } as const
  })

  const admissionWork = Effect.fnUntraced(function* (season: OpenSeason, work: MachineReview) {
    const examined = yield* Effect.orDie(queries.examinedBy(season.id))
    const files = yield* links.filesOf(versions.get(work.version)!)
    const { attempt, lease, version: version_id } = work
    return { lease, kind: "admission", expires_at: instant(work.until), version_id, ...files, ...examined, attempt } as const
  })

  return WorkSheets.of({
    audit: Effect.fnUntraced(function* (audit, lease, until) {
      yield* learn(audit.versions)
      const seats = yield* seatsOf(audit.versions)
      const board = yield* boardOf(audit.season_id, audit.map_id)
      const replay = yield* links.replayOf(audit.match_id, audit.replay_hash, audit.replay_bytes)
      const { engine_digest, game, is_trial, match_id, rules, seed } = audit
      const expires_at = instant(until)
      return { lease, kind: "audit", expires_at, match_id, game, engine_digest, is_trial, board, seed, rules, seats, replay } as const
    }),
    of: Effect.fnUntraced(function* (season, works) {
      yield* learn(works.flatMap((work) => (work.kind === "match" ? work.versions : [work.version])))
      return yield* Effect.forEach(
        works,
        (work): Effect.Effect<MatchWork | AdmissionWork> => (work.kind === "match" ? matchWork(season, work) : admissionWork(season, work))
      )
    })
  })
})

const instant = (ms: number): string => DateTime.formatIso(DateTime.makeUnsafe(ms))
