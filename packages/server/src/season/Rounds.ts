/** Rounds of a season: its actor plans, moves and withdraws them; the rows are read here (roundQueries.ts). */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { type InvalidRequest, invalidField, NotFound, type Unavailable } from "@agon/api/Problem.ts"
import { type PatchRound, type PlanRound, type Round, type Rounds as RoundPage, RoundStarted } from "@agon/api/season/rounds.ts"
import { SeasonClosed } from "@agon/api/version/refusals.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { auditOf } from "../audit/auditLog.ts"
import { makeQueries } from "./roundQueries.ts"

export class Rounds extends Context.Service<
  Rounds,
  {
    readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<RoundPage>
    readonly plan: (
      account: SignedIn,
      season: SeasonInPath,
      plan: PlanRound
    ) => Effect.Effect<Round, InvalidRequest | SeasonClosed | Unavailable>
    readonly patch: (
      account: SignedIn,
      season: SeasonInPath,
      n: number,
      patch: PatchRound
    ) => Effect.Effect<Round, InvalidRequest | NotFound | RoundStarted | SeasonClosed | Unavailable>
  }
>()("agon/Rounds") {
  static readonly layer: Layer.Layer<Rounds, never, SqlClient.SqlClient | SeasonActors> = Layer.effect(
    Rounds,
    Effect.suspend(() => makeRounds)
  )
}

const makeRounds = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const queries = yield* makeQueries

  const row = (season: SeasonInPath, n: number) => Effect.orDie(queries.round({ season_id: season.id, n }))

  /** The machine refuses a start in a closing season like one in the past; the caller gets different refusals. */
  const refusal = Effect.fnUntraced(function* (season: SeasonInPath, detail: string, path: "starts_at" | "") {
    const { closing } = yield* Effect.orDie(queries.counted(season.id))
    if (closing) return yield* new SeasonClosed({ detail: "The season is closing." })
    return yield* invalidField(path, detail)
  })

  return Rounds.of({
    list: Effect.fn("Rounds.list")(function* ({ id }, { cursor, limit }) {
      const rounds = yield* queries.rounds({ season_id: id, limit, offset: cursor })
      const { total } = yield* queries.counted(id)
      return { rounds, total, next_cursor: nextCursor(cursor, rounds.length, total) }
    }, Effect.orDie),

    plan: Effect.fn("Rounds.plan")(function* (account, season, { games, kind, starts_at }) {
      const audit = yield* auditOf(account, "round.plan", kind, { games, starts_at })
      const command = { _tag: "PlanRound", kind, games, starts_at: Date.parse(starts_at), audit } as const
      const reply = yield* askedByPerson(actors, season.id, command)
      return yield* "refused" in reply ? refusal(season, reply.detail, "starts_at") : row(season, reply.n)
    }),

    patch: Effect.fn("Rounds.patch")(function* (account, season, n, patch) {
      const audit = yield* auditOf(account, "round.patch", String(n), patch)
      const { starts_at, ...others } = patch
      const starts = starts_at === undefined ? {} : { starts_at: Date.parse(starts_at) }
      const reply = yield* askedByPerson(actors, season.id, { _tag: "PatchRound", n, ...others, ...starts, audit })
      if (!("refused" in reply)) return yield* row(season, n)
      const { detail, refused } = reply
      if (refused === "not_found") return yield* new NotFound({ detail })
      if (refused === "round_started") return yield* new RoundStarted({ detail })
      // Without a start, what is refused is the round itself: it was withdrawn.
      return yield* refusal(season, detail, starts_at === undefined ? "" : "starts_at")
    })
  })
})
