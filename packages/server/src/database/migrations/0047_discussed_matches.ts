/**
 * The figures that lists of a side are sorted by stand on its seats as well, and whether others finished first, so that
 * the longest matches of a model, or its wins, are read off seat_version as its newest are: each match was looked up, 13
 * us. A release before this one leaves them out, and then the match is looked up as before. It costs a match 48 bytes of
 * its table and as much of the index, and no index more.
 *
 * Matches that somebody wrote about, with what lists filter by, so that the most discussed ones of a filter or a side
 * are found without going through all of the season's: those of one model took 100 ms where 300,000 matches were
 * discussed. The columns are the match's and never change, except `comments`, which is the thread's. Triggers on
 * `thread` write it, so that it has the comments of every release that runs on this database. Where a backup is put back
 * its row is there before the thread. Play writes none of it.
 *
 * A row costs some 0.1 ms when a thread is opened. New comments wait while the threads that are there are read, 0.2 ms
 * each on a busy machine. The season is no foreign key, since making one would keep play waiting as long.
 */
export default `
CREATE TABLE discussed_match (
  match_id uuid PRIMARY KEY,
  season_id uuid NOT NULL,
  ended_at timestamptz NOT NULL,
  comments int NOT NULL,
  ladder text,
  map_id text NOT NULL,
  classes int NOT NULL,
  best_place int,
  versions uuid[] NOT NULL
);
CREATE FUNCTION match_is_discussed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO discussed_match (match_id, season_id, ended_at, comments, ladder, map_id, classes, best_place, versions)
  SELECT m.id, m.season_id, m.ended_at, o.comments, m.ladder, m.map_id, m.classes, m.best_place,
    ARRAY(SELECT DISTINCT y.version_id FROM seat y WHERE y.match_id = m.id)
  FROM opened o JOIN match m ON m.id = o.match_id ON CONFLICT (match_id) DO NOTHING; RETURN NULL; END $$;
CREATE TRIGGER thread_opened AFTER INSERT ON thread REFERENCING NEW TABLE AS opened
  FOR EACH STATEMENT EXECUTE FUNCTION match_is_discussed();
CREATE FUNCTION comments_are_counted() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE discussed_match d SET comments = NEW.comments WHERE d.match_id = NEW.match_id; RETURN NULL; END $$;
CREATE TRIGGER thread_counted AFTER UPDATE OF comments ON thread FOR EACH ROW
  WHEN (NEW.match_id IS NOT NULL AND NEW.comments <> OLD.comments) EXECUTE FUNCTION comments_are_counted();

INSERT INTO discussed_match (match_id, season_id, ended_at, comments, ladder, map_id, classes, best_place, versions)
  SELECT m.id, m.season_id, m.ended_at, t.comments, m.ladder, m.map_id, m.classes, m.best_place,
    ARRAY(SELECT DISTINCT y.version_id FROM seat y WHERE y.match_id = m.id)
  FROM thread t JOIN match m ON m.id = t.match_id;

CREATE INDEX discussed_most ON discussed_match (season_id, comments DESC, ended_at DESC, match_id DESC)
  INCLUDE (ladder, map_id, classes, best_place) WHERE comments > 0;
CREATE INDEX discussed_ladder ON discussed_match (season_id, ladder, comments DESC, ended_at DESC, match_id DESC)
  INCLUDE (map_id, classes, best_place) WHERE comments > 0;
CREATE INDEX discussed_map ON discussed_match (season_id, map_id, comments DESC, ended_at DESC, match_id DESC)
  INCLUDE (ladder, classes, best_place) WHERE comments > 0;
CREATE INDEX discussed_classes ON discussed_match (season_id, classes, comments DESC, ended_at DESC, match_id DESC)
  INCLUDE (ladder, map_id, best_place) WHERE comments > 0;
CREATE INDEX discussed_place ON discussed_match (season_id, best_place, comments DESC, ended_at DESC, match_id DESC)
  INCLUDE (ladder, map_id, classes) WHERE comments > 0;
CREATE INDEX discussed_since ON discussed_match (season_id, ended_at, comments DESC, match_id DESC)
  INCLUDE (ladder, map_id, classes, best_place) WHERE comments > 0;
CREATE INDEX discussed_versions ON discussed_match USING gin (versions) WITH (fastupdate = off);

-- Last, since play waits from here on.
ALTER TABLE seat ADD COLUMN closeness float8, ADD COLUMN upset float8, ADD COLUMN turns int, ADD COLUMN shared boolean;
CREATE FUNCTION seats_have_upset() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE seat y SET upset = NEW.upset WHERE y.match_id = NEW.id AND y.turns IS NOT NULL AND y.upset IS DISTINCT FROM NEW.upset; RETURN NULL; END $$;
CREATE TRIGGER match_upset_changed AFTER UPDATE OF upset ON match FOR EACH ROW
  WHEN (NEW.upset IS DISTINCT FROM OLD.upset) EXECUTE FUNCTION seats_have_upset();
-- rolling: as in 0046, it is replaced only where that takes as long as a commit may wait
DO $$ BEGIN IF NOT EXISTS (SELECT FROM seat OFFSET 50000) THEN DROP INDEX seat_version, seat_trial; CREATE INDEX seat_version ON seat (version_id, ended_at DESC) INCLUDE (match_id, rank, turns, made_mu, closeness, upset, shared); CREATE INDEX seat_trial ON seat (version_id, ended_at DESC) INCLUDE (match_id) WHERE made_mu IS NULL AND rank > 0; END IF; END $$
`
