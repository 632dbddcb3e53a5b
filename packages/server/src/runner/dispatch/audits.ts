/** Matches that are played again: one is given with a lease request, and results of them are told. */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { toItsEnd } from "../../process/toItsEnd.ts"
import { NO_MATCH } from "../session/Holdings.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import type { Caller } from "../session/Runners.ts"
import { AUDITS, ReplayAudits } from "../work/ReplayAudits.ts"
import type { BySeason } from "./bySeason.ts"
import { tellAudits } from "./HeldLeases.ts"
import { SeasonCalls } from "./SeasonCalls.ts"
import type { Given } from "./Slots.ts"

/** One audit a request: they are few, and matches continue beside them. */
export const makeAudit = Effect.gen(function* () {
  const [calls, audits, known] = [yield* SeasonCalls, yield* ReplayAudits, yield* KnownRuntimes]
  const taken = Effect.fnUntraced(function* (caller: Caller, room: number, given: Given) {
    const { key, runner } = caller
    const works = known.has(runner.runtime_version) ? yield* audits.lease(caller, Math.min(1, room)) : []
    for (const { lease } of works) {
      calls.holdings.add({ lease, runner: runner.id, key: key.id, season: AUDITS, ...NO_MATCH })
      given.push(release(key, lease))
    }
    return works
  })
  const release = (key: KeyOfRunner, lease: string) => Effect.map(audits.release(key, lease), () => calls.holdings.drop(lease))
  /** As with matches, none stays with a runner that has ended its request. */
  return (caller: Caller, room: number, given: Given) =>
    toItsEnd(taken(caller, room, given), (works) => Effect.forEach(works, ({ lease }) => release(caller.key, lease))).pipe(
      Effect.map((works) => works.map(({ payload }) => payload))
    )
})

/** Before the request is given another audit, which would look as lost as those that it does not hold. */
export const makeTellOfAudits = Effect.gen(function* () {
  const [calls, audits] = [yield* SeasonCalls, yield* ReplayAudits]
  return Effect.fnUntraced(function* ({ key, runner }: Caller, about: BySeason) {
    const told = about.get(AUDITS)
    about.delete(AUDITS)
    if (told?.lost !== undefined) yield* audits.keepOnly(runner.id, told.lost.holds)
    return told === undefined ? [] : yield* tellAudits(calls, audits, key, told.results)
  })
})
