/** The ends of a candidacy, rejected or entered, and the successor that takes an entry's place. */

import type { VersionChange } from "../Event.ts"
import type { RejectReason } from "../Reasons.ts"
import { joinLadders, letGo } from "../rating/LadderEntries.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"
import { moved, uncount } from "../VersionCounts.ts"

/** Whether versions can no longer enter: the season is closing, closed, or in its finals. */
export const isOver = (state: State): boolean =>
  state.phase !== "open" || state.rounds.some((round) => round.kind === "finals" && round.started_at !== null)

/** Reasons that are the service's fault or a mere slip: the next submission need not wait. */
const WITHOUT_COOLDOWN = new Set<RejectReason>(["admission_unavailable", "upload_expired"])

/** Ends a candidacy, or that of a version that could not enter for its owner. The version leaves the state with this commit. */
export const rejectVersion = (state: State, version: Version, reason: RejectReason, detail: string): void => {
  if (version.status === "testing") state.testing--
  uncount(state, version)
  Object.assign(version, { status: "rejected", phase: null, upload_until: null, reject_reason: reason, reject_detail: detail })
  if (WITHOUT_COOLDOWN.has(reason)) endCooldown(state, version)
  if (state.reviews.delete(version.id)) state.writes.reviews.add(version.id)
  state.versions_by_id.delete(version.id)
  state.writes.versions.delete(version.id)
  state.writes.rejected.set(version.id, version)
  tell(state, version, "rejected")
  state.recheckQueue = true
}

/** Where the version is the owner's last. The time of one that was made by a clock that was ahead is later than its cooldown's. */
const endCooldown = (state: State, { created_at, owner: id }: Version): void => {
  const owner = id === null ? undefined : state.owners.get(id)
  if (owner !== undefined && owner.last_submitted_at !== null && owner.last_submitted_at <= created_at) owner.last_submitted_at = null
}

/** Gives a rejected version another reason, which is not its own fault. */
export const pardon = (state: State, version: Version, detail: string): void => {
  Object.assign(version, { reject_reason: "admission_unavailable", reject_detail: detail } satisfies Partial<Version>)
  endCooldown(state, version)
  tell(state, version, "rejected")
}

/** A candidate enters, unless its owner has left meanwhile. */
export const enterVersion = (state: State, version: Version): void => {
  state.testing--
  state.writes.versions.add(version.id)
  if (version.owner_removed) {
    moved(state, version, { status: "disqualified", phase: null, reject_detail: OWNER_REMOVED })
    tell(state, version, "disqualified")
  } else putInPlay(state, version, entryOf(state, version), "entered")
}

/** The reason that the owner of such a version reads. */
export const OWNER_REMOVED = "Its owner is not on the season's roster any more, or the account is suspended."

/** The version of the same model that plays. */
export const entryOf = ({ models }: State, { model }: Version): Version | undefined =>
  models.get(model)!.held.find(({ status }) => status === "entered")

/** The version joins its ladders; the entry of its model before it is superseded in the same commit. */
export const putInPlay = (state: State, version: Version, before: Version | undefined, change: "entered" | "reinstated"): void => {
  moved(state, version, { status: "entered", phase: null })
  joinLadders(state, version, before)
  state.writes.versions.add(version.id)
  tell(state, version, change)
  if (before !== undefined) supersede(state, before, version)
}

export const supersede = (state: State, version: Version, { number }: Version): void => {
  moved(state, version, { status: "superseded", phase: null, streak: null, successor: number })
  state.writes.versions.add(version.id)
  tell(state, version, "superseded")
  letGo(state, version)
  state.recheckQueue = true
}

export const tell = (state: State, { id: version, model, owner, reject_reason }: Version, change: VersionChange): void => {
  state.events.push({ _tag: "VersionMoved", version, model, owner, change, reject_reason })
}
