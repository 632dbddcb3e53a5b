/**
 * Matches that are looked at again. What an entry took over is kept for re-ratings (machine). How far a season's matches
 * have been looked at is one row; those that another runner plays again have a row each.
 */
export default `
-- machine: what a version started from where it took a rating over, after so many matches had been numbered
CREATE TABLE rating_seed (
  season_id uuid NOT NULL,
  ladder text NOT NULL,
  version_id uuid NOT NULL,
  ord int NOT NULL,
  round int NOT NULL,
  n int NOT NULL,
  of uuid NOT NULL,
  mu float8 NOT NULL,
  sigma float8 NOT NULL,
  PRIMARY KEY (season_id, ladder, version_id)
);

CREATE TABLE match_check (
  season_id uuid PRIMARY KEY REFERENCES season,
  ended_at timestamptz NOT NULL,
  match_id uuid NOT NULL
);
CREATE INDEX match_replayed ON match (season_id, ended_at, id) WHERE replay_hash IS NOT NULL;

-- waiting -> leased -> waiting (lost, or a second opinion is asked for) -> done; a hot and small part of it is open
CREATE TABLE match_audit (
  id uuid PRIMARY KEY,
  match_id uuid NOT NULL CONSTRAINT match_audit_match UNIQUE,
  season_id uuid NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'leased', 'done')),
  created_at timestamptz NOT NULL,
  lease_n int NOT NULL DEFAULT 0,
  runner_id uuid,
  key_id uuid,
  until timestamptz,
  -- the first auditor whose last state was another than the one reported
  doubter_id uuid,
  doubter_sha256 text,
  verdict text
) WITH (fillfactor = 70);
CREATE INDEX match_audit_open ON match_audit (season_id, created_at) WHERE state <> 'done'
`
