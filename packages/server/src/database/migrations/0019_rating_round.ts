/**
 * A round begins without writing every rating: a row says of which round it is, and one in play that is of an earlier round is read as
 * reset (domain/season/rating/Resets.ts): the view `standing` does so, whose numbers are those of the seed.
 */
export default `
-- machine: the last round whose reset the row has seen
ALTER TABLE rating ADD COLUMN round int NOT NULL DEFAULT 0;
UPDATE rating r SET round = (s.head->>'round')::int FROM season s WHERE s.id = r.season_id AND (s.head->>'round')::int > 0;

-- machine: no rating in play has a row of an earlier round than this; while it is less than the head's, ladders are sorted as they are read
ALTER TABLE season ADD COLUMN ratings_round int NOT NULL DEFAULT 0;
UPDATE season SET ratings_round = (head->>'round')::int WHERE (head->>'round')::int > 0;

-- ratings as they are to be read
CREATE VIEW standing AS
SELECT r.season_id, r.ladder, r.version_id, r.active, r.matches,
  CASE WHEN o.old THEN 0 ELSE r.round_matches END AS round_matches,
  CASE WHEN o.old THEN 0 ELSE r.mu END AS mu,
  CASE WHEN o.old THEN 200 ELSE r.sigma END AS sigma,
  CASE WHEN o.old THEN NULL ELSE r.trend END AS trend,
  CASE WHEN o.old THEN (SELECT h[greatest(1, cardinality(h) - 11):] FROM (
      SELECT r.history || array_fill(0::float8, ARRAY[count(*)::int]) AS h FROM round d
      WHERE d.season_id = r.season_id AND d.n > r.round AND d.n <= s.round AND d.started_at IS NOT NULL) x)
    ELSE r.history END AS history
FROM rating r JOIN (SELECT id, (head->>'round')::int AS round FROM season) s ON s.id = r.season_id
  CROSS JOIN LATERAL (SELECT r.active AND r.round < s.round AS old) o
`
