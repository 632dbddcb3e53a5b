/**
 * A match that turns out not to have been played as it was reported is voided: it counts in none of its ladders, and
 * what it moved is rated again from the log, all in one commit. Its seats are owed a match again.
 *
 * Pairings that it led to stand, and so do the places that later matches name and the lines of the series. A match of a
 * round that is over moves nothing that is left of it: it only stops counting. What an entry's row had dropped (its
 * oldest opponents and means) does not come back.
 */
import { remove } from "../pairing/Heap.ts"
import type { Of, Replies } from "./Command.ts"
import { type Log, LOG_MATCHES_MAX, LOG_SEATS_MAX, type LoggedMatch, type VoidedMatch } from "./Log.ts"
import { type Course, rerate, type SeatChange } from "./Rerating.ts"
import { creditOf, HISTORY_KEPT } from "./Standings.ts"
import { free, type LadderState, type Seat, type Standing, type State } from "./State.ts"

export const voidMatch = (state: State, command: Of<"VoidMatch">): Replies["VoidMatch"] => {
  const { audit, detail, log, match: id } = command
  // The log was read before this batch: two in one batch would not know of each other.
  if (log === null || state.writes.voided !== null || state.writes.ended.some((row) => row.id === id)) return refused("again")
  const { match } = log
  if (match === null || match.ending === "cancelled") return refused("unknown")
  if (match.ending === "failed") return refused("already")
  if (match.round === state.round && isTooLong(log)) return refused("too_many")
  state.writes.voided = { id, detail, rerated: [] }
  if (audit !== undefined) state.writes.audits.push({ ...audit, at: state.now })
  state.writes.any = true
  if (match.ending === "rated") uncount(state, match, withBatch(state, log))
  if (match.candidate !== null) untry(state, match)
  state.work = true
  const versions = match.seats.map(({ version }) => version)
  state.events.push({ _tag: "MatchVoided", match: id, versions })
  return { voided: true }
}

const isTooLong = ({ later }: Log): boolean =>
  later.length > LOG_MATCHES_MAX || later.reduce((sum, { seats }) => sum + seats.length, 0) > LOG_SEATS_MAX

const refused = (reason: Extract<Replies["VoidMatch"], { voided: false }>["reason"]): Replies["VoidMatch"] => ({ voided: false, reason })

/** The log as the rows have it, and what came in this batch before the command. */
const withBatch = (state: State, log: Log): Log => {
  const { round } = log.match!
  const fresh = state.writes.ended.filter((row) => row.rated_n !== null && row.round === round)
  return {
    ...log,
    later: [...log.later, ...(fresh as ReadonlyArray<LoggedMatch>)],
    seeds: [...log.seeds, ...state.writes.seeds.filter((seed) => seed.round === round)]
  }
}

const uncount = (state: State, match: VoidedMatch, log: Log): void => {
  state.rated--
  state.voided++
  const stands = match.round === state.round
  for (const ladder of laddersOf(state, match)) {
    match.seats.forEach((seat, i) => {
      const standing = find(state, ladder, seat.version, log)
      if (standing === undefined) return
      standing.matches--
      if (stands) standing.round_matches--
      if (ladder.ladder === match.ladder) owe(state, ladder, standing, { log, i, stands })
    })
  }
  if (!stands) return
  const { courses, seats, seeds } = rerate(log)
  for (const course of courses) follow(state, course, log)
  for (const change of seats) rewriteSeat(state, change)
  for (const seed of seeds) {
    const fresh = state.writes.seeds.findIndex((each) => each.version === seed.version && each.ladder === seed.ladder)
    state.writes.seeds.splice(fresh < 0 ? state.writes.seeds.length : fresh, 1, seed)
  }
}

const laddersOf = (state: State, { ladder }: VoidedMatch): ReadonlyArray<LadderState> =>
  state.ladders.filter((each) => each.ladder === ladder || each.ladder === "open")

