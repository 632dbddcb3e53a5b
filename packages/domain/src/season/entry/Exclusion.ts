/**
 * Entries out of play by decision (docs/contract.md#disqualification): an administrator disqualifies one, or
 * its owner may not take part any more. Either alone keeps the entry out, so each is recorded by itself.
 *
 *   entered ──Disqualify, SwitchOwner──▶ disqualified ──neither holds any more──▶ entered
 *                                                       ├─ a newer version of the model plays ─▶ superseded
 *                                                       └─ never entered, and it is too late ──▶ rejected
 *
 * Ratings stay as they are, but for the reset of a round that starts meanwhile. A candidate of a
 * removed owner is tried to its end and then does not enter. It enters when its owner is back, unless
 * the finals have started or the season is closing: then it is rejected, as other candidates were.
 * Baselines are switched off instead.
 */
import { logged } from "../Audit.ts"
import type { Of, Replies } from "../Command.ts"
import { leaveLadders, resumeRatings } from "../rating/LadderEntries.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"
import { moved } from "../VersionCounts.ts"
import { entryOf, isOver, OWNER_REMOVED, putInPlay, rejectVersion, supersede, tell } from "./Versions.ts"

export const disqualify = (state: State, { audit, reason, version: id, void_matches }: Of<"Disqualify">): Replies["Disqualify"] => {
  const version = state.versions_by_id.get(id)
  if (version === undefined || version.owner === null) return { refused: "not_in_contention" }
  if (version.status !== "entered" && version.status !== "disqualified") return { refused: "not_in_contention" }
  if (void_matches && !state.to_void.includes(id)) setToVoid(state, [...state.to_void, id])
  if (version.disqualified) return { status: version.status }
  version.disqualified = true
  version.reject_detail = reason
  takeOut(state, version)
  logged(state, audit)
  return { status: version.status }
}

export const endVoids = (state: State, { version }: Of<"EndVoids">): Replies["EndVoids"] => {
  if (state.to_void.includes(version))
    setToVoid(
      state,
      state.to_void.filter((each) => each !== version)
    )
  return null
}

const setToVoid = (state: State, to_void: State["to_void"]): void => {
  state.to_void = to_void
  state.writes.head = true
}

/** Nothing changes if the entry is neither suspended nor disqualified. */
export const reinstate = (state: State, { audit, version: id }: Of<"Reinstate">): Replies["Reinstate"] => {
  const version = state.versions_by_id.get(id)
  if (version === undefined) return { refused: "not_found" }
  if (!version.disqualified && version.phase !== "suspended") return { status: version.status, phase: version.phase }
  state.writes.versions.add(id)
  logged(state, audit)
  if (!version.disqualified) {
    Object.assign(version, { phase: null, streak: null }) // with no faults counted
    resumeRatings(state, version)
    tell(state, version, "reinstated")
    return { status: version.status, phase: version.phase }
  }
  version.disqualified = false
  endVoids(state, { _tag: "EndVoids", version: id })
  if (version.owner_removed) version.reject_detail = OWNER_REMOVED
  else bringBack(state, version)
  return { status: version.status, phase: version.phase }
}

/** In the order of submission, so that the newest version of a model is the one that plays. */
export const switchOwner = (state: State, { audit, owner, removed }: Of<"SwitchOwner">): Replies["SwitchOwner"] => {
  if (removed === null || !state.owners.has(owner)) return { switched: 0 }
  const mine = [...state.versions_by_id.values()].filter((version) => version.owner === owner && version.owner_removed !== removed)
  const switched = mine.filter(({ status }) => status !== "superseded").sort((a, b) => a.ord - b.ord)
  for (const version of switched) {
    version.owner_removed = removed
    state.writes.versions.add(version.id)
    if (removed && version.status === "entered") {
      version.reject_detail = OWNER_REMOVED
      takeOut(state, version)
    } else if (!removed && version.status === "disqualified" && !version.disqualified) bringBack(state, version)
  }
  if (switched.length > 0) logged(state, audit)
  return { switched: switched.length }
}

const takeOut = (state: State, version: Version): void => {
  if (version.status === "entered") {
    leaveLadders(state, version)
    moved(state, version, { status: "disqualified", phase: null, streak: null })
    state.recheckQueue = true
  }
  state.writes.versions.add(version.id)
  tell(state, version, "disqualified")
}

const bringBack = (state: State, version: Version): void => {
  version.reject_detail = null
  const isNew = !hasPlayed(state, version)
  if (isNew && isOver(state)) return rejectVersion(state, version, "season_closed", TOO_LATE)
  const entry = entryOf(state, version)
  if (entry !== undefined && entry.ord > version.ord) supersede(state, version, entry)
  else putInPlay(state, version, entry, isNew ? "entered" : "reinstated")
}

const TOO_LATE = "No version enters any more: the finals have started, or the season is closing."

/** Whether it has been in play: then it has ratings. */
const hasPlayed = ({ ladders }: State, { id }: Version): boolean => ladders.some(({ ratings }) => ratings.has(id))
