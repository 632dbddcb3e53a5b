/**
 * Waits for the files of submitted versions. A competitor sends them to the object store, which sends no
 * event, so the store is polled: once both files are there, they are sized and hashed, moved to their content
 * addresses, and the review starts. A file that differs from its announcement ends the candidacy. The files stay until the
 * season has been told, or a look that did not reach it would be the last one to know what is wrong with them.
 *
 * An account may have a candidate in each of several seasons. The seasons are told of its files one after another,
 * by whatever node, so that each finds the quota that the one before has left: a transaction with a lock on the account's quota
 * lasts until the season has answered.
 *
 * Some files are never taken over: the other file may never come, the season may close, and a URL is valid
 * for the whole window, even once its file is no longer wanted. The collector removes such files
 * (object/StoredObjects.ts); runner/result/ReplayUploads.ts removes replays that no runner has reported.
 */

import { seldom, seldomFailed } from "@agon/api/program/seldom.ts"
import type { Command } from "@agon/domain/season/Command.ts"
import type { RejectReason } from "@agon/domain/season/Reasons.ts"
import { hexOf } from "@agon/engine/hash.ts"
import { Context, Effect, Layer, Option, Schedule, Semaphore } from "effect"
import { SqlClient } from "effect/sql"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { tryLockNamed } from "../database/lockNamed.ts"
import { NIL } from "../database/rows.ts"
import { SharedClock } from "../database/SharedClock.ts"
import { incomingKey, storedKey } from "../object/keys.ts"
import { ObjectStore, type VerifyResult } from "../object/ObjectStore.ts"
import { Room } from "../object/Room.ts"
import { StoredObjects } from "../object/StoredObjects.ts"
import { type Awaited, makeQueries } from "./queries.ts"
import { MANIFEST_BYTES_MAX } from "./uploads.ts"

/** Reviews start within two seconds of the second file, as long as one look can take all waiting versions. */
const LOOK_EVERY = "1 second"
/** Versions in one look, and fetched at a time; the next look continues after the last of them. */
const VERSIONS_MAX = 500
const CONCURRENCY = 8
/** Seasons that are told of competitors' files at a time. Each costs a connection until it answers, and the pool has six. */
const TOLD_AT_ONCE = 3

export class UploadWatch extends Context.Service<UploadWatch, { readonly look: Effect.Effect<void> }>()("agon/UploadWatch") {
  static readonly layer: Layer.Layer<UploadWatch, never, SqlClient.SqlClient | ObjectStore | Room | StoredObjects | SeasonActors> =
    Layer.effect(
      UploadWatch,
      Effect.gen(function* () {
        const look = yield* makeLook
        yield* look.pipe(
          Effect.catchCause(seldomFailed("uploads were not looked at")),
          Effect.repeat(Schedule.spaced(LOOK_EVERY)),
          Effect.forkScoped
        )
        return UploadWatch.of({ look })
      })
    ).pipe(Layer.provide(SharedClock.layer))
}

/** The checks of a version's files. The weights are not looked at where the manifest is not as it should be. */
interface Files {
  readonly manifest: VerifyResult
  readonly weights: VerifyResult | undefined
}

/** Tells a season of the files that were verified. */
const makeTell = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const room = yield* Room
  const sql = yield* SqlClient.SqlClient
  const places = yield* Semaphore.make(TOLD_AT_ONCE)

  /**
   * The largest class, or the owner's remaining quota: other uploads may have used it up
   * since this one was announced.
   */
  const weightsMax = ({ manifest_hash, owner_id, quota_bytes, weights_hash, weights_max_bytes }: Awaited) =>
    owner_id === null
      ? Effect.succeed(weights_max_bytes)
      : Effect.map(room.ofQuota(owner_id, quota_bytes, [weights_hash, manifest_hash]), (left) =>
          Math.max(0, Math.min(left, weights_max_bytes))
        )

  /**
   * Whether the season was told: not where a file went missing between two looks. One that has closed meanwhile has rejected its
   * candidates, and wants no files.
   */
  const tell = Effect.fnUntraced(function* (awaited: Awaited, { manifest, weights }: Files) {
    const fits = typeof weights !== "object" || weights.bytes <= (yield* weightsMax(awaited))
    const command = commandOf(awaited.id, { manifest, weights: fits ? weights : "too_large" })
    if (command === undefined) return false
    yield* Effect.catchTag(actors.ask(awaited.season_id, command), "SeasonClosed", () => Effect.void)
    return true
  })

  /**
   * Not told either while another node tells a season of files of the same account: the next look finds these again. A
   * file that was refused takes no quota.
   */
  const tellInTurn = (awaited: Awaited, files: Files) => {
    if (awaited.owner_id === null || typeof files.weights !== "object") return tell(awaited, files)
    return tryLockNamed(sql, `quota ${awaited.owner_id}`).pipe(
      Effect.flatMap((held) => (held ? tell(awaited, files) : Effect.succeed(false))),
      sql.withTransaction,
      places.withPermit
    )
  }

  return { weightsMax, tell: tellInTurn }
})

