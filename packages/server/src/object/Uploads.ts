/**
 * The uploads that are under way in the local store: how many of each key, so that a single URL cannot fill the disk with bodies
 * that never end, and how many bytes they may still bring, so that many together do not go below the share that stays free.
 */
import { isReplayUpload } from "./keys.ts"
import { FREE_SHARE_MIN } from "./Room.ts"

/** Of one key at once. A URL is given to one uploader, who needs one. */
const PER_KEY_MAX = 8
/** Below it replays are refused as well: the rest is the database's. */
const REPLAY_FREE_SHARE_MIN = 0.02

export interface DiskRoom {
  readonly free_bytes: number
  readonly total_bytes: number
}

export type Uploads = ReturnType<typeof makeUploads>

export const makeUploads = () => {
  const byKey = new Map<string, number>()
  let announced_bytes = 0

  /** Whether an upload of so many bytes may begin; one that may is `end`ed by its caller. */
  const begin = (key: string, bytes: number, { free_bytes, total_bytes }: DiskRoom): "begun" | "busy" | "full" => {
    const others = byKey.get(key) ?? 0
    if (others >= PER_KEY_MAX) return "busy"
    const stays_free = total_bytes * (isReplayUpload(key) ? REPLAY_FREE_SHARE_MIN : FREE_SHARE_MIN)
    if (free_bytes - announced_bytes - bytes < stays_free) return "full"
    byKey.set(key, others + 1)
    announced_bytes += bytes
    return "begun"
  }

  const end = (key: string, bytes: number): void => {
    announced_bytes -= bytes
    const left = (byKey.get(key) ?? 1) - 1
    if (left === 0) byKey.delete(key)
    else byKey.set(key, left)
  }

  return { begin, end }
}
