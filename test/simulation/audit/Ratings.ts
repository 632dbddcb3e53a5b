/**
 * Replays the log of matches beside the season and compares every standing after every commit. Within one commit
 * matches come in the order of `rated_n`; a round resets before its first match; who joins in it starts from what the
 * version it follows had at some moment of the commit.
 */
import type { Ended, Moved, Standing } from "@agon/domain/season/State.ts"
import { after, type Belief, START_V, takenOver } from "./Formula.ts"
import { must, near } from "./Promise.ts"
import { created, LADDERS, type Window } from "./Window.ts"

interface Own {
  mu: number
  v: number
  matches: number
  round_matches: number
  made: number
  credit: number
  forfeits: number
  seat_sum: number
  trend: number | null
  history: Array<number>
  met: Array<number>
  readonly ord: number
  readonly moments: Array<Belief> // what it was in the course of this commit
}
type Row = Omit<Standing, "key" | "busy">

export interface Ratings {
  readonly check: (window: Window) => void
}

const LAST = 12

export const make = (): Ratings => {
  const table = new Map<string, Own>()
  let round = 0
  let rated = 0
  const fillers = new Set<string>() // matches that were made while idle fill was on, or may have been

  const reset = (window: Window): void => {
    for (const [place, own] of table) {
      const version = window.now.versions.get(place.split(" ")[1]!)!
      if (version.status === "superseded") table.delete(place) // what it still plays is of a round that is over
      const history = [...own.history, 0].slice(-LAST)
      Object.assign(own, { mu: 0, v: START_V, round_matches: 0, credit: 0, forfeits: 0, trend: null, met: [], history })
      own.moments.push({ mu: 0, v: START_V })
    }
  }
  const startRounds = (window: Window, until: number): void => {
    for (const { n, started_at } of window.now.rounds) {
      if (n <= round || n > until || started_at === null) continue
      reset(window)
      round = n
    }
  }
  const rate = (window: Window, match: Ended): void => {
    rated++
    must(match.rated_n === rated, "each match is rated at most once", match.rated_n, rated)
    startRounds(window, match.round)
    must(match.round === round, "a match of a round that is over counts in none", match, round)
    const owed = fillers.delete(match.id) ? Infinity : (window.now.rounds.find(({ n }) => n === round)?.games ?? Infinity)
    play(table, match, match.ladder!, window.now.settings.rules.match.strike_limit, owed)
    if (match.ladder !== "open") play(table, match, "open")
    else
      must(
        match.seats.every(({ open }) => open === null),
        "a match of open moves open alone",
        match
      )
  }

  return {
    check: (window) => {
      const { before, now } = window
      for (const own of table.values()) own.moments.splice(0, Infinity, { mu: own.mu, v: own.v })
      if (before.settings.fill.enabled || now.settings.fill.enabled) for (const { id } of created(window)) fillers.add(id)
      for (const match of now.ended) checkCounted(window, match)
      const counted = now.ended.filter(({ rated_n }) => rated_n !== null).sort((a, b) => a.rated_n! - b.rated_n!)
      for (const match of counted) rate(window, match)
      must(now.head.rated === rated, "each match is rated exactly once", now.head.rated, rated)
      startRounds(window, now.head.round)
      for (const [place, row] of now.standings) {
        const own = table.get(place)
        if (before.standings.get(place) === row && (own === undefined || own.moments.length === 1)) continue
        if (own === undefined) {
          if (row.active || !before.standings.has(place)) table.set(place, joined(window, table, row))
        } else {
          if (row.active && before.standings.get(place)?.active === false) own.credit = returned(window, own, row)
          compare(own, row)
        }
      }
    }
  }
}

/** Rated exactly if it was played to its end, is no trial, and its round stood when it ended. */
const checkCounted = ({ now }: Window, match: Ended): void => {
  const standing = now.rounds.filter(({ started_at }) => started_at !== null && started_at <= match.ended_at).at(-1)?.n ?? 0
  const counts = match.ladder !== null && match.round === standing
  if (match.ending === "rated") must(counts && match.rated_n !== null, "only a match of the round that stands is rated", match, standing)
  else
    must(match.rated_n === null && (match.ending !== "finished" || !counts), "what finished is rated if its round stands", match, standing)
}

