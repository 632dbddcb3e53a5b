/** Boards and settings, as administrators change them. */
import { logged } from "./Audit.ts"
import type { Of, Replies } from "./Command.ts"
import { type Fault, merged, refusalOf } from "./Editing.ts"
import { faultsOfBaselines, rejudgeBaselines } from "./entry/Baselines.ts"
import { isBeforeOpening } from "./Round.ts"
import { QUEUES, type Settings } from "./Rules.ts"
import type { State } from "./State.ts"

/** A new board starts out of play. */
export const addBoard = (state: State, { audit, board: id, cols, file, players, rows }: Of<"AddBoard">): Replies["AddBoard"] => {
  if (state.boards.has(id)) return { refused: "board_exists" }
  const used = QUEUES.map(() => leastUse(state))
  state.boards.set(id, { id, ord: state.boards.size + 1, players, rows, cols, enabled: false, used })
  state.writes.newBoards.set(id, { file })
  logged(state, audit)
  state.events.push({ _tag: "BoardChanged", board: id })
  return { added: true }
}

/**
 * A board added late starts with the least use of those in play; otherwise only it would be
 * played until it had caught up.
 */
const leastUse = (state: State): number => {
  const used = [...state.boards.values()].filter(({ enabled }) => enabled).flatMap((board) => board.used)
  return used.length === 0 ? 0 : Math.min(...used)
}

export const switchBoard = (state: State, { audit, board: id, enabled }: Of<"SwitchBoard">): Replies["SwitchBoard"] => {
  const board = state.boards.get(id)
  if (board === undefined) return { refused: "not_found" }
  if (board.enabled === enabled) return { enabled }
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
  const scheduled = state.phase === "open" && state.now < state.settings.submissions_open_at
  const after = merged(state.settings, settings)
  const refused = refusalOf(after, settings)
  if (refused !== undefined) return refused
  if (scheduledOnly && !scheduled) return { refused: "season_not_scheduled" }
  const overtaken = roundsOvertaken(state, after)
  if (overtaken.length > 0) return { refused: "invalid_request", errors: overtaken }
  const judges = settings.weight_classes !== undefined || settings.rules?.infer_us_max !== undefined
  const errors = judges ? faultsOfBaselines(state, after) : []
  if (errors.length > 0) return { refused: "rules_invalid", errors }
  if (JSON.stringify(after) === JSON.stringify(state.settings)) return { edited: true } // merging keeps the order of the keys
  state.settings = after
  state.writes.settings = true
  if (judges) rejudgeBaselines(state)
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
