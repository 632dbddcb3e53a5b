/**
 * Replays the log of matches beside the season and compares every standing after every commit. Within one commit
 * matches come in the order of `rated_n`, what was voided before them; a round resets before its first match; who joins
 * in it starts from what the version it follows had at some moment of the commit. A voided match is as if it had never
 * been: the rest of its round is played again, whether it is over or not.
 */
import type { Command } from "@agon/domain/season/Command.ts"
import type { LadderRating } from "@agon/domain/season/rating/LadderRating.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import type { View } from "../View.ts"
import { suspectsOf } from "./Faults.ts"
import { type Belief, takenOver } from "./Formula.ts"
import { checkPlace } from "./Places.ts"
import { must, near } from "./Promise.ts"
import * as Replay from "./Replay.ts"
import { heldBack } from "./Returning.ts"
import { sigmasIn } from "./sigmas.ts"
import { isRerated, LADDERS, type Window } from "./Window.ts"

/** The origin of a mean in a row: a match of some round, or the start from which a round or a version began. */
interface Mean {
  readonly round: number
  readonly of: string | null // the match; null: a start
}
interface Moment extends Belief {
  order: number
}
export interface Own {
  readonly ord: number
  matches: number
  round_matches: number
  ladder_games: number
  virtual_games: number
  failed: number
  forfeits: number
  seat_sum: number
  history: Array<Mean> // all of them
  kept: number // how many of them the row remembers
  met: Array<{ readonly of: string; readonly ord: number }> // all of this round
  outs: Array<{ readonly of: string; readonly out: boolean }> // matches made for this ladder in this round, and whether it forfeited
  round: number // the last that its row followed: a superseded version may be left behind by a reset
  /** Voided matches of this commit that gave back virtual games by what no row remembers: how long it had forfeited before. */
  loose: number
  earlier: number // its forfeits, had nothing been installed in this commit
  /**
   * The additional cost of its games of this commit, if none, one, two, ... of them were
   * played before that was installed.
   */
  dearer: Array<number>
  charged: number // what it may have been charged for a match that failed in this commit, through whoever's fault
  voided: boolean // something in this commit was
  untold: boolean // its history is not compared any more
  moments: Array<Moment> // what it was in the course of this commit
  joined: boolean // in this commit, from what its row says, which the journal has exactly
}
type Row = Omit<LadderRating, "key" | "busy">

export interface Book {
  readonly table: Map<string, Own> // by `<ladder> <version>`
  readonly journals: Map<number, Replay.Journal> // by round
  round: number
  rated: number // matches that count
  voided: number // that counted until they were voided
  readonly fillers: Set<string> // matches that were made while idle fill was on, or may have been
}

export interface Ratings {
  readonly check: (window: Window) => void
  readonly book: Book
}

const LAST = 12

export const make = (): Ratings => {
  const journals = new Map([[0, Replay.empty(sigmasIn([], 0))]])
  const book: Book = { table: new Map(), journals, round: 0, rated: 0, voided: 0, fillers: new Set() }
  return {
    book,
    check: (window) => {
      const { before, now, voided } = window
      const { order } = current(book)
      for (const [place, own] of book.table) beginCommit(book, place, own, order)
      if (before.settings.fill.enabled || now.settings.fill.enabled) for (const { id } of window.created) book.fillers.add(id)
      for (const match of now.ended) checkCounted(window, match)
      for (const { id } of voided) if (window.log.get(id)!.rated_n !== null) uncount(book, window.log.get(id)!)
      if (isRerated(window)) install(book, window)
      const counted = now.ended.filter(({ rated_n }) => rated_n !== null).sort((a, b) => a.rated_n! - b.rated_n!)
      for (const match of counted) rate(book, window, match)
      for (const match of now.ended) if (match.ending === "failed" && match.round === now.head.round) charge(book, window, match)
      must(now.head.rated === book.rated, "each match is rated exactly once", now.head.rated, book.rated)
      must(now.head.voided === book.voided, "voided matches are counted", now.head.voided, book.voided)
      startRounds(book, window, now.head.round)
      if (counted.length === 0 && now.ratings === before.ratings && isUntouched(window)) return // every row is as it was compared
      for (const [place, row] of now.ratings) compareRow(book, window, place, row)
    }
  }
}

