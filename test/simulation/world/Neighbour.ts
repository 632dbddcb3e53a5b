/**
 * A second season in the store of the first: the same people with the same entries, the same boards, runners
 * and keys, and a course of its own. State that seasons share by mistake is shared with this one.
 */
import { Effect } from "effect"
import { id } from "../../support/SeasonScript.ts"
import * as Chance from "./Chance.ts"
import type { Profile } from "./Profile.ts"
import { count, type Run } from "./Run.ts"
import * as Stage from "./Stage.ts"

/** Beyond the numbers of all the seasons of any seed. */
const FIRST_SEASON = 1_000_000
/** So many steps of the second season for one of the first. */
const SHARE = 0.6

export interface Neighbour {
  readonly profile: Profile
  readonly stage: Stage.Stage
  readonly run: Run
}

/** Numbers of its entries begin where those of the first do, so that their ids are the same. */
export const make = Effect.fnUntraced(function* (run: Run, profile: Profile) {
  const own: Run = { ...run, chance: Chance.make(run.seed * 104_729 + run.seasons), numbers: { ...run.numbers }, isNeighbour: true }
  const next: Profile = { ...profile, season: id("season", FIRST_SEASON + Number.parseInt(profile.season.slice(-8), 16)) }
  count(run.seen, "two seasons in one store")
  return { profile: next, stage: yield* Stage.make(own, next), run: own } satisfies Neighbour
})

/** Now and then a step of its own, for as long as it is open. */
export const step = Effect.fnUntraced(function* ({ run, stage }: Neighbour) {
  if (!run.chance.in(SHARE) || stage.auditor.rows().head.phase !== "open") return
  run.step++
  yield* Stage.trouble(stage)
  stage.faults.plan.clear() // bad luck that did not strike
})