const makeReceive = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const stored = yield* StoredObjects
  const { tell, weightsMax } = yield* makeTell

  const lies = (version: string, kind: "weights" | "manifest") => Effect.map(objects.stat(incomingKey(version, kind)), Option.isSome)

  const empty = (version: string) =>
    Effect.forEach(["weights", "manifest"] as const, (kind) => objects.remove(incomingKey(version, kind)), { discard: true })

  return Effect.fnUntraced(function* (awaited: Awaited) {
    const { id, manifest_hash, weights_hash } = awaited
    if (!(yield* lies(id, "manifest")) || !(yield* lies(id, "weights"))) return
    const verify = (kind: "weights" | "manifest", hash: string, max_bytes: number) =>
      objects.verify({
        key: incomingKey(id, kind),
        sha256: hexOf(hash),
        max_bytes,
        into: storedKey(kind === "weights" ? "weights" : "manifests", hash),
        keeps: "all"
      })
    yield* stored.taking([storedKey("weights", weights_hash), storedKey("manifests", manifest_hash)])
    const manifest = yield* verify("manifest", manifest_hash, MANIFEST_BYTES_MAX)
    // Weights beside a wrong manifest are not taken over: they would lie in the store and count in nobody's quota.
    const weights = typeof manifest === "string" ? undefined : yield* verify("weights", weights_hash, yield* weightsMax(awaited))
    if (yield* tell(awaited, { weights, manifest })) yield* empty(id)
  })
})

const makeLook = Effect.gen(function* () {
  const queries = yield* makeQueries
  const shared = yield* SharedClock // the windows are those of seasons on other nodes, too
  const receive = yield* makeReceive
  const unreceived = seldom("files were not received")

  const attempt = (version: Awaited) =>
    Effect.catchCause(receive(version), (cause) => unreceived({ reason: version.season_id, fields: { version: version.id }, cause }))

  /** The last version that was looked at, where more are waiting. */
  let last: Awaited | undefined

  const next = Effect.fnUntraced(function* (now: Date) {
    const versions = yield* queries.awaited({ now, until: last?.upload_until ?? now, id: last?.id ?? NIL, limit: VERSIONS_MAX })
    last = versions.length < VERSIONS_MAX ? undefined : versions.at(-1)
    return versions
  })

  return Effect.gen(function* () {
    const now = yield* shared.now
    const versions = yield* next(now)
    const owners = Map.groupBy(versions, ({ id, owner_id }) => owner_id ?? id).values()
    const inTurn = (versions: ReadonlyArray<Awaited>) => Effect.forEach(versions, attempt, { discard: true })
    yield* Effect.forEach(owners, inTurn, { concurrency: CONCURRENCY, discard: true })
  }).pipe(Effect.orDie, Effect.withSpan("UploadWatch.look"))
})

/** The command to the season; none where a file is missing. */
const commandOf = (version: string, { manifest, weights }: Files): Command | undefined => {
  const fault = faultOf("manifest", manifest) ?? (weights === undefined ? undefined : faultOf("weights", weights))
  if (fault !== undefined) return { _tag: "RejectFiles", version, ...fault }
  if (typeof manifest === "string" || typeof weights !== "object") return undefined
  return { _tag: "ReceiveFiles", version, weights_bytes: weights.bytes, manifest_bytes: manifest.bytes }
}

const faultOf = (file: string, verdict: VerifyResult): { reject_reason: RejectReason; reject_detail: string } | undefined => {
  if (verdict === "too_large")
    return {
      reject_reason: "too_large",
      reject_detail: `The ${file} file is larger than may be uploaded: than the largest class, or than your storage quota leaves.`
    }
  if (verdict === "hash_mismatch")
    return { reject_reason: "hash_mismatch", reject_detail: `The ${file} file is not the one whose hash was submitted.` }
  return undefined
}
