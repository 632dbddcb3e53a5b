/**
 * The order of play: nobody is passed over, fill keeps within its hour, finals end when
 * everybody has what they are owed.
 */

import type { View } from "../View.ts"
import { must } from "./Promise.ts"
import { isDead, LADDERS, ownerOf, pairableOn, type Window } from "./Window.ts"

export const owedIn = ({ head, rounds }: View): number => (head.round === 0 ? Infinity : rounds.find(({ n }) => n === head.round)!.games)

/** Everybody has what the round owes them, where it could be played. */
export const isComplete = (view: View): boolean =>
  LADDERS.every((ladder) => isDead(view, ladder) || pairableOn(view, ladder).every(({ virtual_games }) => virtual_games >= owedIn(view)))

const IN_VAIN_MS = 86_400_000
const IN_VAIN_MATCHES = 20

/**
 * For a day nothing has ended well, unless in this commit, and at least half of the entries
 * have what the round owes them.
 */
const isInVain = ({ before, now: view }: Window): boolean => {
  const { active, failing, now, played } = view.head
  if (
    failing == null ||
    ![before.head.played, played].includes(failing.played) ||
    (failing.n ?? 0) < IN_VAIN_MATCHES ||
    now < failing.since! + IN_VAIN_MS
  )
    return false
  const owed = LADDERS.filter((ladder) => !isDead(view, ladder)).flatMap((ladder) =>
    pairableOn(view, ladder).flatMap(({ virtual_games, version }) => (virtual_games < owedIn(view) ? [version] : []))
  )
  return new Set(owed).size * 2 <= active
}

export const checkRounds = (window: Window): void => {
  checkCalendar(window)
  if (window.before.head.round === window.now.head.round) for (const ladder of LADDERS) checkTurns(window, ladder)
  checkFinals(window)
}

/** Rounds start at their time, in their order, and each ends the one before. */
const checkCalendar = ({ before, now }: Window): void => {
  must(now.head.now >= before.head.now && now.head.round >= before.head.round, "time does not go back", before.head, now.head)
  let latest = -Infinity
  for (const round of now.rounds) {
    if (round.withdrawn) {
      must(round.started_at === null, "a round that was withdrawn does not start", round)
      continue
    }
    must(round.starts_at > latest, "rounds start in their order", now.rounds)
    latest = round.starts_at
    if (round.started_at !== null) must(round.started_at === round.starts_at, "a round starts at its time", round)
    else if (now.head.phase === "open") must(round.starts_at > now.head.now, "a round starts at its time", round, now.head.now)
    const current = round.n === now.head.round
    if (round.started_at !== null)
      must((round.ended_at === null) === (current && now.head.phase !== "closed"), "one round at a time", round)
    const was = before.rounds.find(({ n }) => n === round.n)
    if (was?.started_at != null) must(was.games === round.games && was.starts_at === round.starts_at, "a round that started is fixed", was)
  }
}

/**
 * A free entry is never passed over for a match in which every seat has had its turn more often by a whole unit: by its
 * virtual games and by what failed matches have cost it. Between entries of
 * one owner, of which only so many can be seated among strangers, it says nothing.
 */
const checkTurns = (window: Window, ladder: string): void => {
  const { before, now } = window
  const fresh = window.created.filter((match) => match.ladder === ladder)
  if (fresh.length === 0) return
  const places = new Map(pairableOn(now, ladder).map((row) => [row.version, row.virtual_games + row.failed]))
  const virtualGames = new Map(pairableOn(now, ladder).map((row) => [row.version, row.virtual_games]))
  const busy = new Set(
    [...before.live.values()]
      .filter((match) => match.ladder === ladder && match.round === now.head.round)
      .flatMap(({ versions }) => versions)
  )
  for (const { versions } of fresh) for (const id of versions) busy.add(id)
  for (const { virtual_games, failed, version } of pairableOn(before, ladder)) {
    const later = places.get(version)
    if (later === undefined || busy.has(version)) continue
    // A match that was voided in this commit may have counted until after the pairing batch.
    if (Math.max(virtual_games, virtualGames.get(version)!) >= owedIn(now)) continue
    const own = Math.max(virtual_games + failed, later)
    const over = fresh.find(({ versions }) =>
      versions.every((id) => (places.get(id) ?? 0) > own + 1 && ownerOf(now, id) !== ownerOf(now, version))
    )
    must(over === undefined, "nobody is passed over for entries with more virtual games", {
      version,
      own,
      over,
      of: over?.versions.map((id) => places.get(id))
    })
  }
}

const checkFinals = (window: Window): void => {
  const { before, now, recent, voided } = window
  const { head, live, rounds } = now
  const finals = rounds.find(({ n }) => n === head.round)?.kind === "finals"
  const idle = finals && ![...live.values()].some(({ ladder }) => ladder !== null)
  const boards = [...now.boards.values()].some(({ enabled }) => enabled)
  const isDone = isComplete(now) && head.to_void.length === 0 // matches that are still to be voided are owed again
  if (idle && boards && isDone && !mayGoOn(now)) must(head.phase !== "open", "finals end with the last game that is owed", head)
  if (before.head.phase !== "open" || head.phase === "open") return
  if (!recent.some(({ _tag }) => _tag === "CloseSeason"))
    must(
      finals && (isComplete(now) || isInVain(window) || voided.length > 0),
      "a season closes when it is told to, or when its finals are over",
      head
    )
}

/** An administrator took something out of play that may be put back, and entries lack games on a ladder that could play when the finals began. */
const mayGoOn = (view: View): boolean =>
  LADDERS.some(
    (ladder, i) =>
      view.head.expected.includes(i) &&
      pairableOn(view, ladder).some(({ virtual_games }) => virtual_games < owedIn(view)) &&
      ([...view.boards.values()].some(({ enabled }) => !enabled) ||
        [...view.ratings.values()].some((row) => row.ladder === ladder && view.versions.get(row.version)?.status === "disqualified"))
  )
