/**
 * Two commands void a match: one that turns out not to have been played as reported, one of a disqualified version, or one
 * that an administrator names.
 *
 *   VoidMatch ──▶ failed, its seats owed a match again; `voiding` ──▶ the log is folded beside the season ──▶ InstallFold
 *
 * `VoidMatch` is small: the match fails and no longer counts, and its seats are owed another while its round
 * lasts. Its row in `voiding` says that the ratings still include it: they are computed again from the log
 * (`rating/Fold.ts`), which takes a while, and the season goes on meanwhile. `InstallFold` (`rating/Installing.ts`) sets
 * all ratings to those of the fold, in one commit, and removes from `voiding` the matches that the fold left
 * out. After a crash in between, the row makes the restored season fold again. `InstallFold` also follows what a season
 * has learned of its starts (`rating/Learning.ts`).
 *
 * Consequences of the match stay: pairings, the places that later matches name (a place is what it was when they were
 * played), a candidate that has entered. A candidate that was rejected may be submitted again at once (`voidTrial`).
 */

import { remove } from "../../pairing/Heap.ts"
import { logged } from "../Audit.ts"
import type { Of, Replies } from "../Command.ts"
import { free, type LadderState, ladderNamed } from "../Ladders.ts"
import type { EndedMatch } from "../Log.ts"
import { laddersRated } from "../Rules.ts"
import { finderOf } from "../rating/finderOf.ts"
import type { LadderRating } from "../rating/LadderRating.ts"
import { virtualGamesOf } from "../rating/LadderRatings.ts"
import type { State } from "../State.ts"
import { voidTrial } from "./Trials.ts"

/**
 * The most matches that may wait for a fold; further requests must ask again. Each is a
 * small row read at every start.
 */
export const VOIDING_MAX = 1_000

export const voidMatch = (state: State, { audit, detail, disqualified, found, match: id }: Of<"VoidMatch">): Replies["VoidMatch"] => {
  if (disqualified !== undefined && !state.versions_by_id.get(disqualified)?.disqualified) return refused("reinstated")
  if (found === null || found.ending === "cancelled") return refused("unknown") // a match that ended in this batch has no row yet
  if (found.ending === "failed" || state.writes.voided.some((row) => row.id === id)) return refused("already")
  if (state.voiding.size >= VOIDING_MAX) return refused("again")
  state.writes.voided.push({ id, detail })
  logged(state, audit)
  if (found.ending === "rated") takeOutOfCount(state, found)
  if (found.candidate !== null) voidTrial(state, found)
  state.workAppeared = true
  state.events.push({ _tag: "MatchVoided", match: id, versions: versionsOf(found) })
  return { voided: true }
}

const refused = (reason: Extract<Replies["VoidMatch"], { voided: false }>["reason"]): Replies["VoidMatch"] => ({ voided: false, reason })

const versionsOf = ({ seats }: EndedMatch): ReadonlyArray<string> => seats.map(({ version }) => version)

const takeOutOfCount = (state: State, match: EndedMatch): void => {
  state.rated--
  state.voided++
  const { id, ladder: made, rated_n, round } = match
  state.voiding.set(id, { match: id, n: rated_n!, round, ladder: made!, versions: versionsOf(match) })
  state.writes.voiding.add(id)
  const find = finderOf(state, match.left)
  for (const each of laddersRated(made!)) {
    const ladder = ladderNamed(state, each)
    match.seats.forEach(({ version }, i) => {
      const rating = find(ladder, version)
      if (rating === undefined) return
      rating.matches--
      state.writes.ratings.add(rating)
      if (each === made) owe(state, ladder, rating, match, i)
    })
  }
}

/**
 * Undoes the match's effect on the pairing of the ladder it was made for: the entry is owed it again. In continuous
 * play what the entry's last game added is taken back, whichever game was voided.
 */
const owe = (state: State, ladder: LadderState, rating: LadderRating, { round, seats }: EndedMatch, i: number): void => {
  const forfeited = seats[i]!.strikes >= state.settings.rules.match.strike_limit
  rating.seat_sum -= i / (seats.length - 1) - 0.5
  if (round === state.round) {
    const { forfeits, ladder_games } = rating
    rating.virtual_games = Math.max(0, rating.virtual_games - virtualGamesOf(state, { forfeits: forfeited ? forfeits : 0, ladder_games }))
  }
  rating.ladder_games--
  if (ladder.ratings.get(rating.version) !== rating || !rating.active || rating.busy) return
  remove(ladder.heap, rating)
  free(ladder, rating)
}
