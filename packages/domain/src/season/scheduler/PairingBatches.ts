/**
 * From heap to queue: the next ladder to play, its board, and the seats. A pairing batch is prepared only when its
 * ladder has no prepared match. Its matches are rows at once, so a restored season goes on identically.
 */
import { before, pop, remove } from "../../pairing/Heap.ts"
import { BATCH_ENTRIES, groupsOf } from "../../pairing/PairingBatch.ts"
import { free, type LadderState } from "../Ladders.ts"
import { draw } from "../Random.ts"
import { isFinals } from "../Round.ts"
import type { LadderRating } from "../rating/LadderRating.ts"
import type { State } from "../State.ts"
import { turnsOf } from "../TurnOrder.ts"
import { ownerOf } from "../Version.ts"
import { mayTake } from "./Faults.ts"
import { fewestPlayers } from "./fewestPlayers.ts"
import { inFairTurn, inTurn, type LadderTurn, served, turnsOrNone } from "./LadderTurns.ts"
import type { Board } from "./Match.ts"
import { createMatch } from "./OpenMatches.ts"

/** A ladder has at most one match in flight per this many entries, stragglers aside: pairing needs the results of earlier matches. */
const ENTRIES_PER_MATCH_IN_FLIGHT = 6
/**
 * A pairing batch takes entries within one game of the fewest virtual games. Without this a field
 * no larger than a batch would play in step: newcomers would not catch up, and entries that
 * forfeit would not be paired less.
 */
const BATCH_GAMES = 1
const HOUR_MS = 3_600_000

/**
 * A third of the entries is free at least, or pairing has nobody to choose from: with all of them in play the eight of a match that ends
 * would play each other again, and meet nobody else in the whole season.
 */
export const mayPlay = (state: State, ladder: LadderState): boolean => {
  const matches = inFlight(ladder)
  if (matches === 0) return true
  if (matches >= Math.floor(ladder.active / ENTRIES_PER_MATCH_IN_FLIGHT)) return false
  return 3 * (ladder.seated + seatsOfNext(state, ladder)) <= 2 * ladder.active
}

const seatsOfNext = (state: State, ladder: LadderState): number => {
  const [next] = ladder.queue
  return next === undefined ? (boardFor(state, ladder, () => true)?.players ?? 0) : state.live.get(next)!.versions.length
}

/** Matches whose entries will come free before long. */
const inFlight = ({ playing, stragglers }: LadderState): number => playing - stragglers.size

/** The next prepared match that this key may take, from the ladder whose entries have played least first. */
export const nextRated = (state: State, key: string): string | undefined => {
  const ready = ({ queue }: LadderState) => queue.find((id) => mayTake(state, state.live.get(id)!, key))
  const played = inTurn(
    state,
    state.ladders.filter((ladder) => hasRoom(state, ladder))
  )
  const turns = state.round > 0 ? played : inFairTurn(state, played)
  for (const each of turns) {
    const { ladder } = each
    const next = ready(ladder) ?? (prepare(state, ladder, ladder.owed) ? ready(ladder) : undefined)
    if (next === undefined) continue
    if (state.round === 0) served(state, each)
    return next
  }
  return state.round > 0 ? fill(state, inFairTurn(state, played)) : undefined
}

/**
 * Whether a ladder has entries and room for a match; which of its matches a key may take, and whether any
 * can be made, is not looked at.
 */
const hasRoom = (state: State, ladder: LadderState): boolean => ladder.queue.length + ladder.heap.length > 0 && mayPlay(state, ladder)

/** Where none of its ladders has room, `nextRated` finds nothing for any key. */
export const anyHasRoom = (state: State): boolean => state.ladders.some((ladder) => hasRoom(state, ladder))

/** Idle fill: one extra counted match at a time, while the hour's allowance lasts. */
const fill = (state: State, turns: ReadonlyArray<LadderTurn>): string | undefined => {
  const { enabled, max_per_hour } = state.settings.fill
  if (!enabled || isFinals(state)) return undefined
  const hour = Math.floor(state.now / HOUR_MS)
  const made = state.fill_hour === hour ? state.fill_made : 0
  if (max_per_hour !== null && made >= max_per_hour) return undefined
  for (const each of turns) {
    if (!prepare(state, each.ladder, Infinity, 1)) continue
    state.fill_hour = hour
    state.fill_made = made + 1
    served(state, each)
    return each.ladder.queue.at(-1)
  }
  return undefined
}

/** Prepares matches among the free entries with fewer than `limit` virtual games; false if none can be made now. */
const prepare = (state: State, ladder: LadderState, limit: number, matches = Infinity): boolean => {
  if (boardFor(state, ladder, () => true) === undefined || (ladder.heap[0]?.virtual_games ?? Infinity) >= limit) return false
  const entries = apartFromSuspects(state, ladder, limit, takeEntries(state, ladder, limit))
  const board = boardFor(state, ladder, (players) => players <= entries.length)
  if (board === undefined) {
    for (const entry of entries) free(ladder, entry)
    return false
  }
  const waiting = entries.splice(Math.min(Math.floor(entries.length / board.players), matches) * board.players)
  admitStranger(state, entries, waiting)
  for (const entry of waiting) free(ladder, entry) // entries owed least wait for the next pairing batch
  if (areOfOneOwner(state, entries)) {
    for (const entry of entries) free(ladder, entry)
    return false // before any draw: a failed attempt leaves no row, and a restored season must draw the same
  }
  state.clock[ladder.index] = Math.max(state.clock[ladder.index]!, turnsOf(entries[0]!))
  const groups = groupsOf(
    entries,
    board.players,
    (entry) => ownerOf(state, entry.version),
    () => draw(state)
  )
  for (const group of groups) seat(state, ladder, group)
  for (const entry of entries) if (!entry.busy) free(ladder, entry)
  return groups.length > 0
}