/** Nothing has happened to it in this commit yet. */
const beginCommit = (book: Book, place: string, own: Own, order: number): void => {
  if (own.moments.length === 1 && !own.joined) own.moments[0]!.order = order
  else own.moments = [{ ...Replay.beliefOf(current(book), place), order }]
  own.joined = false
  own.loose = 0
  own.earlier = own.forfeits
  if (own.dearer.length > 1) own.dearer = [0]
  own.charged = 0
  own.voided = false
}

const isUntouched = (window: Window): boolean => window.voided.length === 0 && !isRerated(window)

const current = ({ journals, round }: Book): Replay.Journal => journals.get(round)!

const compareRow = (book: Book, window: Window, place: string, row: Row): void => {
  const { before } = window
  const own = book.table.get(place)
  if (own === undefined) return void book.table.set(place, joined(book, window, row))
  if (before.ratings.get(place) === row && own.moments.length === 1 && isUntouched(window)) return
  if ((row.active || cameBackAndLeft(window, own, row)) && comesBack(window, place, row)) {
    own.virtual_games = returned(window, own, row)
    own.failed = Math.min(Math.max(own.failed, heldBack(window, row)), row.failed)
  }
  compare(book, own, row, place)
}

const startRounds = (book: Book, window: Window, until: number): void => {
  for (const { n, started_at } of window.now.rounds) {
    if (n <= book.round || n > until || started_at === null) continue
    book.journals.set(n, { ...Replay.empty(sigmasIn(window.now.head.starts, n)), order: current(book).order + 1 })
    for (const [place, own] of book.table) reset(book, window, place, own, n)
    book.round = n
  }
}

/**
 * A baseline switched on again, or an entry that was suspended or out of play; who was
 * superseded stays away, whoever asks.
 */
const comesBack = (window: Window, place: string, { version }: Row): boolean => {
  const { before, now } = window
  if (before.versions.get(version)?.status === "superseded") return false
  const suspended = ({ versions }: View) => versions.get(version)?.phase === "suspended"
  return before.ratings.get(place)?.active === false || (suspended(before) && !suspended(now)) || leftAndCameBack(window, version)
}

/** An entry may be taken out of play and brought back in one commit. */
const leftAndCameBack = ({ now, recent }: Window, version: string): boolean => {
  const { owner } = now.versions.get(version)!
  const about = (command: Command, tag: Command["_tag"]) =>
    (command._tag === tag && "version" in command && command.version === version) ||
    (command._tag === "SwitchOwner" && command.owner === owner && command.removed === (tag === "Disqualify"))
  return recent.some((command) => about(command, "Disqualify")) && recent.some((command) => about(command, "Reinstate"))
}

/** It may have come back and left again in one commit. */
const cameBackAndLeft = ({ now, recent }: Window, own: Own, row: Row): boolean => {
  const back = (command: Command) => command._tag === "Reinstate" || (command._tag === "SwitchBaseline" && command.enabled)
  const { owner } = now.versions.get(row.version)!
  const asked = recent.some(
    (command) =>
      (back(command) && "version" in command && command.version === row.version) ||
      (command._tag === "SwitchOwner" && !command.removed && command.owner === owner)
  )
  return asked && !(near(own.virtual_games, row.virtual_games) && near(own.failed, row.failed))
}

/** A match that failed was the turn of those whose fault it can be, and counts for nothing else. */
const charge = (book: Book, window: Window, match: Ended): void => {
  const { ladder, round } = match
  const { suspects, sure } = suspectsOf(window, match)
  for (const id of ladder === null ? [] : suspects) {
    const own = book.table.get(`${ladder} ${id}`)!
    const cost = round > 0 ? 1 : own.forfeits >= 3 ? 4 : virtualGamesOf(own.ladder_games + 1)
    if (sure) own.failed += cost
    else own.charged += cost
  }
}

