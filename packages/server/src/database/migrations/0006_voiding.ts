/** Runners that were stopped stay stopped, and closed seasons are looked at to their last match. */
export default `
-- stopped by hand, flagged, or of a key that is not trusted: it gets no work, however long it stays away
ALTER TABLE runner ADD COLUMN stopped boolean NOT NULL DEFAULT false;
UPDATE runner SET stopped = true WHERE state = 'draining' OR flagged_at IS NOT NULL;

-- a closed season that has been looked at to its end
ALTER TABLE match_check ADD COLUMN complete boolean NOT NULL DEFAULT false
`
