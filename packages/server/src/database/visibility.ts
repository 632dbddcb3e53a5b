/**
 * Which rows somebody outside may see, as conditions of SQL. Every statement that answers a
 * visitor takes them from here.
 *
 *   season    a public one: everybody; a private one: its participants, its administrators and those of the platform
 *   version   one that has entered, in a season that the viewer may see
 *   match     one that counts, in a season that the viewer may see
 *   model     an owner's: everybody; a baseline: whoever may see its season
 *   thread    whoever may see the match or model that it is about
 *
 * A condition names the alias of its row.
 */

import type { SqlClient, Statement } from "effect/sql"
import { NIL } from "./rows.ts"

type Sql = SqlClient.SqlClient
/** Whose permissions a read has: an account's id, or null for the public. */
export type Viewer = string | null

/** A season that everybody may see. */
export const publicOnly = (season = "s"): string => `${season}.visibility = 'public'`

/** The prefix of the public links into the season `s`. */
export const publicPrefix = "CASE s.visibility WHEN 'private' THEN '/v1/private' ELSE '/v1' END"

/** Who may enter the season `s`: a private one is for its participants. */
export const entry = "CASE s.visibility WHEN 'private' THEN 'restricted' ELSE s.entry END"

/** A version of a status that everybody may read, where they may see its season. */
export const published = (version = "v"): string => `${version}.status IN ('entered', 'superseded', 'disabled', 'disqualified')`

/** A match that counts. Others are seen by the owners of their seats alone. */
export const counts = (match = "m"): string => `${match}.status = 'rated'`

/**
 * Whether an account may see the private season of this id. Indexes: account_pkey, season_admin_pkey,
 * identity_account and then participant_login: in this order whatever the planner believes (OFFSET 0), since
 * a roster that is looked at first takes other steps where it has nobody.
 */
const seesPrivate = (sql: Sql, viewer: string, season_id: Statement.Fragment): Statement.Fragment => sql`(
  EXISTS (SELECT 1 FROM account w WHERE w.id = ${viewer} AND w.admin)
  OR EXISTS (SELECT 1 FROM season_admin w WHERE w.season_id = ${season_id} AND w.account_id = ${viewer})
  OR EXISTS (SELECT 1 FROM identity i CROSS JOIN LATERAL (SELECT 1 FROM participant p WHERE p.season_id = ${season_id}
    AND p.provider = i.provider AND lower(p.login) = lower(i.login) OFFSET 0) p WHERE i.account_id = ${viewer}))`

/** Whether a viewer may see the season `s`. */
export const sees = (sql: Sql, viewer: Viewer): Statement.Fragment =>
  viewer === null ? sql.literal(publicOnly()) : sql`(${sql.literal(publicOnly())} OR ${seesPrivate(sql, viewer, sql`s.id`)})`

/**
 * The season `s` of a slug as a viewer finds it: the text after FROM. Slugs can be guessed, so the viewer's
 * permission is checked before the season's existence is known, against an id that no season has where there
 * is none: the answer takes as long either way. Indexes: season_slug, those of `seesPrivate`, season_pkey.
 */
export const seenBySlug = (sql: Sql, game: string, slug: string, viewer: Viewer): Statement.Fragment =>
  viewer === null
    ? sql`season s WHERE s.game = ${game} AND s.slug = ${slug} AND ${sql.literal(publicOnly())}`
    : sql`(SELECT t.id, ${seesPrivate(sql, viewer, sql`t.id`)} AS seen FROM (
          SELECT coalesce((SELECT n.id FROM season n WHERE n.game = ${game} AND n.slug = ${slug}), ${NIL}) AS id OFFSET 0) t OFFSET 0) asked
        JOIN season s ON s.id = asked.id WHERE (${sql.literal(publicOnly())} OR asked.seen)`

/** Whether a viewer may see the version `v` of the season `s`. */
export const seesVersion = (sql: Sql, viewer: Viewer): Statement.Fragment => sql`(${sql.literal(published())} AND ${sees(sql, viewer)})`

/** Whether a viewer may see the match `m` of the season `s`. */
export const seesMatch = (sql: Sql, viewer: Viewer): Statement.Fragment => sql`(${sql.literal(counts())} AND ${sees(sql, viewer)})`

/** Whether a viewer may see the model `m`, where `s` is the season of a baseline, and no row for an owner's model. */
export const seesModel = (sql: Sql, viewer: Viewer): Statement.Fragment => sql`(m.baseline_season IS NULL OR ${sees(sql, viewer)})`

/** Whether a viewer may see the season of the thread `t`, by the indexes of `seesPrivate`; a model's thread has none. */
export const seesSeasonOfThread = (sql: Sql, viewer: Viewer): Statement.Fragment =>
  sql`(t.season_id IS NULL OR EXISTS (SELECT 1 FROM season s WHERE s.id = t.season_id AND ${sees(sql, viewer)}))`

/** Whether a viewer may see the subject of the thread `t`: the season, and for a match that it counts, by match_pkey. */
export const seesThread = (sql: Sql, viewer: Viewer): Statement.Fragment => sql`(${seesSeasonOfThread(sql, viewer)}
  AND (t.match_id IS NULL OR EXISTS (SELECT 1 FROM match m WHERE m.id = t.match_id AND ${sql.literal(counts())})))`
