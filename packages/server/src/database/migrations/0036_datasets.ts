/**
 * The daily files of public seasons (dataset/DatasetMaker.ts). A row of `dataset_file` is written when its object lies in the store, in
 * one commit with the others of its part, and never changes.
 *
 * `dataset_voided` is an outbox: the matches that lost their number of rating, until the part that lists them, or that would have
 * contained them, is written. A trigger fills it, so that it has the voids of every release that runs on this database. Its rows have
 * the time of the season, which the same statement has written. The rows of a season are numbered in the order of its commits.
 */
export default `
CREATE TABLE dataset_file (
  season_id uuid NOT NULL REFERENCES season,
  day date NOT NULL,
  part int NOT NULL,
  kind text NOT NULL CHECK (kind IN ('matches', 'replays', 'voided')),
  key text NOT NULL CONSTRAINT dataset_file_key UNIQUE,
  sha256 text NOT NULL,
  bytes bigint NOT NULL,
  rows int NOT NULL,
  through_n int NOT NULL,      -- the number of rating of the last match in this part or before it
  last boolean NOT NULL,       -- whether it is the last part of its day
  made_at timestamptz NOT NULL,
  PRIMARY KEY (season_id, day, part, kind)
);

CREATE TABLE dataset_voided (
  season_id uuid NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  match_id uuid NOT NULL,
  n int NOT NULL,              -- the number of rating that the match had
  at timestamptz NOT NULL,
  PRIMARY KEY (season_id, seq)
);

-- who makes the files of a season, and until when nobody else does
CREATE TABLE dataset_claim (
  season_id uuid PRIMARY KEY REFERENCES season,
  holder uuid NOT NULL,
  until timestamptz NOT NULL
);

CREATE FUNCTION dataset_void() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO dataset_voided (season_id, match_id, n, at)
    SELECT s.id, NEW.id, OLD.rated_n, to_timestamp((s.head->>'now')::float8 / 1000) FROM season s WHERE s.id = NEW.season_id; RETURN NULL; END
$$;
CREATE TRIGGER match_dataset_void AFTER UPDATE OF rated_n ON match FOR EACH ROW
  WHEN (OLD.rated_n IS NOT NULL AND NEW.rated_n IS NULL) EXECUTE FUNCTION dataset_void()
`
