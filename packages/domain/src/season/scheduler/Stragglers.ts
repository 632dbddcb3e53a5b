/**
 * A ladder has few matches in flight, a small one a single match. One that is leased for longer than the rules let any match take on a
 * processor of its own is a straggler: its runner is very busy, hangs or lies. The match goes on, and its entries stay in it, but the ladder
 * has room for another. Without this one runner could stop a small ladder for as long as a lease may be renewed, and three times over.
 */
import { type LadderState, ladderOf } from "../Ladders.ts"
import { matchOwn_ms } from "../Lease.ts"
import type { Settings } from "../Rules.ts"
import type { OpenMatch } from "./Match.ts"

/** The part of the state that says what is in flight. */
interface InFlight {
  readonly now: number
  readonly settings: Settings
  readonly ladders: ReadonlyArray<LadderState>
  readonly live: ReadonlyMap<string, OpenMatch>
  stragglerAt: number
}

/** Finds all stragglers anew, and when there may be another; answers whether there are more than before. */
export const findStragglers = (state: InFlight): boolean => {
  const known = countOf(state)
  for (const ladder of state.ladders) {
    ladder.stragglers.clear()
    ladder.seated = 0
  }
  state.stragglerAt = Infinity
  for (const match of state.live.values()) {
    const ladder = ladderOf(state, match)
    if (match.until === null || ladder === undefined) continue
    const at = (match.leased_at ?? state.now) + matchOwn_ms(state.settings.rules, match.versions.length) // an earlier release wrote no start
    if (at <= state.now) ladder.stragglers.add(match.id)
    else {
      ladder.seated += match.versions.length
      state.stragglerAt = Math.min(state.stragglerAt, at)
    }
  }
  return countOf(state) > known
}

const countOf = ({ ladders }: InFlight): number => ladders.reduce((sum, { stragglers }) => sum + stragglers.size, 0)
