/**
 * What follows when a match was not played as reported: its runner is flagged, the match voided. A flagged runner drains:
 * it may finish what it holds, which is looked at like everything else, and gets nothing new. A key whose runners were
 * flagged three times within a day opens no session that gets work until the day is over or an administrator acts.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { SeasonActors } from "../season/SeasonEntity.ts"

export interface Doubtful {
  readonly season_id: string
  readonly match: string
  readonly detail: string
  readonly runners: ReadonlyArray<string>
}

const AGAIN = Schedule.upTo(Schedule.spaced("200 millis"), { times: 50 })

export class MatchVoiding extends Context.Service<
  MatchVoiding,
  {
    /** Fails where the season or the database is away: to be repeated. */
    readonly voidMatch: (doubtful: Doubtful) => Effect.Effect<void, { readonly _tag: string }>
    readonly flag: (runner: string, why: string) => Effect.Effect<void, { readonly _tag: string }>
  }
>()("agon/MatchVoiding") {
  static readonly layer: Layer.Layer<MatchVoiding, never, SqlClient.SqlClient | SeasonActors> = Layer.effect(
    MatchVoiding,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const actors = yield* SeasonActors
      /** Locks one row by the primary key. */
      const flag = Effect.fn("MatchVoiding.flag")(function* (runner: string, why: string) {
        const now = new Date(yield* Clock.currentTimeMillis)
        yield* sql`UPDATE runner SET flagged_at = coalesce(flagged_at, ${now}), state = CASE state WHEN 'active' THEN 'draining' ELSE state END
          WHERE id = ${runner}`
        yield* Effect.logWarning("a runner was flagged", { runner, why })
      })
      const once = Effect.fnUntraced(function* ({ detail, match, season_id }: Doubtful) {
        const reply = yield* actors.ask(season_id, { _tag: "VoidMatch", match, detail, log: null })
        return reply.voided ? ("voided" as const) : reply.reason
      })
      return MatchVoiding.of({
        flag,
        voidMatch: Effect.fn("MatchVoiding.voidMatch")(function* (doubtful) {
          for (const runner of doubtful.runners) yield* flag(runner, doubtful.detail)
          const outcome = yield* once(doubtful).pipe(
            Effect.catchTag("SeasonClosed", () => Effect.succeed("closed" as const)),
            Effect.repeat({ schedule: AGAIN, while: (outcome) => outcome === "again" })
          )
          const { detail, match } = doubtful
          if (outcome === "voided") yield* Effect.logWarning("a match was voided", { match, detail })
          else if (outcome !== "already") yield* Effect.logError("a match was not voided", { match, detail, outcome })
        })
      })
    })
  )
}
