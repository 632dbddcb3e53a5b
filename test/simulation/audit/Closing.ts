/** The end: nothing new, a minute for what is played, a podium that is the ladder and stays. */
import { must } from "./Promise.ts"
import { activeOn, awaited, LADDERS, type Window } from "./Window.ts"

export const checkClosing = ({ before, now }: Window): void => {
  const { head, live } = now
  must(before.head.phase !== "closed", "a season that is closed is never written again", head)
  must((head.phase === "open") === (head.close_requested_at === null), "a season closes once", head)
  if (head.phase === "closing") must(head.now < head.close_requested_at! + head.closing_away_ms + 60_000, "closed within a minute", head)
  if (head.phase === "closing")
    must(
      live.size + head.to_void.length + awaited(now).length > 0,
      "a season closes with its last match, the voids it owes, and the ratings that are due",
      head
    )
  if (head.phase !== "open") must(head.testing === 0 && now.reviews.size === 0, "no candidate outlives the season", head)
  must(head.phase !== "open" || head.closing_away_ms === 0, "a season that is open does not close", head)
  if (head.phase !== "closed") return must(head.podium === null && head.closed_at === null, "no podium before the end", head)
  must(live.size === 0 && head.closed_at! - head.close_requested_at! <= 60_000 + head.closing_away_ms, "closed within a minute", head)
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
