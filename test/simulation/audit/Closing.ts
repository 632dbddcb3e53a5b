/** The end: nothing new, a minute for what is played, time for the check of results, a podium that is the ladder and stays. */
import type { Head } from "@agon/domain/season/Head.ts"
import { must } from "./Promise.ts"
import { activeOn, awaited, endOf, LADDERS, type Window } from "./Window.ts"

const isUnchecked = ({ checked, played, rated }: Head): boolean => checked !== null && checked < played && rated > 0

const checkChecked = ({ before, now: { head }, recent }: Window): void => {
  must(head.phase !== "open" || head.checked === null, "a season that is open waits for no check", head)
  must(head.phase !== "closed" || !isUnchecked(head), "the podium waits for the check of every result", head)
  const was = before.head.checked
  if (was === null || head.checked === was) return
  const told = recent.some((command) => command._tag === "ReplaysChecked" && command.played === head.checked)
  if (head.checked !== null) return must(told || head.checked === 0, "no result counts as checked before it is", head)
  must(head.closed_at! >= endOf(before.head).frozen, "the check of the last results has its time", head)
}

export const checkClosing = (window: Window): void => {
  const { before, now } = window
  const { head, live } = now
  checkChecked(window)
  must(before.head.phase !== "closed", "a season that is closed is never written again", head)
  must((head.phase === "open") === (head.close_requested_at === null), "a season closes once", head)
  if (head.phase === "closing") {
    must(head.now < endOf(head).frozen && (live.size === 0 || head.now < endOf(head).played), "closed within its time", head)
    must(
      live.size + head.to_void.length + awaited(now).length > 0 || isUnchecked(head),
      "a season closes with its last match, the voids it owes, the ratings that are due, and the check of its results",
      head
    )
  }
  if (head.phase !== "open") must(head.testing === 0 && now.reviews.size === 0, "no candidate outlives the season", head)
  must(head.phase !== "open" || head.closing_away_ms === 0, "a season that is open does not close", head)
  if (head.phase !== "closed") return must(head.podium === null && head.closed_at === null, "no podium before the end", head)
  must(
    live.size === 0 && head.closed_at! <= endOf(before.head.phase === "closing" ? before.head : head).frozen,
    "closed within its time",
    head
  )
  const late = [...now.audits].find(([, at]) => at > head.closed_at!)
  must(late === undefined, "nothing is done to a season that is closed", late, head)
  must(now.waiting === 0, "no rating waits for its row when the season is closed", head)
  const finals = now.rounds.find(({ n }) => n === head.round)?.kind === "finals"
  for (const ladder of LADDERS) {
    const played = activeOn(now, ladder).filter(({ matches, round_matches }) => (finals ? round_matches : matches) > 0)
    const winners = played.filter(({ version }) => now.versions.get(version)!.owner !== null)
    const best = winners.sort((a, b) => b.mu - a.mu || (a.version < b.version ? -1 : 1)).slice(0, 3)
    const podium = head.podium?.[ladder] ?? []
    must(podium.join() === best.map(({ version }) => version).join(), "the podium is the ladder at the close", ladder, podium, best)
  }
}
