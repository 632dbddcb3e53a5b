/** Open matches: queued, leased, and their leases renewed. */
import { noteSlotTime } from "../CandidateShare.ts"
import type { Of, Replies, Work } from "../Command.ts"
import { ladderOf } from "../Ladders.ts"
import { beginLease, leaseName, matchOwn_ms, parseLease, renewedUntil } from "../Lease.ts"
import { seedOf, uuidOf } from "../Random.ts"
import { isFinals } from "../Round.ts"
import { queueIndex } from "../Rules.ts"
import type { State } from "../State.ts"
import type { Board, OpenMatch } from "./Match.ts"

interface Pairing {
  readonly ladder: OpenMatch["ladder"]
  readonly candidate: string | null
  readonly board: Board
  readonly versions: ReadonlyArray<string>
}

export const createMatch = (state: State, { board, candidate, ladder, versions }: Pairing): OpenMatch => {
  const n = ++state.matches
  board.used[queueIndex(ladder)]!++
  state.writes.boards.add(board.id)
  const seed = seedOf(state, n)
  const id = uuidOf(state, state.now, n)
  const round = ladder === null ? 0 : state.round
  const match: OpenMatch = {
    id,
    n,
    ladder,
    candidate,
    round,
    board: board.id,
    seed,
    versions,
    created_at: state.now,
    lease_n: 0,
    losses: 0,
    tries: [],
    runner: null,
    key: null,
    leased_at: null,
    until: null,
    released: false
  }
  state.live.set(id, match)
  state.writes.newLive.add(id)
  changed(state, match)
  return match
}

export const leaseMatch = (state: State, id: string, holder: Of<"LeaseWork">): Work => {
  const match = state.live.get(id)!
  const ladder = ladderOf(state, match)
  unqueue(state, match)
  const until = beginLease(state, match, holder)
  if (ladder !== undefined) {
    ladder.playing++
    ladder.seated += match.versions.length
    state.stragglerAt = Math.min(state.stragglerAt, state.now + matchOwn_ms(state.settings.rules, match.versions.length))
  }
  changed(state, match)
  return {
    kind: "match",
    lease: leaseName(id, match.lease_n),
    until,
    match: id,
    ladder: match.ladder,
    is_trial: match.ladder === null,
    is_finals: match.ladder !== null && isFinals(state),
    board: match.board,
    seed: match.seed,
    versions: match.versions,
    rules: state.settings.rules.match,
    infer_us_max: state.settings.rules.infer_us_max
  }
}

/** Its lease has ended: the ladder has room for another match. */
export const unlease = (state: State, match: OpenMatch): void => {
  noteSlotTime(state, match, match.ladder === null)
  const ladder = ladderOf(state, match)
  if (ladder === undefined) return
  ladder.playing--
  if (!ladder.stragglers.delete(match.id)) ladder.seated -= match.versions.length
}

/** Renews leases, each up to its longest life: then it runs out like one that nobody renews. */
export const heartbeat = (state: State, { key, leases }: Of<"Heartbeat">): Replies["Heartbeat"] =>
  leases.map((lease) => {
    const name = parseLease(lease)
    const work = name === undefined ? undefined : (state.live.get(name.id) ?? state.reviews.get(name.id))
    if (work === undefined || work.until === null || work.lease_n !== name!.n || work.key !== key) return { lease, lost: true }
    work.until = renewedUntil(state.settings.rules, work, state.now)
    state.leaseEnd = Math.min(state.leaseEnd, work.until) // earlier than it was where the rules are shorter now
    if ("versions" in work) changed(state, work)
    else state.writes.reviews.add(work.version)
    return { lease, until: work.until }
  })

export const unqueue = (state: State, match: OpenMatch): void => {
  const ladder = ladderOf(state, match)
  if (ladder === undefined) state.trials.delete(match.id)
  else if (ladder.queue[0] === match.id) ladder.queue.shift()
  else ladder.queue = ladder.queue.filter((id) => id !== match.id)
}

export const changed = (state: State, { id }: OpenMatch): void => {
  state.writes.live.add(id)
}
