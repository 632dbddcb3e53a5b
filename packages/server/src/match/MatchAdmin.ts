/** A season's administrators act on matches by commands to its machine, which logs them in the same commit. */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { MatchNotFinished, type VoidedMatch } from "@agon/api/match/admin.ts"
import { Unavailable } from "@agon/api/Problem.ts"
import type { SeasonClosed } from "@agon/api/version/refusals.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { auditOf } from "../audit/auditLog.ts"
import { makeQueries } from "./adminQueries.ts"

export class MatchAdmin extends Context.Service<
  MatchAdmin,
  {
    /** For a match of the season. Nothing changes where it is voided already. */
    readonly voidMatch: (
      account: SignedIn,
      season: SeasonInPath,
      match: string,
      reason: string
    ) => Effect.Effect<VoidedMatch, SeasonClosed | MatchNotFinished | Unavailable>
  }
>()("agon/MatchAdmin") {
  static readonly layer: Layer.Layer<MatchAdmin, never, SeasonActors | SqlClient.SqlClient> = Layer.effect(
    MatchAdmin,
    Effect.suspend(() => makeMatchAdmin)
  )
}

const makeMatchAdmin = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const queries = yield* makeQueries

  return MatchAdmin.of({
    voidMatch: Effect.fn("MatchAdmin.voidMatch")(function* (account, season, match, reason) {
      const audit = yield* auditOf(account, "match.void", match, { reason })
      const reply = yield* askedByPerson(actors, season.id, { _tag: "VoidMatch", match, detail: reason, found: null, audit })
      if (!reply.voided && reply.reason === "again")
        return yield* new Unavailable({ detail: "As many voided matches as may wait already wait for new ratings; try again in a second." })
      // The machine takes every failed match for voided; the row knows why it failed.
      const voided = yield* Effect.orDie(queries.voided({ id: match, season_id: season.id }))
      if (Option.isNone(voided)) return yield* new MatchNotFinished({ detail: "Only a match that was played to its end can be voided." })
      return { match, state: voided.value.waiting ? ("voiding" as const) : ("voided" as const) }
    })
  })
})
