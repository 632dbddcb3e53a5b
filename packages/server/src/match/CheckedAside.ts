/**
 * Matches that could not be looked at, set aside so that those after them can be: tried again with every look until it
 * works or their time is over. What is here is this node's memory; the season's row of progress stays before the first of
 * them, so whoever takes the season over begins there.
 */
import { Cause, Clock, Context, Effect } from "effect"
import { makeAudits, ownAudit } from "../audit/audits.ts"
import { storableText } from "../database/storable.ts"
import { type Checkable, makeQueries } from "./checkQueries.ts"

/** For so long the same match is tried again. */
export const Patience = Context.Reference<number>("agon/match/Patience_ms", { defaultValue: () => 600_000 })

/** Set aside at once in a season; with so many the season waits for them. */
const ASIDE_MAX = 32
/** Tried again in one look: each may wait for the store until its time is over. */
const AGAIN_MAX = 4
const CAUSE_MAX = 500

type Place = Pick<Checkable, "ended_at" | "id">

interface Season {
  readonly waiting: Map<string, { readonly match: Checkable; readonly since: number }>
  /** The last match that was looked at or set aside. */
  last: Place | undefined
}

/** Nobody looks at the match any more, and everybody can read why. */
export const makePassOver = Effect.map(
  makeAudits,
  (audits) => (season_id: string, match: Checkable, said: string) =>
    Effect.gen(function* () {
      const why = storableText(said, CAUSE_MAX)
      yield* Effect.logError("a match was never looked at", { match: match.id, why })
      const told = ownAudit("match.unchecked", match.id, { why })
      yield* Effect.ignoreCause(audits.logged({ game: match.game, season_id }, Effect.void, () => told))
    })
)

/** `one` looks at a match, and fails where it is to be tried again. */
export const makeAside = Effect.fnUntraced(function* <E>(one: (season_id: string, match: Checkable) => Effect.Effect<void, E>) {
  const passOver = yield* makePassOver
  const queries = yield* makeQueries
  const patience_ms = yield* Patience
  const seasons = new Map<string, Season>()

  const of = (season_id: string): Season => {
    const known = seasons.get(season_id)
    if (known !== undefined) return known
    const made: Season = { waiting: new Map(), last: undefined }
    seasons.set(season_id, made)
    return made
  }

  /** False where it failed and is to be tried again. */
  const look = Effect.fnUntraced(function* (season_id: string, match: Checkable) {
    const { waiting } = of(season_id)
    const exit = yield* Effect.exit(one(season_id, match))
    if (exit._tag === "Success") return !waiting.delete(match.id) || true
    const now = yield* Clock.currentTimeMillis
    const since = waiting.get(match.id)?.since ?? now
    if (now - since < patience_ms) {
      yield* Effect.logWarning("a match could not be looked at", { match: match.id }, exit.cause)
      waiting.set(match.id, { match, since })
      return false
    }
    waiting.delete(match.id)
    yield* passOver(season_id, match, Cause.pretty(exit.cause))
    return true
  })

  /** Those that were set aside first. `failed` stands for as many as a look allows where no more may be set aside. */
  const again = Effect.fnUntraced(function* (season_id: string) {
    let failed = 0
    for (const { match } of [...of(season_id).waiting.values()].slice(0, AGAIN_MAX)) {
      if (!(yield* look(season_id, match))) failed++
    }
    return { failed: of(season_id).waiting.size < ASIDE_MAX ? failed : Infinity }
  })

  /** Writes how far the season has been looked at, unless one is set aside. */
  const noted = Effect.fnUntraced(function* (season_id: string, last: Place | undefined) {
    const season = of(season_id)
    if (last !== undefined) season.last = { ended_at: last.ended_at, id: last.id }
    if (season.waiting.size > 0) return
    if (season.last !== undefined) yield* Effect.ignore(queries.checked(season.last, season_id))
    seasons.delete(season_id)
  })

  return {
    again,
    look,
    noted,
    last: (season_id: string) => seasons.get(season_id)?.last,
    isEmpty: (season_id: string) => (seasons.get(season_id)?.waiting.size ?? 0) === 0
  }
})
