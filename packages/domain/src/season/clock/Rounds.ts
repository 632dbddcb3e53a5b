/** Rounds are planned, moved and withdrawn while pending, and started by the clock. Finals end the season. */
import { logged } from "../Audit.ts"
import type { Of, Replies } from "../Command.ts"
import { isEqual } from "../Editing.ts"
import { rejectVersion } from "../entry/Versions.ts"
import { fillHeap } from "../Ladders.ts"
import { currentRound, isBeforeOpening, isFinals, type Round } from "../Round.ts"
import { resetRatings } from "../rating/LadderRatings.ts"
import { learnInRound } from "../rating/Learning.ts"
import type { State } from "../State.ts"
import { isInVain } from "../scheduler/Faults.ts"
import { expectedLadders, owesMatches } from "../scheduler/Owing.ts"

export const planRound = (state: State, { audit, games, kind, starts_at }: Of<"PlanRound">): Replies["PlanRound"] => {
  const n = (state.rounds.at(-1)?.n ?? 0) + 1
  const round: Round = { n, kind, games, starts_at, started_at: null, ended_at: null, withdrawn: false }
  const refused = whyNot(state, round)
  if (refused !== undefined) return { refused: "invalid_request", detail: refused }
  state.rounds.push(round)
  wrote(state, n, audit)
  return { n }
}

export const patchRound = (state: State, { audit, games, n, starts_at, withdrawn }: Of<"PatchRound">): Replies["PatchRound"] => {
  const round = state.rounds.find((each) => each.n === n)
  if (round === undefined) return { refused: "not_found", detail: `There is no round ${n}.` }
  if (round.started_at !== null) return { refused: "round_started", detail: `Round ${n} has started.` }
  if (round.withdrawn) return { refused: "invalid_request", detail: `Round ${n} was withdrawn.` }
  const after: Round = { ...round, games: games ?? round.games, starts_at: starts_at ?? round.starts_at, withdrawn: withdrawn ?? false }
  const refused = starts_at === undefined ? undefined : (whyNot(state, after) ?? tooLate(state, after))
  if (refused !== undefined) return { refused: "invalid_request", detail: refused }
  if (isEqual(after, round)) return { n }
  Object.assign(round, after)
  wrote(state, n, audit)
  return { n }
}

/** A round starts in the future, once the season is live, and after all earlier rounds. There is one finals round, and none after it. */
const whyNot = (state: State, round: Round): string | undefined => {
  const { n, starts_at } = round
  if (state.phase !== "open") return "The season is closed."
  if (starts_at <= state.now) return `${capital(nameOf(round))} must start in the future: it is ${instant(state.now)} now.`
  if (isBeforeOpening(round, state.settings.submissions_open_at)) return tooEarly(round)
  const before = state.rounds.filter((each) => each.n < n && !each.withdrawn)
  const notBefore = before.findLast((each) => each.starts_at >= starts_at)
  if (notBefore !== undefined) return `${capital(nameOf(round))} must start after ${inTheWay(notBefore)}`
  const finals = before.find((each) => each.kind === "finals")
  if (finals !== undefined) return `Nothing comes after the finals${finals.started_at === null ? "; withdraw them first" : ""}.`
  return undefined
}

const tooEarly = ({ kind }: Round): string =>
  kind === "finals" ? "The finals start after submissions open." : "A round starts when submissions open, or later."

const tooLate = (state: State, round: Round): string | undefined => {
  const next = state.rounds.find((each) => each.n > round.n && !each.withdrawn && each.starts_at <= round.starts_at)
  return next && `${capital(nameOf(round))} must start before ${inTheWay(next)}`
}

/** A round that another cannot pass, when it starts, and how to clear the way where that can be done. */
const inTheWay = (round: Round): string => {
  const { kind, started_at, starts_at } = round
  const remedy = started_at === null ? `; move or withdraw ${kind === "finals" ? "them" : "it"} first` : ""
  return `${nameOf(round)} (${instant(starts_at)})${remedy}.`
}

const nameOf = ({ kind, n }: Round): string => (kind === "finals" ? "the finals" : `round ${n}`)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const instant = (ms: number): string => new Date(ms).toISOString()

const wrote = (state: State, n: number, audit: Of<"PlanRound">["audit"]): void => {
  state.writes.rounds.add(n)
  logged(state, audit)
  state.events.push({ _tag: "SeasonChanged" })
}

/** Resets ratings to their start, withdraws queued matches, and owes each entry the round's games. */
export const startRound = (state: State, round: Round): void => {
  const before = currentRound(state)
  if (before !== undefined) endRound(state, before)
  round.started_at = state.now
  state.round = round.n
  state.writes.rounds.add(round.n)
  learnInRound(state)
  resetRatings(state)
  state.recheckQueue = true
  for (const ladder of state.ladders) fillHeap(state, ladder)
  if (round.kind === "finals") {
    rejectCandidates(state, "The finals have started; no version enters any more.")
    state.expected = expectedLadders(state)
  }
  state.workAppeared = true
  state.events.push({ _tag: "RoundStarted", n: round.n })
}

export const endRound = (state: State, round: Round): void => {
  round.ended_at = state.now
  state.writes.rounds.add(round.n)
}

export const rejectCandidates = (state: State, detail: string): void => {
  for (const version of [...state.candidates]) rejectVersion(state, version, "season_closed", detail)
}

/**
 * The finals are complete when nobody is owed a match that could be played, or could once an administrator has acted. They
 * are also complete when all tries of a day failed and at least half of the entries are owed none. Nobody is suspended
 * for that: entries that have lost their weights and runners that no longer reach the store bring the same reports, and
 * in the second case the entries miss games through no fault of theirs. If more than half are owed matches, the
 * finals wait for the fleet or for an administrator, however long (docs/design.md#pairing-and-rating).
 *
 * While matches of a disqualified entry are still to be voided they are not complete: those who played them are owed others then.
 */
export const finalsComplete = (state: State): boolean => {
  if (state.phase !== "open" || !isFinals(state)) return false
  const owing = state.ladders.filter((ladder) => owesMatches(state, ladder))
  return (owing.length === 0 && state.to_void.length === 0) || (isInVain(state) && owedIn(owing).size * 2 <= state.active)
}

const owedIn = (ladders: State["ladders"]): ReadonlySet<string> =>
  new Set(
    ladders.flatMap(({ owed, ratings }) =>
      [...ratings.values()]
        .filter(({ active, virtual_games, suspended }) => active && suspended !== true && virtual_games < owed)
        .map(({ version }) => version)
    )
  )
