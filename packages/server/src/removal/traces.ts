/**
 * Traces of a season outside its own rows: counts of views, and links in what people were
 * told. Both are found by what they name, which is no longer there, so that a removal that was
 * killed is finished by the next.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { FoundSeason } from "./season.ts"

/** Rows of one page of notifications. */
const PAGE = 2_000
const UUID = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"

export const makeTraces = (sql: SqlClient.SqlClient, { game, slug }: FoundSeason) => ({
  days: sql<{ readonly day: string }>`SELECT DISTINCT day::text AS day FROM view_count ORDER BY 1`,

  /**
   * Views of the season, and of matches and baselines that are gone: at most some ten thousand rows
   * of a day, by view_count_pkey.
   */
  forgetViews: (day: string) => sql`
    DELETE FROM view_count c WHERE c.day = ${day}::date AND (
      c.kind = 'season' AND c.game = ${game} AND c.id = ${slug}
      OR c.kind = 'match' AND NOT EXISTS (SELECT 1 FROM match m WHERE m.id = CASE c.kind WHEN 'match' THEN c.id::uuid END)
      OR c.kind = 'model' AND NOT EXISTS (SELECT 1 FROM model m WHERE m.id = CASE c.kind WHEN 'model' THEN c.id::uuid END))`,

  /**
   * The page after `after`, by notification_pkey: a link to the season, or to a version, match or model
   * that is gone, is taken away.
   */
  unlink: (after: string) =>
    Effect.map(
      sql<{ readonly last: string | null }>`
        WITH page AS (SELECT id, link FROM notification WHERE id > ${after}::uuid ORDER BY id LIMIT ${PAGE}),
          named AS (SELECT p.id, p.link, substring(p.link FROM ${`/versions/${UUID}$`})::uuid AS version,
            substring(p.link FROM ${`[?]match=${UUID}$`})::uuid AS match, substring(p.link FROM ${`[?]model=${UUID}$`})::uuid AS model
            FROM page p WHERE p.link IS NOT NULL),
          cut AS (UPDATE notification n SET link = NULL FROM named d WHERE n.id = d.id AND (
            strpos(d.link || '/', ${`/games/${game}/seasons/${slug}/`}) > 0
            OR d.version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM version v WHERE v.id = d.version)
            OR d.match IS NOT NULL AND NOT EXISTS (SELECT 1 FROM match m WHERE m.id = d.match)
            OR d.model IS NOT NULL AND NOT EXISTS (SELECT 1 FROM model m WHERE m.id = d.model)))
        SELECT (SELECT id::text FROM page ORDER BY id DESC LIMIT 1) AS last`,
      ([row]) => row?.last ?? undefined
    )
})
