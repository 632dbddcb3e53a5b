/** The verdict on a match that was played again, and on one that nobody could play again: who is flagged, and whether it is voided. */

import { Effect, Metric } from "effect"
import { makeAuditLog, ownAudit } from "../../audit/auditLog.ts"
import { MatchVoiding, type SuspectMatch, type SuspectRunner } from "../../match/MatchVoiding.ts"
import { byLabel } from "../../metric/byLabel.ts"
import { fromZero } from "../../metric/fromZero.ts"
import { makeQueries, type ReplayAuditRow } from "./replayAuditQueries.ts"

const NOBODY = "No runner of another key and of its runtime came for it, nor one of the service's own."
const givenUp = fromZero(
  Metric.counter("agon_audits_given_up_total", {
    description: "Matches set aside to be played again that nobody could play again, or no third one could decide",
    incremental: true
  })
)

type Verdict = "agreed" | "doubter_wrong" | "report_wrong" | "no_two_agree" | "nobody_came" | "undecided" | "voided" | "season_closed"
const VERDICTS: ReadonlyArray<Verdict> = [
  "agreed",
  "doubter_wrong",
  "report_wrong",
  "no_two_agree",
  "nobody_came",
  "undecided",
  "voided",
  "season_closed"
]
const settledBy = byLabel("agon_audits_settled_total", "verdict", "Matches that were played again, by what came of it", VERDICTS)

export const makeJudge = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const queries = yield* makeQueries
  const settle = (id: string, verdict: Verdict) => Effect.andThen(queries.settle(id, verdict), Metric.update(settledBy(verdict), 1))
  const voiding = yield* MatchVoiding
  const blamed = (of: Pick<SuspectMatch, "season_id" | "match">, runners: ReadonlyArray<SuspectRunner>) =>
    Effect.filter(runners, (runner) => Effect.map(voiding.excuses(runner, of), (excused) => !excused))
  const voidSuspect = Effect.fnUntraced(function* (
    { match_id: match, season_id }: ReplayAuditRow,
    detail: string,
    runners: ReadonlyArray<SuspectRunner>
  ) {
    return yield* voiding.voidMatch({ season_id, match, detail, runners: yield* blamed({ season_id, match }, runners) })
  })
  const playedBy = ({ played_by, played_by_key }: ReplayAuditRow) => (played_by === null ? [] : [{ id: played_by, key: played_by_key }])

  const hear = Effect.fnUntraced(function* (audit: ReplayAuditRow, runner: string, state_sha256: string) {
    const { doubter_id, doubter_key, doubter_sha256, id, match_id: match, season_id } = audit
    const borneOut = state_sha256 === audit.state_sha256
    if (doubter_id === null) return yield* borneOut ? settle(id, "agreed") : queries.mismatch(audit, runner, state_sha256)
    if (borneOut) {
      const doubter = { id: doubter_id, key: doubter_key }
      const detail = "It played the match again to another state than two others."
      for (const runner of yield* blamed({ season_id, match }, [doubter])) yield* voiding.flag(runner, { season_id, match, detail })
      return yield* settle(id, "doubter_wrong")
    }
    const agreed = state_sha256 === doubter_sha256
    yield* voidSuspect(audit, "Played again, it ended in another state twice.", playedBy(audit))
    return yield* settle(id, agreed ? "report_wrong" : "no_two_agree")
  })

  /**
   * Settles an audit for which no other runner came. None was asked to where the match is voided anyway, or its season is closed: then nobody
   * is at fault.
   */
  const giveUp = Effect.fnUntraced(function* (audit: ReplayAuditRow) {
    if (audit.voided) return yield* settle(audit.id, "voided")
    if (audit.closed) return yield* settle(audit.id, "season_closed")
    yield* Metric.update(givenUp, 1)
    if (audit.doubter_id === null) {
      const told = ownAudit("match.unaudited", audit.match_id, { why: NOBODY })
      const place = { game: audit.game, season_id: audit.season_id }
      yield* auditLog.logged(place, settle(audit.id, "nobody_came"), () => told)
      return yield* Effect.logWarning("a match was not played again", { match: audit.match_id, why: NOBODY })
    }
    const doubter = { id: audit.doubter_id, key: audit.doubter_key }
    yield* voidSuspect(audit, "Played again, it ended in another state.", [...playedBy(audit), doubter])
    return yield* settle(audit.id, "undecided")
  })
  return { hear, giveUp }
})
