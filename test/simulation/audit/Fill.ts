/**
 * Idle fill: matches that nobody is owed are made only where fill is on, never in finals, and no more
 * of them in an hour than allowed.
 */
import { must } from "./Promise.ts"
import { owedIn } from "./Rounds.ts"
import type { Window } from "./Window.ts"

export interface Fill {
  readonly check: (window: Window) => void
}

const HOUR_MS = 3_600_000

export const make = (): Fill => {
  const made = new Map<number, number>() // by hour since 1970
  return {
    check: (window) => {
      const { before, now } = window
      if (now.head.round === 0 || before.head.round !== now.head.round) return
      const round = now.rounds.find(({ n }) => n === now.head.round)!
      const fills = [before, now].map(({ settings }) => settings.fill)
      const most = Math.max(...fills.map(({ max_per_hour }) => max_per_hour ?? Infinity))
      for (const match of window.created) {
        if (match.ladder === null || match.round !== round.n || isOwed(window, match)) continue
        const hour = Math.floor(match.created_at / HOUR_MS)
        made.set(hour, (made.get(hour) ?? 0) + 1)
        must(
          fills.some(({ enabled }) => enabled) && round.kind === "round",
          "nothing is played that nobody is owed, without fill",
          match,
          fills
        )
        must(made.get(hour)! <= most, "fill keeps within its hour", match, made.get(hour), most)
      }
    }
  }
}

/** Whether a seat was owed the match when it was made, or may have been: within a commit virtual games go both ways. */
const isOwed = ({ before, now }: Window, match: { readonly ladder: string | null; readonly versions: ReadonlyArray<string> }): boolean =>
  match.versions.some((id) => {
    const virtualGames = [before, now].map(({ ratings }) => ratings.get(`${match.ladder} ${id}`)?.virtual_games ?? 0)
    return Math.min(...virtualGames) < owedIn(now)
  })
