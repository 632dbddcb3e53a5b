/**
 * A season may learn the deviation that its ratings start with (domain/season/rating/Starts.ts): a row that is read as reset has that
 * of its ladder, which is the last in the season's head.
 */
export default `
CREATE OR REPLACE VIEW standing AS
SELECT r.season_id, r.ladder, r.version_id, r.active, r.matches,
  CASE WHEN o.old THEN 0 ELSE r.round_matches END AS round_matches,
  CASE WHEN o.old THEN 0 ELSE r.mu END AS mu,
  CASE WHEN o.old THEN coalesce(
      (s.sigmas->>(array_position(ARRAY['nano', 'micro', 'mini', 'small', 'large', 'open'], r.ladder::text) - 1))::float8, 200)
    ELSE r.sigma END AS sigma,
  CASE WHEN o.old THEN NULL ELSE r.trend END AS trend,
  CASE WHEN o.old THEN (SELECT h[greatest(1, cardinality(h) - 11):] FROM (
      SELECT r.history || array_fill(0::float8, ARRAY[count(*)::int]) AS h FROM round d
      WHERE d.season_id = r.season_id AND d.n > r.round AND d.n <= s.round AND d.started_at IS NOT NULL) x)
    ELSE r.history END AS history
FROM rating r JOIN (SELECT id, (head->>'round')::int AS round, head->'starts'->-1->'sigmas' AS sigmas FROM season) s ON s.id = r.season_id
  CROSS JOIN LATERAL (SELECT r.active AND r.round < s.round AS old) o
`
