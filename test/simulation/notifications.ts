/** Notifications of owners against the events in the rows: each thing once, whatever befell the actor meanwhile.
 * An entry may be suspended, disqualified and reinstated several times. */
import type { PgClient } from "@effect/sql-pg/PgClient"

/**
 * Where one was told too often, or not at all: `n` times in place of one. Names of what happened are those of the kinds.
 * A version that failed in matches voided since is told its other reason too.
 */
const WRONG = `
  WITH happened AS (
      SELECT owner_id, id, unnest(ARRAY[CASE WHEN class IS NOT NULL THEN 'admitted' END, CASE WHEN EXISTS (SELECT 1 FROM rating r WHERE r.version_id = id) THEN 'entered' END,
        CASE WHEN status IN ('rejected', 'superseded') THEN status END]) AS what FROM version WHERE owner_id IS NOT NULL),
    due AS (
      SELECT owner_id AS account_id, 'version_' || what AS kind, '/v1/me/versions/' || id AS link FROM happened WHERE what IS NOT NULL
      UNION SELECT v.owner_id, 'season_closed', '/v1/games/' || s.game || '/seasons/' || s.slug || '/podium' FROM season s JOIN version v ON v.season_id = s.id
        WHERE s.closed_at IS NOT NULL AND v.owner_id IS NOT NULL),
    told AS (SELECT account_id, kind, link, count(*)::int AS n, count(DISTINCT subject)::int AS subjects FROM notification
      WHERE kind NOT IN ('version_suspended', 'version_disqualified', 'version_reinstated') GROUP BY account_id, kind, link)
  SELECT kind, link, coalesce(n, 0) AS n FROM due FULL JOIN told USING (account_id, kind, link)
  WHERE (due.link IS NULL OR n IS DISTINCT FROM 1) AND NOT (n = 2 AND subjects = 2 AND EXISTS (SELECT 1 FROM version v
    WHERE kind = 'version_rejected' AND link = '/v1/me/versions/' || v.id AND v.status = 'rejected' AND v.reject_reason = 'admission_unavailable'))`

export const wrongNotifications = (sql: PgClient) => sql.unsafe<{ readonly kind: string; readonly link: string; readonly n: number }>(WRONG)
