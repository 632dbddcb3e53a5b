/**
 * Answers the preflight of a closed season, which has no machine: from its rows, by the
 * same function that refuses submissions.
 */
import type { Holdings } from "@agon/domain/season/Command.ts"
import { type RefusalFact, refusals } from "@agon/domain/submission/Refusals.ts"
import { Clock, Effect } from "effect"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { makeQueries } from "./queries.ts"

export interface Asking {
  readonly owner: string
  readonly model: string | null
  readonly eligible: boolean
  readonly retired: boolean
}

export interface Hashes {
  readonly weights_hash: string
  readonly manifest_hash: string
}
const NO_HASHES = { weights_hash: null, manifest_hash: null }

export const makeClosedFacts = Effect.gen(function* () {
  const queries = yield* makeQueries

  return Effect.fnUntraced(function* ({ id, record }: FoundSeason, asking: Asking, hashes: Hashes | null) {
    const { eligible, model, owner, retired } = asking
    const { cooldown_s, max_models_per_owner, max_versions_per_model } = record.rules
    const now = yield* Clock.currentTimeMillis
    const held = yield* Effect.orDie(queries.closedFacts({ ...(hashes ?? NO_HASHES), season_id: id, owner_id: owner, model_id: model }))
    const until = held.last_submitted_at === null ? null : held.last_submitted_at.getTime() + cooldown_s * 1000
    const holdings: Holdings = {
      models: { held: held.models, cap: max_models_per_owner },
      versions: { held: held.versions, cap: max_versions_per_model },
      candidate: null, // the close of the season rejected every candidate in flight
      cooldown_until: until !== null && until > now ? until : null
    }
    const refused: ReadonlyArray<RefusalFact> = refusals({
      now,
      opens_at: Date.parse(record.submissions_open_at),
      closes_at: Date.parse(record.submissions_close_at),
      over: true,
      eligible,
      retired,
      models: { ...holdings.models, has_this: held.has_this },
      versions: holdings.versions,
      cooldown_until: holdings.cooldown_until,
      candidate: null,
      weights_elsewhere: false // nobody is told: whoever names weights hears first that the season is closed
    })
    return { holdings, refused, same: held.same === null ? null : { ...held.same, upload_until: null } }
  })
})