/** A version that was superseded is left behind, unless a match that it still plays has kept its row at hand. */
const reset = (book: Book, window: Window, place: string, own: Own, round: number): void => {
  const [, id = ""] = place.split(" ")
  const { history } = window.now.ratings.get(place)!
  const left = window.now.versions.get(id)!.status === "superseded" && sameMeans(historyOf(book, own, place, own.kept), history)
  if (!left) {
    own.round = round
    own.round_matches = 0
    remember(own, { round, of: null })
  }
  Object.assign(own, { virtual_games: 0, failed: 0, forfeits: 0, earlier: 0, dearer: [0], met: [], outs: [] })
  const journal = book.journals.get(round)!
  own.moments.push({ ...Replay.startAt(journal, place), order: journal.order })
}

const rate = (book: Book, window: Window, match: Ended): void => {
  book.rated++
  must(match.rated_n === book.rated + book.voided, "each match is rated at most once", match.rated_n, book.rated, book.voided)
  startRounds(book, window, match.round)
  must(match.round === book.round, "a match of a round that is over counts in none", match, book.round)
  checkOwed(book, window, match)
  if (!isRerated(window)) for (const i of match.seats.keys()) checkPlace(window, current(book), match, i)
  Replay.count(current(book), match.rated_n!, match)
  for (const ladder of Replay.laddersOf(match)) play(book, match, ladder, window.now.settings.rules.match.strike_limit)
  const alone = match.seats.every(({ open }) => (open === null) === (match.ladder === "open"))
  must(alone, "a match of open moves open alone", match)
}

/** Rated exactly if it was played to its end, is no trial, and its round stood when it ended. */
const checkCounted = ({ now }: Window, match: Ended): void => {
  const standing = now.rounds.filter(({ started_at }) => started_at !== null && started_at <= match.ended_at).at(-1)?.n ?? 0
  const counts = match.ladder !== null && match.round === standing
  if (match.ending === "rated") must(counts && match.rated_n !== null, "only a match of the round that stands is rated", match, standing)
  else
    must(match.rated_n === null && (match.ending !== "finished" || !counts), "what finished is rated if its round stands", match, standing)
}

const checkOwed = ({ fillers, round, table }: Book, { now }: Window, match: Ended): void => {
  const owed = fillers.delete(match.id) ? Infinity : (now.rounds.find(({ n }) => n === round)?.games ?? Infinity)
  const seats = match.versions.map((id) => table.get(`${match.ladder} ${id}`))
  must(
    seats.every((own) => own?.round === round),
    "only who stands on a ladder is rated on it",
    match
  )
  must(
    seats.some((own) => own!.virtual_games < owed),
    "without fill every match of a round has a seat that is owed it",
    match,
    owed
  )
}

/** Counts a match on a ladder; the ladder that it was made for also pairs by it. */
const play = (book: Book, match: Ended, ladder: string, limit: number): void => {
  const { order } = current(book)
  const seats = match.versions.map((id) => book.table.get(`${ladder} ${id}`)!)
  const ords = seats.map(({ ord }) => ord)
  seats.forEach((own, i) => {
    own.matches++
    own.round_matches++
    remember(own, { round: match.round, of: match.id })
    own.moments.push({ ...Replay.beliefOf(current(book), `${ladder} ${match.versions[i]}`), order })
    if (ladder !== match.ladder) return
    const out = match.seats[i]!.strikes >= limit
    own.ladder_games++
    own.outs.push({ of: match.id, out })
    own.forfeits = out ? own.forfeits + 1 : 0
    own.earlier = out ? own.earlier + 1 : 0
    const costOf = (forfeits: number) => (match.round > 0 ? 1 : forfeits >= 3 ? 4 : virtualGamesOf(own.ladder_games))
    own.virtual_games += costOf(own.forfeits)
    own.dearer.push(own.dearer.at(-1)! + costOf(own.earlier) - costOf(own.forfeits))
    own.seat_sum += leaning(match, i)
    const met = ords.filter((ord) => ord !== own.ord).map((ord) => ({ of: match.id, ord }))
    own.met.push(...met)
  })
}

const remember = (own: Own, mean: Mean): void => {
  own.history.push(mean)
  own.kept = Math.min(LAST, own.kept + 1)
}
const virtualGamesOf = (game: number): number => (game <= 20 ? 0.5 : 1)
const leaning = ({ seats }: Ended, i: number): number => i / (seats.length - 1) - 0.5
/** Forfeits since the last match without one. */
const running = ({ outs }: Pick<Own, "outs">): number => outs.length - 1 - outs.findLastIndex(({ out }) => !out)

