/**
 * The matches that ended last, of those that count. The list has trials besides, which count for nothing and have no page: where
 * there is one on the page, as when a version has just entered, as much is read as one request may ask for.
 */
import type { Client } from "@agon/api/Client.ts"
import type { MatchCard } from "@agon/api/match/Match.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { Effect } from "effect"

/** The longest page (docs/contract.md#lists-and-cursors): the trials of two versions, by the longest rules, and some. */
const LISTED_MAX = 60

interface Of {
  readonly game?: string
  readonly season?: string
  readonly model?: string
}

export const newestMatches = (client: Client, of: Of, rows: number) => {
  const listed = (limit: number) => client.match.matches({ query: { ...of, sort: "newest", ...firstPage(limit) } })
  const hasTrials = (matches: ReadonlyArray<MatchCard>) => matches.some(({ is_trial }) => is_trial)
  return listed(rows).pipe(
    Effect.flatMap((page) => (page.next_cursor !== null && hasTrials(page.matches) ? listed(LISTED_MAX) : Effect.succeed(page))),
    Effect.map(({ matches }) => matches.filter(({ is_trial }) => !is_trial).slice(0, rows))
  )
}
