/** Reading ladders: the entries in contention, best first, ties by version id. */

import type { Entry, Leaderboard, Matrix, Series } from "@agon/api/leaderboard/api.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import type { Ladder } from "@agon/api/Wire.ts"
import type { Field } from "@agon/domain/rating/RankField.ts"
import { rankInterval } from "@agon/domain/rating/RankInterval.ts"
import { isProvisional } from "@agon/domain/rating/Rating.ts"
import { Context, DateTime, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { VERSIONS_OF_MODEL_MAX } from "../model/Models.ts"
import { RivalTallies } from "../model/RivalTallies.ts"
import { shown, twoDecimals } from "../rating/shown.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { makeFields } from "./fields.ts"
import { againstEachOther } from "./matrix.ts"
import { makeQueries, type StandingRow } from "./queries.ts"
import { pointsBetween, seriesOf } from "./series.ts"

/** A page of a ladder, or of its entries whose model's name or owner's username begins with `name`. */
export interface Asked extends PageOf {
  readonly name?: string
}

export class Leaderboards extends Context.Service<
  Leaderboards,
  {
    readonly page: (season: FoundSeason, ladder: Ladder, asked: Asked) => Effect.Effect<Leaderboard>
    readonly series: (season: FoundSeason, ladder: Ladder) => Effect.Effect<Series>
    readonly matrix: (season: FoundSeason, ladder: Ladder, limit: number) => Effect.Effect<Matrix>
  }
>()("agon/Leaderboards") {
  static readonly layer: Layer.Layer<Leaderboards, never, SqlClient.SqlClient> = Layer.effect(
    Leaderboards,
    Effect.suspend(() => makeLeaderboards)
  ).pipe(Layer.provide(RivalTallies.layer))
}

/** The contract's number (docs/contract.md#leaderboards). */
const SERIES_ENTRIES = 50

const makeLeaderboards = Effect.gen(function* () {
  const queries = yield* makeQueries
  const fields = yield* makeFields(queries)
  const rivals = yield* RivalTallies

  /** The rows of a page with their ranks; `total` is undefined where it is that of the ladder. */
  const rowsOf = Effect.fnUntraced(function* (
    of: { readonly season_id: string; readonly ladder: Ladder },
    { cursor, limit, name = "" }: Asked
  ) {
    const start = name.trim()
    if (start === "") {
      const rows = yield* queries.page({ ...of, limit, offset: cursor })
      return { rows: rows.map((row, i) => [row, cursor + i + 1] as const), total: undefined }
    }
    // The database cannot store this character, so nothing has such a name.
    if (start.includes("\0")) return { rows: [], total: 0 }
    const found = yield* queries.named({ ...of, start, limit, offset: cursor })
    return { rows: found.flatMap(({ entry }) => (entry === null ? [] : [[entry, entry.rank] as const])), total: found[0]!.total }
  })

  const page = Effect.fn("Leaderboards.page")(function* ({ id, record }: FoundSeason, ladder: Ladder, asked: Asked) {
    const { rows, total: found } = yield* rowsOf({ season_id: id, ladder }, asked)
    const entries = ladder === "open" ? record.active_versions : (yield* queries.total({ season_id: id, ladder })).total
    const total = found ?? entries
    const { round } = record
    const field = rows.length === 0 ? null : yield* fields({ season_id: id, ladder, round: round?.n ?? 0 }, entries)
    return {
      season: record.slug,
      season_name: record.name,
      closed: record.state === "closed",
      round: round === null ? null : { n: round.n, kind: round.kind, games: round.games },
      total,
      entries: field === null ? [] : rows.map(([row, rank]) => publish(row, rank, record, field)),
      next_cursor: nextCursor(asked.cursor, rows.length, total)
    }
  }, Effect.orDie)

  const series = Effect.fn("Leaderboards.series")(function* ({ id, record }: FoundSeason, ladder: Ladder) {
    const end = record.closed_at ?? (yield* DateTime.nowAsDate).toISOString()
    const points = pointsBetween(record.submissions_open_at, end)
    const best = yield* queries.best({ season_id: id, ladder, limit: SERIES_ENTRIES })
    const stood = best.length === 0 ? [] : yield* queries.stood({ season_id: id, ladder, points, limit: SERIES_ENTRIES })
    return { season: record.slug, ladder, points, entries: seriesOf(points, best, stood) }
  }, Effect.orDie)

  const matrix = Effect.fn("Leaderboards.matrix")(function* ({ id, record }: FoundSeason, ladder: Ladder, limit: number) {
    const best = yield* queries.best({ season_id: id, ladder, limit })
    const models = best.map(({ model_id }) => model_id)
    const versions = yield* queries.versionsOf({ season_id: id, models, limit: VERSIONS_OF_MODEL_MAX })
    const counted = yield* rivals.of(
      versions.map(({ id }) => id),
      new Set(models)
    )
    return { season: record.slug, season_name: record.name, ladder, entries: againstEachOther(best, versions, counted) }
  }, Effect.orDie)

  return Leaderboards.of({ page, series, matrix })
})

/** With the keys in the order of the schema, in which they are written fastest (http/json/jsonWriters.ts). */
const publish = (row: StandingRow, rank: number, { round, rules }: FoundSeason["record"], field: Field): Entry => {
  const { high, low } = rankInterval(field, row)
  return {
    rank,
    rank_low: low,
    rank_high: high,
    version_id: row.version_id,
    model_id: row.model_id,
    model: row.model,
    owner: row.owner,
    version: row.version,
    class: row.class,
    size_bytes: row.size_bytes,
    rating: shown(row.mu),
    deviation: twoDecimals(row.sigma),
    provisional: isProvisional(row, row.round_matches, rules.provisional_matches),
    matches: row.matches,
    round_matches: round === null ? null : row.round_matches,
    baseline: row.baseline,
    trend: row.trend === null ? null : twoDecimals(row.trend),
    history: row.history.map(shown)
  }
}
