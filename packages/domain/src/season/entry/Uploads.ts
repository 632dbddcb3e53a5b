/** The files of a submitted version: they arrive and are reviewed, are refused, or do not come within the upload window. */

import type { Of, Replies } from "../Command.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"
import { awaitReview } from "./Reviews.ts"
import { rejectVersion, tell } from "./Versions.ts"

export const receiveFiles = (state: State, command: Of<"ReceiveFiles">): Replies["ReceiveFiles"] => {
  const version = state.versions_by_id.get(command.version)
  if (version?.phase !== "upload") return { received: version !== undefined }
  Object.assign(version, {
    phase: "review",
    upload_until: null,
    weights_bytes: command.weights_bytes,
    manifest_bytes: command.manifest_bytes
  })
  awaitReview(state, version)
  tell(state, version, "review")
  for (const each of announcedBeside(state, version)) rejectVersion(state, each, "upload_expired", CAME_LATER)
  return { received: true }
}

const CAME_LATER = "Somebody else had announced the same weights as well, and their files came first."

/** The announcements of the same weights by other competitors. Baselines neither have to wait for somebody nor keep them waiting. */
const announcedBeside = ({ candidates }: State, { owner, weights_hash }: Version): ReadonlyArray<Version> =>
  owner === null
    ? []
    : [...candidates].filter(
        (each) => each.phase === "upload" && each.weights_hash === weights_hash && each.owner !== null && each.owner !== owner
      )

export const rejectFiles = (state: State, command: Of<"RejectFiles">): Replies["RejectFiles"] => {
  const version = state.versions_by_id.get(command.version)
  if (version?.phase === "upload") rejectVersion(state, version, command.reject_reason, command.reject_detail)
  return { received: version !== undefined }
}

export const expireUploads = (state: State): void => {
  state.uploadEnd = Infinity
  for (const version of [...state.candidates]) {
    if (version.upload_until === null) continue
    if (version.upload_until > state.now) state.uploadEnd = Math.min(state.uploadEnd, version.upload_until)
    else
      rejectVersion(state, version, "upload_expired", "The upload window ended before the service had received both files; submit again.")
  }
}
