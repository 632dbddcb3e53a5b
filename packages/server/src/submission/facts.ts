/** The facts of a submission, as the season's machine knows them, and its refusals in words. */

import type { SignedIn } from "@agon/api/Authorization.ts"
import type { RefusalFact } from "@agon/domain/submission/Refusals.ts"
import { Effect } from "effect"
import { Providers } from "../account/signin/Providers.ts"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { type Asking, type Hashes, makeClosedFacts } from "./closedFacts.ts"
import { makeQueries } from "./queries.ts"
import { worded } from "./wording.ts"

export interface OwnModel {
  readonly id: string
  readonly name: string
  readonly retired: boolean
}

/** Owners whose announcements of the same weights do not keep a submission out (Command.ts of the season). */
interface StandingBack {
  readonly giving_way: ReadonlyArray<string>
  readonly beside: ReadonlyArray<string>
}
const NOBODY: StandingBack = { giving_way: [], beside: [] }

export const makeFacts = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const closed = yield* makeClosedFacts

  const providers = yield* Providers

  const eligibilityOf = (account: SignedIn, season: FoundSeason) =>
    Effect.orDie(queries.eligibility({ season_id: season.id, account_id: account.id }))

  const asking = (account: SignedIn, season: FoundSeason, model: OwnModel | null) =>
    Effect.map(eligibilityOf(account, season), ({ is_known, is_listed }): Asking => {
      const eligible = is_listed && is_known
      return { owner: account.id, model: model?.id ?? null, eligible, retired: model?.retired ?? false }
    })

  /** The refusal in words; why somebody may not enter is read once more, since the machine knows only that. */
  const refusalOf = (account: SignedIn, season: FoundSeason, fact: RefusalFact) =>
    fact.code !== "not_eligible"
      ? Effect.succeed(worded(fact, season.record.slug))
      : Effect.map(eligibilityOf(account, season), ({ is_known, is_listed, providers: named }) => {
          const wanted = is_known ? [] : named.map((slug) => providers.bySlug(slug)?.label ?? slug)
          return worded(fact, season.record.slug, { is_listed, wanted })
        })

  const factsOf = (season: FoundSeason, asks: Asking, hashes: Hashes | null, back: StandingBack = NOBODY) => {
    const fromRows = closed(season, asks, hashes)
    if (season.record.closed_at !== null) return fromRows // asking for its actor would only wake it to say so
    return askedByPerson(actors, season.id, { _tag: "Preflight", ...asks, hashes, ...back }).pipe(
      Effect.catchTag("season_closed", () => fromRows)
    )
  }

  /**
   * Announcements that would stand back are read only where one has the same weights: the
   * statement costs more than the answer.
   */
  const factsOfEntry = Effect.fnUntraced(function* (season: FoundSeason, asks: Asking, hashes: Hashes) {
    const facts = yield* factsOf(season, asks, hashes)
    if (facts.refused[0]?.code !== "weights_already_entered") return { ...facts, back: NOBODY }
    const rows = yield* queries
      .standingBack({ season_id: season.id, owner_id: asks.owner, weights_hash: hashes.weights_hash })
      .pipe(Effect.orDie)
    const ownersWhere = (gives: boolean) => rows.filter(({ gives_way }) => gives_way === gives).map(({ id }) => id)
    const back = { giving_way: ownersWhere(true), beside: ownersWhere(false) }
    return rows.length === 0 ? { ...facts, back } : { ...(yield* factsOf(season, asks, hashes, back)), back }
  })

  return { asking, factsOf, factsOfEntry, refusalOf }
})
