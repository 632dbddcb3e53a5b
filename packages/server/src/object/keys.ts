/** The keys of the object store: content addresses for trusted objects, and separate keys for uploads. */

import { hexOf } from "@agon/engine/hash.ts"

/** Verified bytes of a version: `hash` is `sha256:<64 hex digits>`. */
export const storedKey = (kind: "weights" | "manifests", hash: string): string => `${kind}/sha256/${hexOf(hash)}`

/** A competitor's upload, until it is verified. */
export const incomingKey = (version: string, kind: "weights" | "manifest"): string => `incoming/${version}/${kind}`

/** Whether the key holds a client's upload that is not verified yet. */
export const isIncoming = (key: string): boolean => key.startsWith("incoming/")

export const REPLAY_UPLOADS = "incoming/replays/"

export const isReplayUpload = (key: string): boolean => key.startsWith(REPLAY_UPLOADS)

/** A runner's upload under one lease; a later lease of the match has a key of its own. */
export const replayUploadKey = (lease: string): string => `${REPLAY_UPLOADS}${lease}`

/** A verified replay that was uploaded. The key contains its hash, so no other report of the match can replace it. */
export const replayKey = (match: string, hash: string): string => `replays/${match}.${hexOf(hash)}`

/** The columns of `match` about its replay. */
export interface ReplayOfMatch {
  readonly id: string
  readonly replay_hash: string
  /** Stored by an earlier release, under a key without the hash. */
  readonly replay_by_match: boolean
  /** Written with the match (InlineReplays.ts). */
  readonly replay_inline: boolean
}

/** The keys of replays that are rows begin so: the segment after it is the match and the hash, as in the key of one that was uploaded. */
export const INLINE_REPLAYS = "inline/"

/** The one object that an ended match refers to. */
export const storedReplayKey = ({ id, replay_by_match, replay_hash, replay_inline }: ReplayOfMatch): string => {
  if (replay_inline) return `${INLINE_REPLAYS}${id}.${hexOf(replay_hash)}`
  return replay_by_match ? `replays/${id}` : replayKey(id, replay_hash)
}

/** The match of a replay that is a row; undefined for every other key. */
export const matchOfInline = (key: string): string | undefined =>
  key.startsWith(INLINE_REPLAYS) ? key.slice(INLINE_REPLAYS.length).split(".")[0] : undefined

const DATASETS = "datasets/"

/** A file of a dataset under its own hash; the last segment is the name that a downloader gives it. */
export const datasetKey = (season_id: string, sha256: string, name: string): string => `${DATASETS}${season_id}/${sha256}/${name}`

/** Whether the key holds a file of a dataset: made by the service itself, and never another one under this key. */
export const isDataset = (key: string): boolean => key.startsWith(DATASETS)

const CONTENT_ADDRESS = /^(?:(?:weights|manifests)\/sha256\/|replays\/[^./]+\.|datasets\/[^/]+\/)([0-9a-f]{64})(?:\/|$)/

/** The hash, in 64 hex digits, that the bytes under this key were found to have before they came there; undefined where it names none. */
export const hashInKey = (key: string): string | undefined => CONTENT_ADDRESS.exec(key)?.[1]
