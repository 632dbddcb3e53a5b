/**
 * Whether there is room for a competitor's upload: within the account's quota (set by the season's rules)
 * and on the disk. Models are refused at a larger free share than replays are, so that the rest is left
 * to replays and the database.
 */
import { Unavailable } from "@agon/api/Problem.ts"
import { StorageFull } from "@agon/api/submission/api.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { ObjectStore } from "./ObjectStore.ts"
import { makeQueries } from "./queries.ts"

/** Free share of the objects' disk below which no model is accepted. */
export const FREE_SHARE_MIN = 0.05
/** The same for daily files, which are not made: models and replays come first. */
export const DATASET_FREE_SHARE_MIN = 0.1

export class Room extends Context.Service<
  Room,
  {
    /** Refuses where the disk is nearly full. */
    readonly onDisk: Effect.Effect<void, StorageFull | Unavailable>
    /**
     * Bytes left of the account's quota, zero or negative where it is used up; without the files in
     * `but`, which it may have already.
     */
    readonly ofQuota: (owner: string, quota_bytes: number, but: ReadonlyArray<string>) => Effect.Effect<number>
    /** The same before an upload: refuses where less than `bytes` (1 where nobody knows) is left, or the disk is nearly full. */
    readonly left: (
      owner: string,
      quota_bytes: number,
      but: ReadonlyArray<string>,
      bytes?: number
    ) => Effect.Effect<number, StorageFull | Unavailable>
  }
>()("agon/object/Room") {
  static readonly layer: Layer.Layer<Room, never, SqlClient.SqlClient | ObjectStore> = Layer.effect(
    Room,
    Effect.gen(function* () {
      const objects = yield* ObjectStore
      const queries = yield* makeQueries
      const onDisk = Effect.suspend(() => objects.freeShare).pipe(
        Effect.mapError(() => new Unavailable({ detail: "The object store does not answer just now; try again in a second." })),
        Effect.filterOrFail(
          (share) => share >= FREE_SHARE_MIN,
          () => diskFull
        ),
        Effect.asVoid
      )
      const ofQuota = (owner_id: string, quota_bytes: number, but: ReadonlyArray<string>) =>
        Effect.map(Effect.orDie(queries.keptBytes({ owner_id, but })), ({ bytes }) => quota_bytes - bytes)
      return Room.of({
        onDisk,
        ofQuota,
        left: Effect.fnUntraced(function* (owner, quota_bytes, but, bytes = 1) {
          yield* onDisk
          const left = yield* ofQuota(owner, quota_bytes, but)
          if (left >= bytes) return left
          const kept = quotaFull(quota_bytes - left, quota_bytes)
          return yield* left > 0
            ? new StorageFull({ detail: `The weights have ${bytes} bytes, and your quota leaves ${left}. ${kept.detail}` })
            : kept
        })
      })
    })
  )
}

const diskFull = new StorageFull({ detail: "The service's disk is nearly full and takes no uploads; its operator has to make room." })

const quotaFull = (bytes: number, quota_bytes: number) =>
  new StorageFull({
    detail: `The service keeps ${mebibytes(bytes)} MiB of models for you (rejected ones for up to two days), and this season allows ${mebibytes(quota_bytes)} MiB.`
  })

const mebibytes = (bytes: number) => Math.round(bytes / 1024 ** 2)
