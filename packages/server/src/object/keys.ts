/** Where everything lies in the object store: what is trusted under content addresses, what is coming in beside it. */

const hex = (hash: string): string => hash.slice("sha256:".length)

/** Proved bytes of a version: `hash` is `sha256:<64 hex digits>`. */
export const storedKey = (kind: "weights" | "manifests", hash: string): string => `${kind}/sha256/${hex(hash)}`

/** What a competitor uploads, until it has been proved. */
export const incomingKey = (version: string, kind: "weights" | "manifest"): string => `incoming/${version}/${kind}`

/** Written by somebody outside, and proved by nobody yet. */
export const isIncoming = (key: string): boolean => key.startsWith("incoming/")

export const REPLAY_UPLOADS = "incoming/replays/"

export const isReplayUpload = (key: string): boolean => key.startsWith(REPLAY_UPLOADS)

/** What a runner uploads under one lease; a later lease of the match has a key of its own. */
export const replayUploadKey = (lease: string): string => `${REPLAY_UPLOADS}${lease}`

/** Where a proved replay lies: nothing else can ever come to lie there, so no other report of the match takes its place. */
export const replayKey = (match: string, hash: string): string => `replays/${match}.${hex(hash)}`

/** What a row of `match` says of its replay. */
export interface ReplayOfMatch {
  readonly id: string
  readonly replay_hash: string
  /** Stored by an earlier release, under the match alone. */
  readonly replay_by_match: boolean
}

/** The one object that an ended match refers to. */
export const storedReplayKey = ({ id, replay_by_match, replay_hash }: ReplayOfMatch): string =>
  replay_by_match ? `replays/${id}` : replayKey(id, replay_hash)