/**
 * A match counts no more, and its effect on the pairing is taken back. The ratings that it moved
 * stay until the void is installed.
 */
const uncount = (book: Book, match: Ended): void => {
  book.rated--
  book.voided++
  for (const own of book.table.values()) own.voided = true
  for (const ladder of Replay.laddersOf(match)) {
    for (const [i, id] of match.versions.entries()) {
      const own = book.table.get(`${ladder} ${id}`)!
      own.matches--
      if (ladder === match.ladder) giveBack(own, match, i, match.round === book.round)
    }
  }
}

/** In continuous play the game that counts no more is the last one, whichever it was. */
const giveBack = (own: Own, match: Ended, i: number, stands: boolean): void => {
  if (stands) {
    if (match.round === 0 && own.outs.some(({ out }) => out)) own.loose++
    own.virtual_games = Math.max(0, own.virtual_games - (match.round > 0 ? 1 : virtualGamesOf(own.ladder_games)))
  }
  own.ladder_games--
  own.seat_sum -= leaning(match, i)
}

/**
 * Takes matches out of what they moved, and plays what is left of their rounds once more, though these be
 * over; the round that other starts were learned for with these.
 */
const install = (book: Book, window: Window): void => {
  const { installed, now, rescaled } = window
  if (installed.length > 0) for (const own of book.table.values()) own.voided = true
  for (const { ladder: made, match, round, versions } of installed) {
    for (const ladder of Replay.laddersOf({ ladder: made })) {
      for (const id of versions) {
        const own = book.table.get(`${ladder} ${id}`)!
        if (own.round === round) own.round_matches--
        forget(own, match)
        if (ladder !== made || round !== book.round) continue
        own.outs = own.outs.filter(({ of }) => of !== match)
        own.met = own.met.filter(({ of }) => of !== match)
        own.forfeits = running(own)
      }
    }
  }
  const written = new Map(now.rewritten.map((row) => [row.id, row]))
  const rounds = Map.groupBy(installed, (each) => each.round)
  for (const round of new Set([...rounds.keys(), ...(rescaled === null ? [] : [rescaled.round])])) {
    const ids = new Set(rounds.get(round)?.map(({ match }) => match))
    const journal = book.journals.get(round)!
    if (round === rescaled?.round) journal.sigmas = sigmasIn(now.head.starts, round)
    Replay.without(journal, ids, (id) => written.get(id) ?? window.log.get(id)!)
  }
  const { order } = current(book)
  for (const [place, own] of book.table) own.moments = [{ ...Replay.beliefOf(current(book), place), order }]
}

const forget = (own: Own, match: string): void => {
  const place = own.history.findIndex(({ of }) => of === match)
  own.history.splice(place, 1)
  own.kept = Math.min(LAST, own.history.length) // what the row had dropped comes back
}

/** Someone new on a ladder: at the seed, or in the place of the version that it supersedes. */
const joined = (book: Book, { before, now, voided }: Window, row: Row): Own => {
  const { table } = book
  const journal = current(book)
  const version = now.versions.get(row.version)!
  const place = `${row.ladder} ${row.version}`
  const old = entryBefore(before, now, version)
  const from = old === undefined ? undefined : `${row.ladder} ${old.id}`
  const moments = from === undefined ? undefined : table.get(from)?.moments
  const seed = Replay.startAt(journal, place)
  const start = { ...seed, order: journal.order, from: null }
  const allowed = moments === undefined ? [start] : moments.map((each) => ({ ...takenOver(each, seed), order: each.order, from: from! }))
  const v = row.sigma * row.sigma
  const isOut = old !== undefined && [before, now].some(({ versions }) => versions.get(old.id)?.status === "disqualified")
  const found = [...allowed, ...(now.head.round === before.head.round && !isOut ? [] : [start])].find(
    (each) => near(each.mu, row.mu) && near(each.v, v)
  )
  must(found !== undefined, "who joins starts from the seed or from the version before", row, allowed)
  Replay.joinAt(journal, { order: found!.order + 0.5, place, from: found!.from }, found!)
  const [least, most] =
    now.head.round > 0 ? [0, 0] : [before.head.clock, now.head.clock].map((clock) => clock[LADDERS.indexOf(row.ladder)]!)
  must(
    row.virtual_games >= least! && row.virtual_games <= most! && row.matches === 0 && row.ladder_games === 0,
    "who joins is owed everything",
    row,
    least,
    most
  )
  checkTurns({ before, now, voided }, row, isOut ? [old, undefined] : [old])
  const early = row.history.length > 1 // in the round before, which ended in this commit
  if (early) joinedBefore(book, before.head.round, { place, from: from ?? null }, row, moments ?? [])
  const history = row.history.map((_, i) => ({ round: i === 0 && early ? before.head.round : book.round, of: null }))
  const fresh = {
    met: [],
    outs: [],
    round: book.round,
    loose: 0,
    earlier: 0,
    dearer: [0],
    charged: 0,
    voided: false,
    joined: true,
    untold: false,
    kept: history.length
  }
  return { ...row, ...fresh, moments: [{ mu: row.mu, v, order: found!.order }], history }
}

