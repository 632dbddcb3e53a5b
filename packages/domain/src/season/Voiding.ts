/**
 * A match that turns out not to have been played as it was reported is voided: it counts in none of its ladders, and
 * what it moved is rated again from the log, all in one commit: ratings, the seats and seeds since, the means that entries
 * remember, the points of the series. So it is for a round that is over, too, as far as anything is left of it. The seats
 * of the match are owed one again, while its round stands.
 *
 * What it led to stands: pairings, the places that later matches name (a place is what it was when they were played), a
 * candidate that has entered. An entry's oldest opponents, which its row had dropped, do not come back; pairing does not
 * miss them.
 */
import { remove } from "../pairing/Heap.ts"
import type { Of, Replies } from "./Command.ts"
import { historyOf } from "./Histories.ts"
import { type Log, LOG_MATCHES_MAX, LOG_MEANS_MAX, LOG_SEATS_MAX, type LoggedMatch, type VoidedMatch } from "./Log.ts"
import { redrawn } from "./Points.ts"
import { type Course, rerate, type SeatChange } from "./Rerating.ts"
import { creditOf } from "./Standings.ts"
import { free, type LadderState, type Seat, type Seed, type SeriesPoint, type Standing, type State } from "./State.ts"

export const voidMatch = (state: State, command: Of<"VoidMatch">): Replies["VoidMatch"] => {
  const { audit, detail, log, match: id } = command
  // The log was read before this batch: two in one batch would not know of each other.
  if (log === null || state.writes.voided !== null || state.writes.ended.some((row) => row.id === id)) return refused("again")
  const { match } = log
  if (match === null || match.ending === "cancelled") return refused("unknown")
  if (match.ending === "failed") return refused("already")
  if (isTooLong(log)) return refused("too_many")
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

const isTooLong = ({ later, points }: Log): boolean =>
  later.length > LOG_MATCHES_MAX ||
  later.reduce((sum, { seats }) => sum + seats.length, 0) > LOG_SEATS_MAX ||
  points.reduce((sum, { mus }) => sum + mus.length, 0) > LOG_MEANS_MAX

const refused = (reason: Extract<Replies["VoidMatch"], { voided: false }>["reason"]): Replies["VoidMatch"] => ({ voided: false, reason })

/** The log as the rows have it, and what came in this batch before the command. */
const withBatch = (state: State, log: Log): Log => {
  const { round } = log.match!
  const fresh = state.writes.ended.filter((row) => row.rated_n !== null && row.round === round)
  return {
    ...log,
    later: [...log.later, ...(fresh as ReadonlyArray<LoggedMatch>)],
    seeds: [...log.seeds, ...state.writes.seeds.filter((seed) => seed.round === round)],
    points: [...log.points, ...state.writes.series.filter((point) => point.round === round)]
  }
}

const uncount = (state: State, match: VoidedMatch, log: Log): void => {
  state.rated--
  state.voided++
  const { courses, seats, seeds } = rerate(log)
  const find = finderOf(state, log)
  for (const course of courses) {
    const ladder = state.ladders.find((each) => each.ladder === course.ladder)!
    const standing = find(ladder, course.version)
    if (standing === undefined) continue
    const current = match.round === state.round
    const stands = current || (isLeft(ladder, standing, log) && standing.mu === course.was.mu && standing.sigma === course.was.sigma)
    const history = historyOf(state, standing, course, log)
    if (stands) follow(ladder, standing, course)
    standing.history = history
    const i = match.seats.findIndex(({ version }) => version === course.version)
    if (i >= 0) {
      standing.matches--
      if (stands) standing.round_matches--
      if (course.ladder === match.ladder) owe(state, ladder, standing, { log, i, stands: current })
    }
  }
  for (const change of seats) rewriteSeat(state, change)
  for (const seed of seeds) rewriteSeed(state, seed)
  const begun = log.first ? (log.later[0]?.rated_n ?? Infinity) : 0
  for (const point of redrawn(log.points, courses, begun)) rewritePoint(state, point)
}

/**
 * What the state holds has followed every reset; a row that it let go of may have been left behind by one, in the round of
 * its newest match.
 */
const isLeft = ({ ladder, standings }: LadderState, standing: Standing, { match, tails }: Log): boolean => {
  const tail = tails.find((each) => each.ladder === ladder && each.version === standing.version)
  return standings.get(standing.version) !== standing && (tail?.matches[0]?.round ?? 0) <= match!.round
}

/** Finds a standing that the state holds, or has let go of, or that the rows alone have; its row is written in any case. */
const finderOf = (state: State, log: Log) => {
  const keyOf = ({ ladder, version }: Pick<Standing, "ladder" | "version">) => `${ladder} ${version}`
  const others = new Map(log.standings.map((row): [string, Standing] => [keyOf(row), { ...row, key: 0, busy: false }]))
  for (const standing of state.writes.standings) others.set(keyOf(standing), standing)
  return ({ ladder, standings }: LadderState, version: string): Standing | undefined => {
    const standing = standings.get(version) ?? others.get(keyOf({ ladder, version }))
    if (standing !== undefined) state.writes.standings.add(standing)
    return standing
  }
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

/** Brings a standing to where its course without the match has led. A round that is over has led nowhere. */
const follow = (ladder: LadderState, standing: Standing, { rating, trend }: Course): void => {
  if (standing.active) {
    ladder.ranks.remove(standing.mu)
    ladder.ranks.add(rating.mu)
  }
  Object.assign(standing, { mu: rating.mu, sigma: rating.sigma, trend })
}

/** A match of this batch has no row yet that could be rewritten. */
const rewriteSeat = (state: State, change: SeatChange): void => {
  const { made, match, open, seat } = change
  const { ended, voided } = state.writes
  const fresh = ended.findIndex(({ id }) => id === match)
  if (fresh < 0) voided!.rerated.push(change)
  else ended[fresh] = { ...ended[fresh]!, seats: ended[fresh]!.seats.map((row, i) => (i === seat ? { ...row, made, open } : row)) }
}

const rewriteSeed = ({ writes }: State, seed: Seed): void => {
  const fresh = writes.seeds.findIndex((each) => each.version === seed.version && each.ladder === seed.ladder)
  writes.seeds.splice(fresh < 0 ? writes.seeds.length : fresh, 1, seed)
}

const rewritePoint = ({ writes }: State, point: SeriesPoint): void => {
  const fresh = writes.series.findIndex((each) => each.at === point.at && each.ladder === point.ladder)
  writes.series.splice(fresh < 0 ? writes.series.length : fresh, 1, point)
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
