/**
 * Sorts the content of a lease request by season: its results, and the leases that got lost on the way to the
 * runner. Lost leases are named one by one, since a season that is away may hear of them late, when the
 * runner has been given others.
 */
import type { LeaseRequest } from "@agon/api/runner/protocol.ts"
import { Effect } from "effect"
import type { Reported } from "../result/results.ts"
import type { Lost } from "../result/tellSeason.ts"
import { type SeasonCalls, TOGETHER } from "./SeasonCalls.ts"

/** A lease request whose results were checked. */
export type Asking = Omit<LeaseRequest, "results"> & { readonly results: ReadonlyArray<Reported> }

/** Told to one season. */
export interface About {
  readonly results: Array<Reported>
  lost?: Lost & { readonly leases: Array<string> }
}

/** The results and lost leases of a request, by season. */
export const bySeason = Effect.fnUntraced(function* (
  calls: Pick<SeasonCalls["Service"], "holdings" | "seasonOf">,
  runner: string,
  { holds, results }: Asking
) {
  const about = new Map<string | undefined, About>()
  const of = (season: string | undefined) => about.get(season) ?? about.set(season, { results: [] }).get(season)!
  const seasons = yield* Effect.forEach(results, ({ lease }) => calls.seasonOf(lease), TOGETHER)
  for (const [i, result] of results.entries()) of(seasons[i]).results.push(result)
  const has = [...(holds ?? []), ...results.map(({ lease }) => lease)]
  const named = new Set(has)
  for (const { lease, season } of holds === undefined ? [] : calls.holdings.of(runner)) {
    if (named.has(lease)) continue
    calls.holdings.drop(lease)
    const to = of(season)
    to.lost ??= { leases: [], holds: has }
    to.lost.leases.push(lease)
  }
  return about
})

export type BySeason = Effect.Success<ReturnType<typeof bySeason>>