type Seen = Pick<Window, "before" | "now" | "voided">

/**
 * In a round a version comes in at the turns of the one that it supersedes, on the ladder of another class at those of open, or where
 * others are who have had all their games. `from`: that one, or none where it may have been out of play before.
 */
const checkTurns = ({ before, now, voided }: Seen, row: Row, from: ReadonlyArray<Version | undefined>): void => {
  const turnsIn = ({ head, ratings }: View, old: Version | undefined): number => {
    if (head.round < now.head.round) return 0
    const found = old === undefined ? undefined : (ratings.get(`${row.ladder} ${old.id}`) ?? ratings.get(`open ${old.id}`))
    const filled = head.clock[LADDERS.indexOf(row.ladder)]! - now.rounds.find(({ n }) => n === head.round)!.games
    return Math.max(0, filled, found === undefined ? 0 : found.virtual_games + found.failed)
  }
  const turns = now.head.round === 0 ? [0] : from.flatMap((old) => [turnsIn(before, old), turnsIn(now, old)])
  const [least, most] = [Math.min(...turns) - voided.length, Math.max(...turns) + voided.length]
  must(row.failed >= Math.max(0, least) && row.failed <= most, "a new version comes in at the turns of the one before", row, turns)
}

/** The entry that a version supersedes: one that played before this commit, or that came back in it. */
const entryBefore = (before: View, now: View, { model, number }: Version): Version | undefined => {
  const rivals = [...before.versions.values()].filter((each) => each.model === model)
  const cameBack = ({ id, status }: Version) => status === "disqualified" && now.versions.get(id)!.successor === number
  return rivals.find(({ status }) => status === "entered") ?? rivals.find(cameBack)
}

const joinedBefore = (
  { journals }: Book,
  round: number,
  who: { readonly place: string; readonly from: string | null },
  row: Row,
  moments: ReadonlyArray<Moment>
): void => {
  const [mu] = row.history
  const journal = journals.get(round)!
  const seed = Replay.startAt(journal, who.place)
  const found = moments.map((each) => ({ ...takenOver(each, seed), order: each.order })).find((each) => near(each.mu, mu!))
  must(found !== undefined || mu === 0, "the history is the last twelve ratings", row)
  const start = found ?? { ...seed, order: journal.order }
  Replay.joinAt(journal, { ...who, from: found === undefined ? null : who.from, order: start.order + 0.5 }, start)
}

/**
 * An entry that returns has missed nothing: it is owed no more than the one that is owed most, and may have
 * played on in the same commit.
 */
const returned = (window: Window, own: Own, row: Row): number => {
  const { before, now, voided } = window
  const clocks = now.head.round > 0 ? [0] : [before.head.clock, now.head.clock].map((clock) => clock[LADDERS.indexOf(row.ladder)]!)
  const played = Math.max(0, own.virtual_games - before.ratings.get(`${row.ladder} ${row.version}`)!.virtual_games)
  const least = Math.max(own.virtual_games, Math.min(...clocks))
  const fair = row.virtual_games >= least && row.virtual_games <= Math.max(own.virtual_games, ...clocks.map((clock) => clock + played))
  // It may have come back a commit before, and a void may have given it back a game since.
  const onlyRerated = isRerated(window) && row.virtual_games === own.virtual_games
  must(fair || voided.length > 0 || onlyRerated, "who comes back does so at the clock", row, own.virtual_games, clocks)
  return row.virtual_games
}

