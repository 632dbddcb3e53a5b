/** Lease requests: they tell results, say what the runner holds, and ask for work. */

import type { Client } from "@agon/api/Client.ts"
import type { Unavailable } from "@agon/api/Problem.ts"
import type { LeaseAnswer } from "@agon/api/runner/protocol.ts"
import { Effect } from "effect"
import { leasesOf, type State } from "./RunnerState.ts"
import { type Done, leasedOf } from "./results.ts"

/** Shorter than the time-outs of common proxies. */
const WAIT_S = 25

/**
 * A request with results is made so often, some 15 seconds, before a season that is away is left to `lateResults.ts`; once, while
 * results are late already. Most that are away are back sooner, since they only move to another machine.
 */
const AWAY_TRIES_MAX = 10

/** The results that a request carries, and those that wait for the next one. */
interface Telling {
  readonly results: ReadonlyArray<Done>
  readonly untold: ReadonlyArray<Done>
}

/**
 * One lease request; "late" where its results have to be told beside: one of them is malformed, or their season stays away,
 * which would keep the runner from the work of all others.
 */
export const ask = (client: Client, { late, running, session, untilAnswered }: State, { results, untold }: Telling, room: number) => {
  const wait_s = results.length > 0 || room <= 0 ? 0 : WAIT_S
  const holds = leasesOf(running, [...untold, ...late])
  const payload = { runner: session.runner, max: Math.max(0, room), wait_s, holds, results: results.map(leasedOf) }
  const tries_max = late.length > 0 ? 1 : AWAY_TRIES_MAX
  let tries = 0
  const isAway = (error: Unavailable): Effect.Effect<"late", Unavailable> =>
    results.length > 0 && ++tries >= tries_max ? Effect.as(tellAway(error.detail, results), "late") : Effect.fail(error)
  const leasing = Effect.catchTag(client.runner.lease({ payload }), "unavailable", isAway)
  return untilAnswered("lease", leasing, wait_s).pipe(
    Effect.catchTag(
      "invalid_request",
      ({ detail }): Effect.Effect<LeaseAnswer | "late"> =>
        results.length > 0
          ? Effect.as(Effect.logWarning("the service refused a result", { detail }), "late")
          : Effect.as(Effect.logWarning("the service refused to give work", { detail }), GIVEN_NOTHING)
    )
  )
}

const GIVEN_NOTHING: LeaseAnswer = { leases: [], results: [], drain: false }

const tellAway = (detail: string, results: ReadonlyArray<Done>) =>
  Effect.logWarning("results cannot be told for now, and are told beside other work", { results: results.length, detail })