/** Moves the seats on a ladder; with a strike limit on the one that the match was made for, whose pairing it feeds. */
const play = (table: Map<string, Own>, match: Ended, ladder: string, limit?: number, owed = Infinity): void => {
  const made = limit !== undefined
  const seats = match.versions.map((id) => table.get(`${ladder} ${id}`)!)
  must(
    seats.every((own) => own !== undefined),
    "only who stands on a ladder is rated on it",
    ladder,
    match
  )
  must(
    seats.some(({ credit }) => credit < owed),
    "without fill every match of a round has a seat that is owed it",
    match,
    owed
  )
  const beliefs = after(
    seats,
    match.seats.map(({ rank }) => rank)
  )
  const ords = seats.map(({ ord }) => ord)
  seats.forEach((own, i) => {
    const { mu, v } = beliefs[i]!
    const seat = match.seats[i]!
    sameMove(made ? seat.made : seat.open, { mu, sigma: Math.sqrt(v), change: mu - own.mu }, match)
    must(!made || (seat.place !== null && seat.place >= 1), "a seat remembers its place", match)
    Object.assign(own, { mu, v, trend: mu - own.mu, matches: own.matches + 1, round_matches: own.round_matches + 1 })
    own.history = [...own.history, mu].slice(-LAST)
    own.moments.push({ mu, v })
    if (!made) return
    own.made++
    own.forfeits = seat.strikes >= limit ? own.forfeits + 1 : 0
    own.credit += match.round > 0 ? 1 : own.forfeits >= 3 ? 4 : own.made <= 20 ? 0.5 : 1
    own.seat_sum += i / (seats.length - 1) - 0.5
    own.met = [...own.met, ...ords.filter((ord) => ord !== own.ord)].slice(-LAST)
  })
}

const sameMove = (told: Moved | null, own: Moved, match: Ended): void => {
  const same = told !== null && near(told.mu, own.mu) && near(told.sigma, own.sigma) && near(told.change, own.change)
  must(same, "a seat carries the rating after its match", match, own)
}

/** Someone new on a ladder: at the seed, or in the place of the version that it supersedes. */
const joined = ({ before, now }: Window, table: Map<string, Own>, row: Row): Own => {
  const version = now.versions.get(row.version)!
  const old = [...before.versions.values()].find(({ model, status }) => model === version.model && status === "entered")
  const moments = old === undefined ? undefined : table.get(`${row.ladder} ${old.id}`)?.moments
  const start = { mu: 0, v: START_V }
  const allowed = moments === undefined ? [start] : moments.map(takenOver)
  if (now.head.round !== before.head.round) allowed.push(start)
  const v = row.sigma * row.sigma
  must(
    allowed.some((each) => near(each.mu, row.mu) && near(each.v, v)),
    "who joins starts from the seed or from the version before",
    row,
    allowed
  )
  const [least, most] =
    now.head.round > 0 ? [0, 0] : [before.head.clock, now.head.clock].map((clock) => clock[LADDERS.indexOf(row.ladder)]!)
  must(row.credit >= least! && row.credit <= most! && row.matches === 0 && row.made === 0, "who joins is owed everything", row, least, most)
  return { ...row, v, moments: [{ mu: row.mu, v }], met: [...row.met], history: [...row.history] }
}

/** A baseline that comes back has missed nothing: it is owed no more than whoever is owed most. */
const returned = ({ before, now }: Window, own: Own, row: Row): number => {
  const clocks = now.head.round > 0 ? [0] : [before.head.clock, now.head.clock].map((clock) => clock[LADDERS.indexOf(row.ladder)]!)
  const least = Math.max(own.credit, Math.min(...clocks))
  must(row.credit >= least && row.credit <= Math.max(own.credit, ...clocks), "a baseline comes back at the clock", row, own.credit, clocks)
  return row.credit
}

const compare = (own: Own, row: Row): void => {
  must(near(own.mu, row.mu) && near(Math.sqrt(own.v), row.sigma), "ratings equal a replay of the log", row, own)
  const { made, matches, round_matches } = own
  must(made === row.made && matches === row.matches && round_matches === row.round_matches, "matches are counted as played", row, own)
  must(near(own.credit, row.credit) && own.forfeits === row.forfeits, "credit is what was played", row, own)
  must(near(own.seat_sum, row.seat_sum) && own.met.join() === row.met.join(), "seats and opponents are remembered", row, own)
  must((own.trend === null) === (row.trend === null) && near(own.trend ?? 0, row.trend ?? 0), "the trend is the last change", row, own)
  const same = own.history.length === row.history.length && own.history.every((mu, i) => near(mu, row.history[i]!))
  must(same, "the history is the last twelve ratings", row, own)
}
