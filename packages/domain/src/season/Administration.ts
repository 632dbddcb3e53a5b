/** Boards and settings, as administrators change them. */
import { logged } from "./Audit.ts"
import type { Of, Replies } from "./Command.ts"
import { type Fault, isEqual, merged, refusalOf } from "./Editing.ts"
import { faultsOfBaselines, rejudgeBaselines } from "./entry/Baselines.ts"
import { isBeforeOpening } from "./Round.ts"
import { QUEUES, type Settings, TRIALS } from "./Rules.ts"
import type { State } from "./State.ts"
import { findStragglers } from "./scheduler/Stragglers.ts"

/** A new board starts out of play. */
export const addBoard = (state: State, { audit, board: id, cols, file, players, rows }: Of<"AddBoard">): Replies["AddBoard"] => {
  if (state.boards.has(id)) return { refused: "board_exists" }
  state.boards.set(id, { id, ord: state.boards.size + 1, players, rows, cols, enabled: false, used: QUEUES.map(() => 0) })
  state.writes.newBoards.set(id, { file })
  logged(state, audit)
  state.events.push({ _tag: "BoardChanged", board: id })
  return { added: true }
}

/**
 * The use with which a board comes into play in a queue, unless its own is more: the least of the boards in play that the
 * queue can fill. Where there are none it is the most of any, for those that may come back. With less, only
 * this board would be played until it had caught up.
 */
const firstUse = ({ boards, ladders }: State, queue: number): number => {
  const entries = queue === TRIALS ? Infinity : ladders[queue]!.active
  let least = Infinity
  let most = 0
  for (const { enabled, players, used } of boards.values()) {
    most = Math.max(most, used[queue]!)
    if (enabled && players <= entries) least = Math.min(least, used[queue]!)
  }
  return Math.min(least, most)
}

export const switchBoard = (state: State, { audit, board: id, enabled }: Of<"SwitchBoard">): Replies["SwitchBoard"] => {
  const board = state.boards.get(id)
  if (board === undefined) return { refused: "not_found" }
  if (board.enabled === enabled) return { enabled }
  if (enabled) board.used = board.used.map((used, queue) => Math.max(used, firstUse(state, queue)))
  board.enabled = enabled
  state.writes.boards.add(id)
  state.writes.boardPeriods.push({ board: id, enabled, at: state.now })
  logged(state, audit)
  state.events.push({ _tag: "BoardChanged", board: id })
  state.recheckQueue = true
  for (const version of state.candidates) if (version.phase === "trial") state.movedTrials.add(version.id)
  state.workAppeared = true
  return { enabled }
}

export const editSettings = (state: State, { audit, scheduledOnly, settings }: Of<"EditSettings">): Replies["EditSettings"] => {
  // One that a clock that was ahead has opened keeps the rules by which its matches were made, also once it is put back.
  const scheduled = state.phase === "open" && state.now < state.settings.submissions_open_at && state.matches === 0
  const after = merged(state.settings, settings)
  const refused = refusalOf(after, settings)
  if (refused !== undefined) return refused
  if (scheduledOnly && !scheduled) return { refused: "season_not_scheduled" }
  const overtaken = roundsOvertaken(state, after)
  if (overtaken.length > 0) return { refused: "invalid_request", errors: overtaken }
  const judges = settings.weight_classes !== undefined || settings.rules?.infer_us_max !== undefined
  const errors = judges ? faultsOfBaselines(state, after) : []
  if (errors.length > 0) return { refused: "rules_invalid", errors }
  if (isEqual(after, state.settings)) return { edited: true }
  state.settings = after
  state.writes.settings = true
  if (judges) rejudgeBaselines(state)
  findStragglers(state)
  logged(state, audit)
  state.events.push({ _tag: "SeasonChanged" })
  state.workAppeared = true
  return { edited: true }
}

/** The pending rounds that a later opening would put before it. */
const roundsOvertaken = ({ rounds, settings }: State, { submissions_open_at }: Settings): ReadonlyArray<Fault> =>
  submissions_open_at <= settings.submissions_open_at
    ? []
    : rounds
        .filter((round) => round.started_at === null && !round.withdrawn && isBeforeOpening(round, submissions_open_at))
        .map(({ kind, n }) => ({
          path: "submissions_open_at",
          message: `${kind === "finals" ? "The finals" : `Round ${n}`} would start before submissions open; move or withdraw ${kind === "finals" ? "them" : "it"} first.`
        }))