/** If all seated entries have one owner, the last of them swaps with the first waiting entry of another owner. */
const admitStranger = (state: State, seated: Array<LadderRating>, waiting: Array<LadderRating>): void => {
  if (!areOfOneOwner(state, seated)) return
  const owner = ownerOf(state, seated[0]!.version)
  const stranger = waiting.findIndex((entry) => ownerOf(state, entry.version) !== owner)
  if (stranger >= 0) waiting.push(...seated.splice(-1, 1, ...waiting.splice(stranger, 1)))
}

const areOfOneOwner = (state: State, entries: ReadonlyArray<LadderRating>): boolean =>
  entries.every((entry) => ownerOf(state, entry.version) === ownerOf(state, entries[0]!.version))

/**
 * The board that the ladder has used least, among those in play that it can fill and that have a wanted
 * number of players.
 */
const boardFor = ({ boards }: State, { active, index }: LadderState, wanted: (players: number) => boolean): Board | undefined => {
  let least: Board | undefined
  for (const board of boards.values()) {
    if (!board.enabled || board.players > active || !wanted(board.players)) continue
    const more = least === undefined ? -1 : board.used[index]! - least.used[index]! || board.ord - least.ord
    if (more < 0) least = board
  }
  return least
}

/** The fewest players of a board in play that the ladder can fill. */
const fewestOn = (state: State, { active }: LadderState): number =>
  fewestPlayers(state, ({ enabled, players }) => enabled && players <= active)

/**
 * Up to a pairing batch of entries that are owed a match. If these cannot fill a board or have one
 * owner, and nobody else will come free, entries that are owed nothing play too: every match of a
 * round has a seat that is owed it.
 */
const takeEntries = (state: State, ladder: LadderState, limit: number): Array<LadderRating> => {
  const { heap } = ladder
  const entries: Array<LadderRating> = []
  const seats = fewestOn(state, ladder)
  const near = turnsOrNone(heap[0]) + BATCH_GAMES
  const wanted = (entry: LadderRating) => entry.virtual_games < limit && (turnsOf(entry) <= near || entries.length < seats)
  while (entries.length < BATCH_ENTRIES && heap.length > 0 && wanted(heap[0]!)) entries.push(pop(heap)!)
  const lonely = inFlight(ladder) === 0
  while (entries.length < seats && lonely && heap.length > 0) entries.push(pop(heap)!)
  const first = entries[0]
  if (first === undefined || entries.some((entry) => ownerOf(state, entry.version) !== ownerOf(state, first.version))) return entries
  const stranger = firstByKey(heap.filter((entry) => ownerOf(state, entry.version) !== ownerOf(state, first.version)))
  if (stranger === undefined || !(lonely || stranger.virtual_games < limit)) return entries
  remove(heap, stranger)
  entries.splice(1, 0, stranger)
  return entries
}

/** In so small a group, the others might meet only entries whose matches fail. */
const FEW = 12

/**
 * Entries whose matches keep failing must not hit the same few opponents: in a small group the first plays
 * drawn opponents, those without failed matches first. They are drawn from those taken, others that are owed
 * and, if nobody else will come free, those owed nothing. Pairing by meetings would pick the same ones again,
 * since a failed match is no meeting. If there is no choice, the first waits for entries that are playing.
 */
const apartFromSuspects = (state: State, ladder: LadderState, limit: number, taken: Array<LadderRating>): Array<LadderRating> => {
  const isSuspect = ({ version }: LadderRating) => state.versions_by_id.get(version)!.streak !== null
  const [first, ...rest] = taken
  if (first === undefined || taken.length > FEW || !taken.some(isSuspect)) return taken
  const seats = fewestOn(state, ladder)
  const among = [...rest]
  const may = (entry: LadderRating | undefined) => entry !== undefined && (inFlight(ladder) === 0 || entry.virtual_games < limit)
  while (among.length < FEW && may(ladder.heap[0])) among.push(pop(ladder.heap)!) // in the order of the keys, not of the array
  const isStranger = (entry: LadderRating) => ownerOf(state, entry.version) !== ownerOf(state, first.version)
  const waits = among.length === rest.length && taken.length <= seats && ladder.queue.length + inFlight(ladder) > 0
  if (among.length < seats - 1 || !among.some(isStranger) || waits) {
    for (const entry of among) if (waits || !rest.includes(entry)) free(ladder, entry)
    if (waits) free(ladder, first)
    return waits ? [] : taken
  }
  const drawn = among
    .map((entry) => ({ entry, lot: Number(isSuspect(entry)) + draw(state) }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ entry }) => entry)
  const chosen = drawn.slice(0, seats - 1)
  if (areOfOneOwner(state, [first, ...chosen])) chosen.splice(-1, 1, drawn.find(isStranger)!) // by lot as well, or it is always the same one
  for (const entry of among) if (!chosen.includes(entry)) free(ladder, entry)
  return [first, ...chosen]
}

const firstByKey = (entries: ReadonlyArray<LadderRating>): LadderRating | undefined =>
  entries.reduce<LadderRating | undefined>((least, entry) => (least === undefined || before(entry, least) ? entry : least), undefined)

const seat = (state: State, ladder: LadderState, group: ReadonlyArray<LadderRating>): void => {
  const board = boardFor(state, ladder, (players) => players === group.length)!
  for (const entry of group) entry.busy = true
  const seats = group
    .map((entry) => ({ entry, lot: draw(state) }))
    .sort((a, b) => b.entry.seat_sum - a.entry.seat_sum || a.lot - b.lot)
    .map(({ entry }) => entry.version)
  ladder.queue.push(createMatch(state, { ladder: ladder.ladder, candidate: null, board, versions: seats }).id)
}
