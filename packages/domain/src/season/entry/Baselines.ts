/**
 * Baselines (docs/contract.md#baselines): they are switched on and off, and judged again where the classes or the speed limit of their
 * season are edited after they were admitted. It is scheduled then: nothing has been played, so no rating is lost where the class changes.
 *
 *   still allowed            its class is the one that it fits now
 *   not allowed, in play     the edit is refused: it is switched off first
 *   not allowed, off         it stays out of play: it cannot be switched on
 */
import { logged } from "../Audit.ts"
import type { Of, Replies } from "../Command.ts"
import type { Fault } from "../Editing.ts"
import { ladderNamed, laddersOf } from "../Ladders.ts"
import type { Settings } from "../Rules.ts"
import { joinLadders, leaveLadders } from "../rating/LadderEntries.ts"
import type { State } from "../State.ts"
import type { Version } from "../Version.ts"
import { moved } from "../VersionCounts.ts"
import { judgedBy } from "./Limits.ts"
import { isOver, tell } from "./Versions.ts"

/**
 * The field of the finals is settled when they start: a baseline may leave them, but cannot join. Nor can one join that is over the
 * season's limits, which were edited or have a new board since it was admitted.
 */
export const switchBaseline = (state: State, { audit, enabled, version: id }: Of<"SwitchBaseline">): Replies["SwitchBaseline"] => {
  const version = state.versions_by_id.get(id)
  if (version === undefined || version.owner !== null) return { refused: "not_found" }
  if (version.status === "testing") return { refused: "testing" }
  if ((version.status === "entered") === enabled) return { enabled }
  if (enabled && isOver(state)) return { refused: "season_closed" }
  const verdict = judgedBy(state, version)
  if (enabled && !verdict.within) return { refused: "over_limits", detail: verdict.fault[1] }
  moved(state, version, { status: enabled ? "entered" : "disabled", phase: null, streak: null })
  if (enabled) joinLadders(state, version, undefined)
  else leaveLadders(state, version)
  state.writes.versions.add(id)
  logged(state, audit)
  tell(state, version, enabled ? "entered" : "disabled")
  state.recheckQueue = true
  return { enabled }
}

const admitted = ({ versions_by_id }: State): ReadonlyArray<Version> =>
  [...versions_by_id.values()].filter(({ owner, status }) => owner === null && status !== "testing")

/** Why these settings would exclude a baseline in play. */
export const faultsOfBaselines = (state: State, settings: Settings): ReadonlyArray<Fault> =>
  admitted(state).flatMap((version) => {
    const verdict = judgedBy({ boards: state.boards, settings }, version)
    if (verdict.within || version.status !== "entered") return []
    const [reason, detail] = verdict.fault
    const path = reason === "too_slow" ? "rules.infer_us_max" : "weight_classes"
    return [{ path, message: `A baseline in play (version ${version.id}) would not be allowed; switch it off first. ${detail}` }]
  })

/** Called once the settings are those of the edit. */
export const rejudgeBaselines = (state: State): void => {
  for (const version of admitted(state)) {
    const verdict = judgedBy(state, version)
    if (verdict.within && verdict.class !== version.class) reclass(state, version, verdict)
  }
}

const reclass = (state: State, version: Version, to: Pick<Version, "class" | "memory_bytes">): void => {
  const inPlay = version.status === "entered"
  if (inPlay) leaveLadders(state, version)
  forgetClass(state, version)
  moved(state, version, { class: to.class, memory_bytes: to.memory_bytes })
  if (inPlay) joinLadders(state, version, undefined)
  forgetEarlier(state, version)
  state.writes.versions.add(version.id)
  state.recheckQueue = true
}

/** It may leave a ladder and come back to it within a commit, which writes a row once. */
const forgetEarlier = (state: State, { id }: Version): void => {
  for (const rating of state.writes.ratings) {
    const held = ladderNamed(state, rating.ladder).ratings.get(id)
    if (rating.version === id && held !== undefined && held !== rating) state.writes.ratings.delete(rating)
  }
}

/** The row on the ladder of the class that it leaves stays, out of play, and is not read again (`restore`). */
const forgetClass = (state: State, version: Version): void => {
  for (const { ladder, ratings } of laddersOf(state, version)) if (ladder !== "open") ratings.delete(version.id)
}