/** Held by the state, let go of in this batch, or by the rows alone; in any case its row is written. */
const find = (state: State, { ladder, standings }: LadderState, version: string, log: Log): Standing | undefined => {
  const same = (row: Pick<Standing, "ladder" | "version">) => row.ladder === ladder && row.version === version
  const row = log.standings.find(same)
  const known = standings.get(version) ?? [...state.writes.standings].find(same)
  const standing = known ?? (row === undefined ? undefined : { ...row, key: 0, busy: false })
  if (standing !== undefined) state.writes.standings.add(standing)
  return standing
}

interface Owed {
  readonly log: Log
  readonly i: number
  readonly stands: boolean
}

/** Takes back what the match did to the pairing of the ladder it was made for: the entry is owed it again. */
const owe = (state: State, ladder: LadderState, standing: Standing, { i, log, stands }: Owed): void => {
  const { seats } = log.match!
  const limit = state.settings.rules.match.strike_limit
  const later = log.later.filter((match) => match.ladder === ladder.ladder && seatOf(match, standing.version) !== undefined)
  const forfeited = seats[i]!.strikes >= limit
  const running = later.every((match) => seatOf(match, standing.version)!.strikes >= limit)
  const forfeits = forfeited && running ? standing.forfeits - later.length : 0
  standing.seat_sum -= i / (seats.length - 1) - 0.5
  if (stands) {
    standing.credit = Math.max(0, standing.credit - creditOf(state, { forfeits, made: standing.made }))
    if (forfeits > 0) standing.forfeits--
    const met = later.reduce((sum, match) => sum + match.seats.length - 1, 0)
    const end = Math.max(0, standing.met.length - met)
    standing.met = standing.met.toSpliced(Math.max(0, end - (seats.length - 1)), Math.min(end, seats.length - 1))
  }
  standing.made--
  if (ladder.standings.get(standing.version) !== standing || !standing.active || standing.busy) return
  remove(ladder.heap, standing)
  free(ladder, standing)
}

const seatOf = ({ seats }: LoggedMatch, version: string): Seat | undefined => seats.find((seat) => seat.version === version)

/** Brings a standing to where its course without the match has led. */
const follow = (state: State, { ladder: name, means, rating, seed, trend, version }: Course, log: Log): void => {
  const ladder = state.ladders.find((each) => each.ladder === name)!
  const standing = find(state, ladder, version, log)
  if (standing === undefined) return
  if (standing.active) {
    ladder.ranks.remove(standing.mu)
    ladder.ranks.add(rating.mu)
  }
  const seated = log.match!.seats.some((seat) => seat.version === version)
  const dropped = means.length + (seated || seed !== undefined ? 1 : 0)
  const earlier = standing.history.slice(0, Math.max(0, standing.history.length - dropped))
  const history = [...earlier, ...(seed === undefined ? [] : [seed.mu]), ...means].slice(-HISTORY_KEPT)
  Object.assign(standing, { ...rating, trend, history })
}

/** A match of this batch has no row yet that could be rewritten. */
const rewriteSeat = (state: State, change: SeatChange): void => {
  const { made, match, open, seat } = change
  const { ended, voided } = state.writes
  const fresh = ended.findIndex(({ id }) => id === match)
  if (fresh < 0) voided!.rerated.push(change)
  else ended[fresh] = { ...ended[fresh]!, seats: ended[fresh]!.seats.map((row, i) => (i === seat ? { ...row, made, open } : row)) }
}

/** A trial match that does not count is played once more, as long as the candidate is being tried. */
const untry = (state: State, { candidate: id, seats }: VoidedMatch): void => {
  const candidate = state.versions_by_id.get(id!)
  if (candidate?.phase !== "trial") return
  const limit = state.settings.rules.match.strike_limit
  candidate.trial_void++
  candidate.trial_played--
  if (seats.some(({ strikes, version }) => version === id && strikes >= limit)) candidate.trial_failed--
  state.writes.versions.add(candidate.id)
  state.tried.add(candidate.id)
}
