/**
 * The matches of each season whose check failed. They are set aside, so that later ones are checked, and retried with every look until one
 * succeeds or its time is over. The list is in this node's memory; the season's row of progress stays before the first of
 * them, so a node that takes the season over begins there.
 */

import { seldom } from "@agon/api/program/seldom.ts"
import { Cause, Clock, Context, Effect } from "effect"
import { makeAuditLog } from "../../audit/auditLog.ts"
import { storableText } from "../../database/storable.ts"
import { ObjectsUnavailable } from "../../object/ObjectStore.ts"
import { type Checkable, makeQueries, type Place } from "./checkQueries.ts"

/** How long the same match is retried. */
export const RetriedFor = Context.Reference<number>("agon/match/RetriedFor_ms", { defaultValue: () => 600_000 })

/** Matches of a season that may be set aside at once; beyond that the season waits. */
const ASIDE_MAX = 32
/** Matches retried in one look: each may wait for the store until its time is over. */
const AGAIN_MAX = 4
const CAUSE_MAX = 500

interface Season {
  readonly waiting: Map<string, { readonly match: Checkable; readonly since: number }>
  /** The last match that was checked or set aside. */
  last: Place | undefined
}

/** Gives up on a match, and writes the reason to the audit log. */
export const makePassOver = Effect.map(
  makeAuditLog,
  (auditLog) => (season_id: string, match: Checkable, said: string) =>
    Effect.gen(function* () {
      const why = storableText(said, CAUSE_MAX)
      yield* Effect.logError("a match was never looked at", { match: match.id, why })
      yield* auditLog.noted({ game: match.game, season_id }, "match.unchecked", match.id, { why })
    })
)

/** The store's fault has fields and no message. */
const whyOf = (cause: Cause.Cause<unknown>): string => {
  const fault = Cause.squash(cause)
  return fault instanceof ObjectsUnavailable ? `Its stored replay could not be read: ${fault.detail}.` : Cause.pretty(cause)
}

/** `check` fails where a match is to be retried. */
export const makeCheckRetries = Effect.fnUntraced(function* <E>(check: (season_id: string, match: Checkable) => Effect.Effect<void, E>) {
  const passOver = yield* makePassOver
  const queries = yield* makeQueries
  const retried_for_ms = yield* RetriedFor
  const unlooked = seldom("a match could not be looked at")
  const seasons = new Map<string, Season>()

  const of = (season_id: string): Season => {
    const known = seasons.get(season_id)
    if (known !== undefined) return known
    const made: Season = { waiting: new Map(), last: undefined }
    seasons.set(season_id, made)
    return made
  }

  /** Checks a match; false where that failed and is to be retried. */
  const checked = Effect.fnUntraced(function* (season_id: string, match: Checkable) {
    const { waiting } = of(season_id)
    const exit = yield* Effect.exit(check(season_id, match))
    if (exit._tag === "Success") {
      waiting.delete(match.id)
      return true
    }
    const now = yield* Clock.currentTimeMillis
    const since = waiting.get(match.id)?.since ?? now
    if (now - since < retried_for_ms) {
      yield* unlooked({ reason: season_id, fields: { match: match.id }, cause: exit.cause })
      waiting.set(match.id, { match, since })
      return false
    }
    waiting.delete(match.id)
    yield* passOver(season_id, match, whyOf(exit.cause))
    return true
  })

  /** Retries the first matches set aside. `failed` is Infinity where no more may be set aside, which ends the look. */
  const retry = Effect.fnUntraced(function* (season_id: string) {
    let failed = 0
    for (const { match } of [...of(season_id).waiting.values()].slice(0, AGAIN_MAX)) {
      if (!(yield* checked(season_id, match))) failed++
    }
    return { failed: of(season_id).waiting.size < ASIDE_MAX ? failed : Infinity }
  })

  /** Records how far the season has been checked, unless a match is set aside. Where it cannot, the same matches are checked again. */
  const recordProgress = Effect.fnUntraced(function* (season_id: string, last: Place | undefined) {
    const season = of(season_id)
    if (last !== undefined) season.last = { ended_at: last.ended_at, id: last.id }
    if (season.waiting.size > 0) return
    if (season.last !== undefined) yield* Effect.ignore(queries.checked(season.last, season_id))
    seasons.delete(season_id)
  })

  return {
    retry,
    checked,
    recordProgress,
    last: (season_id: string) => seasons.get(season_id)?.last,
    isEmpty: (season_id: string) => (seasons.get(season_id)?.waiting.size ?? 0) === 0
  }
})
