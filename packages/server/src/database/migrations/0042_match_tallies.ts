/**
 * How many matches of a season count, up to the number of rating `counted_to`, in two ways: by ladder, board and classes, without a place;
 * and by ladder and the best place that a seat had, up to some place, without the rest. Both grow with what seasons have,
 * not with their matches. `first` and `last` are when the first and the last of them ended, and stay when one of them is voided.
 *
 * The service counts beside the season (match/list/TallySweep.ts), and a trigger takes a voided match out again: so play pays nothing, and
 * voids of every release that runs on this database are seen. Both hold the lock of the season's tally while they do it, since neither
 * sees what the other has not committed.
 */
export default `
CREATE TABLE season_tally (
  season_id uuid PRIMARY KEY REFERENCES season ON DELETE CASCADE,
  counted_to int NOT NULL
);

CREATE TABLE match_tally (
  season_id uuid NOT NULL REFERENCES season_tally ON DELETE CASCADE,
  ladder text NOT NULL,
  map_id text,
  classes int,
  best_place int,
  matches int NOT NULL,
  first timestamptz NOT NULL,
  last timestamptz NOT NULL,
  CONSTRAINT match_tally_key UNIQUE NULLS NOT DISTINCT (season_id, ladder, map_id, classes, best_place)
);

CREATE FUNCTION match_tally_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('tally ' || OLD.season_id, 0)); UPDATE match_tally t SET matches = t.matches - 1
    WHERE t.season_id = OLD.season_id AND t.ladder = OLD.ladder AND (t.map_id = OLD.map_id AND t.classes = OLD.classes OR t.best_place = OLD.best_place)
      AND OLD.rated_n <= (SELECT y.counted_to FROM season_tally y WHERE y.season_id = OLD.season_id); RETURN NULL; END
$$;
CREATE TRIGGER match_tally_void AFTER UPDATE OF rated_n ON match FOR EACH ROW
  WHEN (OLD.rated_n IS NOT NULL AND NEW.rated_n IS NULL) EXECUTE FUNCTION match_tally_void()
`
