/**
 * Runners that were stopped stay stopped, closed seasons are looked at to their last match, and a point of the series says
 * which matches it had seen, so that it can be drawn again when one of them is voided.
 */
export default `
-- stopped by hand, flagged, or of a key that is not trusted: it gets no work, however long it stays away
ALTER TABLE runner ADD COLUMN stopped boolean NOT NULL DEFAULT false;
UPDATE runner SET stopped = true WHERE state = 'draining' OR flagged_at IS NOT NULL;

-- a closed season that has been looked at to its end
ALTER TABLE match_check ADD COLUMN complete boolean NOT NULL DEFAULT false;

-- machine: the round, and the last number of rating given
ALTER TABLE series_point ADD COLUMN round int NOT NULL DEFAULT 0, ADD COLUMN n int NOT NULL DEFAULT 0;
UPDATE series_point p SET
  round = coalesce((SELECT max(r.n) FROM round r WHERE r.season_id = p.season_id AND r.started_at <= p.at), 0),
  n = coalesce((SELECT m.rated_n FROM match m WHERE m.season_id = p.season_id AND m.ended_at <= p.at AND m.status = 'rated'
    ORDER BY m.ended_at DESC, m.rated_n DESC LIMIT 1), 0)
`