const compare = (book: Book, own: Own, row: Row, place: string): void => {
  const { ladder_games, matches } = own
  if (own.round !== book.round && own.voided) own.round_matches = row.round_matches // of a round that nobody plays any more
  const counted = ladder_games === row.ladder_games && matches === row.matches && near(own.seat_sum, row.seat_sum)
  must(counted && own.round_matches === row.round_matches, "matches are counted as played", row, own)
  const journal = book.journals.get(own.round)!
  const { belief, trend } = journal.courses.get(place) ?? { belief: Replay.startAt(journal, place), trend: null }
  const sigma = isLeftBehind(journal, row, place) ? row.sigma : Math.sqrt(belief.v)
  must(near(belief.mu, row.mu) && near(sigma, row.sigma), "ratings equal a replay of the log", row, belief, own)
  must((trend === null) === (row.trend === null) && near(trend ?? 0, row.trend ?? 0), "the trend is the last change", row, trend)
  compareHistory(book, own, row, place)
  if (own.round === book.round) comparePairing(own, row)
}

/**
 * A row that was let go before it had played keeps the start of that time, unless it had an heir on the
 * ladder: nobody reads it any more.
 */
const isLeftBehind = ({ courses }: Replay.Journal, { active, round_matches }: Row, place: string): boolean =>
  !active && round_matches === 0 && (courses.get(place)?.means.size ?? 0) === 0

/**
 * The season lets go of a version that a newer one has superseded: once one of its matches is voided, its
 * row may not tell a reset from a match that left the mean at the start. Nobody reads that history, and it
 * is not followed any further.
 */
const compareHistory = (book: Book, own: Own, { active, history, matches }: Row, place: string): void => {
  if (own.untold) return
  const dropped = own.history.slice(-own.kept).slice(0, Math.max(0, own.kept - history.length))
  const begunAnew = matches === 0 // a baseline has come back to the ladder of a class that it had left
  if ((own.voided || begunAnew) && dropped.every(({ of }) => of === null)) own.kept -= dropped.length // starts need not come back
  const due = historyOf(book, own, place, own.kept)
  own.untold = !active && own.voided && !sameMeans(due, history)
  must(own.untold || sameMeans(due, history), "the history is the last twelve ratings", history, due, own)
}

const historyOf = ({ journals }: Book, { history }: Own, place: string, kept: number): ReadonlyArray<number> =>
  history.slice(history.length - kept).map(({ of, round }) => {
    const course = journals.get(round)!.courses.get(place)
    return of === null ? (course?.seed.mu ?? 0) : course!.means.get(of)!.mu
  })
const sameMeans = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean =>
  a.length === b.length && a.every((mu, i) => near(mu, b[i]!))

const comparePairing = (own: Own, row: Row): void => {
  if (own.loose > 0) settleVirtualGames(own, row)
  const unsure = own.voided && Math.abs(own.failed - row.failed) <= 4 // what it would have counted, before or after the void
  const either = row.failed >= own.failed && row.failed <= own.failed + own.charged
  if (unsure || either) own.failed = row.failed
  must(near(own.failed, row.failed), "a match that failed counts as one that was played in the queue, and no other does", row, own)
  const dearer = own.dearer.find((more) => near(own.virtual_games + more, row.virtual_games))
  if (dearer !== undefined) own.virtual_games += dearer
  must(dearer !== undefined && own.forfeits === row.forfeits, "virtual games are what was played", row, own)
  const met = own.met.slice(-LAST).map(({ ord }) => ord)
  must(met.join() === row.met.join(), "opponents are remembered", row, own)
}

/** A forfeiter gets back for each match no more than its last forfeit has cost. */
const settleVirtualGames = (own: Own, row: Row): void => {
  must(Math.abs(row.virtual_games - own.virtual_games) <= 4 * own.loose, "a voided match gives back what it cost", row, own)
  own.virtual_games = row.virtual_games
}
