/**
 * The figures that lists of matches sort and filter by stand on the match itself, so that a page is read in the order of an index
 * and a filter asks no seat. Written with the match (actor/store/figures.ts); of those that were there, worked out of their seats.
 *
 *   closeness    minus the share of the first's score that the second is behind; null where that has no meaning
 *   upset        by how much a seat was rated, before the match, above one that finished before it: the most
 *   classes      the weight classes that were seated: bit n for the n-th of nano, micro, mini, small, large, open
 *   best_place   the best place in the ladder that a seat had before the match
 *
 * `match_newest` carries what filters ask, so that neither a rare filter nor a count fetches rows that do not fit. A rated
 * match costs three index entries more than it did; trials are few, so theirs cost nothing that could be measured.
 */
export default `
ALTER TABLE match ADD COLUMN closeness float8, ADD COLUMN upset float8, ADD COLUMN classes int NOT NULL DEFAULT 0,
  ADD COLUMN best_place int;

UPDATE match m SET closeness = CASE WHEN f.scores[1] = f.scores[2] THEN 0
    ELSE -abs(f.scores[1] - f.scores[2])::float8 / nullif(abs(f.scores[1]), 0) END,
  upset = (SELECT max((l.made_mu - l.made_change) - (w.made_mu - w.made_change)) FROM seat w JOIN seat l ON l.match_id = w.match_id
    WHERE w.match_id = m.id AND w.rank < l.rank),
  classes = f.classes, best_place = f.best_place
FROM (SELECT y.match_id, array_agg(y.score ORDER BY y.rank, y.score DESC) AS scores, min(y.place) AS best_place,
    coalesce(bit_or(1 << (array_position(ARRAY['nano', 'micro', 'mini', 'small', 'large', 'open'], v.class) - 1)), 0) AS classes
  FROM seat y JOIN version v ON v.id = y.version_id GROUP BY y.match_id) f
WHERE f.match_id = m.id AND m.status IN ('rated', 'finished');

DROP INDEX match_newest;
CREATE INDEX match_newest ON match (season_id, ended_at DESC, id DESC) INCLUDE (ladder, map_id, classes, best_place)
  WHERE status = 'rated';
CREATE INDEX match_longest ON match (season_id, turns DESC NULLS LAST, ended_at DESC, id DESC) WHERE status = 'rated';
CREATE INDEX match_closest ON match (season_id, closeness DESC NULLS LAST, ended_at DESC, id DESC) WHERE status = 'rated';
CREATE INDEX match_upset ON match (season_id, upset DESC NULLS LAST, ended_at DESC, id DESC) WHERE status = 'rated';
CREATE INDEX match_trial ON match (season_id, ended_at DESC, id DESC) INCLUDE (candidate, map_id, classes)
  WHERE status = 'finished' AND candidate IS NOT NULL
`
