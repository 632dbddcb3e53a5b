/** The runners that a season lets play and examine: its own, the platform's, or both. */
import type { Command } from "@agon/domain/season/Command.ts"
import type { FleetUse } from "@agon/domain/season/Rules.ts"
import { must } from "./Promise.ts"
import type { Window } from "./Window.ts"

export interface Fleets {
  readonly asked: (command: Command) => void
  readonly check: (window: Window) => void
}

export const make = (): Fleets => {
  const fleetOf = new Map<string, "own" | "platform">() // by runner
  const takes = (use: FleetUse, runner: string): boolean => use === "both" || use === fleetOf.get(runner)
  return {
    asked: (command) => {
      if (command._tag === "LeaseWork") fleetOf.set(command.runner, command.fleet)
    },
    check: ({ before, now }) => {
      const uses = [before, now].map(({ settings }) => settings.fleet)
      for (const match of [...now.live.values(), ...now.ended]) {
        if (match.lease_n === (before.live.get(match.id)?.lease_n ?? 0)) continue
        const allowed = uses.some(({ matches }) => takes(matches, match.runner!))
        must(allowed, "a season's matches are played by the fleet it takes", match, uses)
      }
      for (const review of now.reviews.values()) {
        if (review.lease_n === (before.reviews.get(review.version)?.lease_n ?? 0)) continue
        const allowed = uses.some(({ admissions }) => takes(admissions, review.runner!))
        must(allowed, "a season's models are examined by the fleet it takes", review, uses)
      }
    }
  }
}
