/**
 * The consequences when a match was not played as reported: its runner is flagged, the match voided. Each consequence leaves
 * a row in the season's audit log, whose actor is the service itself: `runner.flag`, `match.void`, and `match.doubt` where
 * the match has to stay (the season is closed, its podium final). A voided match is failed at once; ratings without
 * it follow when the log has been folded again, beside the season ([Folding.ts](../actor/Folding.ts)).
 *
 * A flagged runner reads `draining`: it may finish its leases, whose results are checked like all others, and never gets
 * new ones. A key whose runners were flagged three times within a day is not trusted: its other runners are stopped
 * with the third, and sessions that it opens get no work until the day is over. An administrator can end that sooner by revoking
 * the key and making another. Nothing voids all matches that a key has played: a match is voided for what was found of it. Every replay is
 * checked by the rules, moves that no model made are found by audits alone, and timeouts are only told of (check/LoneTimeouts.ts).
 * A runner whose row is deleted by now (all but a key's newest are, once they are gone) gets one again when it is flagged: a key that opens
 * and closes sessions does not get rid of its flags.
 */
import { Context, DateTime, Effect, Layer, Metric, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { makeAuditLog, ownAudit } from "../audit/auditLog.ts"
import { fromZero } from "../metric/fromZero.ts"
import { Parking } from "../parking/Parking.ts"
import { makeQueries } from "./voidingQueries.ts"

export interface SuspectMatch {
  readonly season_id: string
  readonly match: string
  readonly detail: string
  readonly runners: ReadonlyArray<SuspectRunner>
}

/** The key under which it opened its session; null where an older node has not noted it. */
export interface SuspectRunner {
  readonly id: string
  readonly key: string | null
}

/** A gauge would not do: a flagged runner without leases is gone within seconds. */
const runnersFlagged = fromZero(
  Metric.counter("agon_runners_flagged_total", {
    description: "Runners that reported what the rules or another runner denied",
    incremental: true
  })
)

const idsOf = (runners: ReadonlyArray<SuspectRunner>) => runners.map(({ id }) => id)

type Failure = { readonly _tag: string }

/** As many matches are voided already as may wait for new ratings. */
export class NotVoidedYet extends Schema.TaggedError<NotVoidedYet>()("NotVoidedYet", { match: Schema.String }) {}

export class MatchVoiding extends Context.Service<
  MatchVoiding,
  {
    /** Fails where the season or the database is away: repeat it; repeating changes nothing already done. */
    readonly voidMatch: (suspect: SuspectMatch) => Effect.Effect<void, Failure>
    /** Flags the runner alone: the match stands. */
    readonly flag: (runner: SuspectRunner, suspect: Omit<SuspectMatch, "runners">) => Effect.Effect<void, Failure>
    /**
     * Whether the runner is not to blame for what models do in this match: it is one of the platform's, and a key of the season's own has
     * admitted one of the models, which need not be what a review would pass.
     */
    readonly excuses: (runner: SuspectRunner, of: Pick<SuspectMatch, "season_id" | "match">) => Effect.Effect<boolean, Failure>
  }
>()("agon/MatchVoiding") {
  static readonly layer: Layer.Layer<MatchVoiding, never, SqlClient.SqlClient | Parking | SeasonActors> = Layer.effect(
    MatchVoiding,
    Effect.suspend(() => makeMatchVoiding)
  )
}

const makeMatchVoiding = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const auditLog = yield* makeAuditLog
  const parking = yield* Parking
  const queries = yield* makeQueries

  const flag = Effect.fn("MatchVoiding.flag")(function* (
    { id: runner, key }: SuspectRunner,
    { detail, match, season_id }: Omit<SuspectMatch, "runners">
  ) {
    const now = yield* DateTime.nowAsDate
    const write = Effect.gen(function* () {
      yield* queries.holdKey({ runner, key })
      if (key !== null) yield* queries.recall({ runner, key, now })
      const [flagged] = yield* queries.flag({ runner, now })
      if (flagged !== undefined) yield* queries.stopKey({ key: flagged.key_id, now })
      return flagged
    })
    const flagged = yield* auditLog.logged(yield* queries.placeOf(season_id), write, (flagged) =>
      flagged?.fresh ? ownAudit("runner.flag", runner, { name: flagged.name, key: flagged.key_id, match, detail }) : undefined
    )
    parking.stop(runner)
    if (!flagged?.fresh) return
    yield* Metric.update(runnersFlagged, 1)
    yield* Effect.logWarning("a runner was flagged", { runner, match, detail })
  })

  const once = Effect.fnUntraced(function* ({ detail, match, runners, season_id }: SuspectMatch) {
    const audit = yield* ownAudit("match.void", match, { detail, runners: idsOf(runners) })
    const reply = yield* actors.ask(season_id, { _tag: "VoidMatch", match, detail, found: null, audit })
    return reply.voided ? ("voided" as const) : reply.reason
  })

  const leave = Effect.fnUntraced(function* ({ detail, match, runners, season_id }: SuspectMatch, why: string) {
    const place = yield* queries.placeOf(season_id)
    yield* auditLog.logged(place, Effect.void, () => ownAudit("match.doubt", match, { detail, runners: idsOf(runners), why }))
    yield* Effect.logError("a match was not voided", { match, detail, why })
  })

  return MatchVoiding.of({
    flag,
    excuses: ({ id: runner, key }, { match, season_id }) =>
      Effect.map(queries.excused({ season_id, match, runner, key }), ({ excused }) => excused),
    voidMatch: Effect.fn("MatchVoiding.voidMatch")(function* (suspect) {
      for (const runner of suspect.runners) yield* flag(runner, suspect)
      const outcome = yield* once(suspect).pipe(Effect.catchTag("SeasonClosed", () => Effect.succeed("closed" as const)))
      const { detail, match } = suspect
      if (outcome === "again") return yield* new NotVoidedYet({ match })
      if (outcome === "voided") return yield* Effect.logWarning("a match was voided", { match, detail })
      if (outcome === "already" || (yield* queries.isFailed(match)).length > 0) return // also in a season that is closed by now
      return yield* leave(suspect, outcome)
    })
  })
})
