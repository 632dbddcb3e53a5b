/**
 * The uploads that are under way in the local store. They are counted by key, so that a single URL cannot
 * fill the disk with bodies that never end. The bytes that they may still bring are reserved, so that many
 * together do not use the share that must stay free.
 */
import { HeldCounts } from "@agon/api/program/HeldCounts.ts"
import { isReplayUpload } from "./keys.ts"
import { FREE_SHARE_MIN } from "./Room.ts"

/**
 * Uploads of one key at once: a URL is given to one uploader, who needs one, and another where a connection
 * was lost that still seems open.
 */
const PER_KEY_MAX = 2
/** Free share below which replays are refused as well: the rest is left to the database. */
export const REPLAY_FREE_SHARE_MIN = 0.02

interface DiskRoom {
  readonly free_bytes: number
  readonly total_bytes: number
}

export type Uploads = ReturnType<typeof makeUploads>

export const makeUploads = () => {
  const underWay = new HeldCounts()
  let announced_bytes = 0

  /** Whether an upload of `bytes` may begin. After "begun" the caller has to call `end`. */
  const begin = (key: string, bytes: number, { free_bytes, total_bytes }: DiskRoom): "begun" | "busy" | "full" => {
    if (underWay.of(key) >= PER_KEY_MAX) return "busy"
    const stays_free = total_bytes * (isReplayUpload(key) ? REPLAY_FREE_SHARE_MIN : FREE_SHARE_MIN)
    if (free_bytes - announced_bytes - bytes < stays_free) return "full"
    underWay.enter(key)
    announced_bytes += bytes
    return "begun"
  }

  const end = (key: string, bytes: number): void => {
    announced_bytes -= bytes
    underWay.leave(key)
  }

  return { begin, end }
}
