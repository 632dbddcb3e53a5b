/** No lease lives longer than its longest life, but for the time in which the season was away. */
import { must } from "./Promise.ts"
import { leaseOf, type Window } from "./Window.ts"

const DAY_MS = 86_400_000
const REVIEW_MS = 3_600_000

/** Ten minutes, and ten times what a seat may take in all its turns and loads of its model. */
const longest_ms = ({ now: { settings } }: Window, seats: number): number => {
  const { infer_us_max, match } = settings.rules
  const move_ms = Math.min(1_000, infer_us_max / 500) + 5
  const seat_ms = 1_000 + match.max_turns * move_ms + match.strike_limit * 10_000 + 10_000
  return Math.min(DAY_MS, 600_000 + 10 * seats * Math.ceil(seat_ms))
}

export interface LeaseLives {
  readonly check: (window: Window) => void
}

export const make = (): LeaseLives => {
  /** When each lease that is held must end, by its name. */
  let ends = new Map<string, number>()
  return {
    check: (window) => {
      const { before, now, returned } = window
      const away_ms = returned ? Math.max(0, now.head.now - before.head.now) : 0
      const matches = [...now.live.values()].map((row) => ({ row, lease: leaseOf(row), max_ms: longest_ms(window, row.versions.length) }))
      const reviews = [...now.reviews.values()].map((row) => ({ row, lease: leaseOf({ ...row, id: row.version }), max_ms: REVIEW_MS }))
      const held = new Map<string, number>()
      for (const { lease, max_ms, row } of [...matches, ...reviews]) {
        if (row.until === null) continue
        const known = ends.get(lease)
        const end = known === undefined ? now.head.now + max_ms : known + away_ms
        must(row.until <= end, "no lease lives longer than its longest life", row, end)
        held.set(lease, end)
      }
      ends = held
    }
  }
}
