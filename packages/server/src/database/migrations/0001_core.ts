/**
 * The core tables. Accounts, rosters and keys are written by plain SQL; what the season machine writes is marked
 * "machine": only the season's actor touches it, in its one fenced statement (season/queries.ts). Measured shapes:
 * `live` and `review` are hot and small (fillfactor 50, inserted, updated, deleted); `match` and `seat` are inserted
 * once, with the result; `rating` is rewritten in place and carries what a restart needs, so that no history is read.
 */
export default `
CREATE TABLE account (
  id uuid PRIMARY KEY,
  username text NOT NULL CONSTRAINT account_username UNIQUE,
  display_name text NOT NULL,
  bio text NOT NULL DEFAULT '',
  admin boolean NOT NULL DEFAULT false,
  suspended boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL
);

CREATE TABLE identity (
  provider text NOT NULL,
  subject text NOT NULL,
  account_id uuid NOT NULL REFERENCES account,
  login text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (provider, subject)
);
CREATE INDEX identity_account ON identity (account_id);
CREATE INDEX identity_login ON identity (provider, lower(login));

CREATE TABLE session (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account,
  token_sha256 bytea NOT NULL CONSTRAINT session_token UNIQUE,
  user_agent text,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX session_account ON session (account_id, created_at DESC);
CREATE INDEX session_expiry ON session (expires_at);

CREATE TABLE word (word text PRIMARY KEY, added_at timestamptz NOT NULL);

CREATE TABLE game (slug text PRIMARY KEY);

CREATE TABLE season (
  id uuid PRIMARY KEY,
  game text NOT NULL REFERENCES game,
  slug text NOT NULL,
  name text NOT NULL,
  visibility text NOT NULL CHECK (visibility IN ('public', 'private')),
  entry text NOT NULL CHECK (entry IN ('open', 'restricted')),
  providers text[] NOT NULL,
  featured boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  -- machine: settings, edited through the actor
  submissions_open_at timestamptz NOT NULL,
  submissions_close_at timestamptz NOT NULL,
  rules jsonb NOT NULL,
  weight_classes jsonb NOT NULL,
  fleet jsonb NOT NULL,
  fill jsonb NOT NULL,
  engine_digest text NOT NULL,
  -- machine: the fence, the generator and the counters
  epoch int NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  head jsonb NOT NULL,
  close_requested_at timestamptz,
  closed_at timestamptz,
  CONSTRAINT season_slug UNIQUE (game, slug)
) WITH (fillfactor = 50);
CREATE INDEX season_open ON season (id) WHERE closed_at IS NULL;
CREATE UNIQUE INDEX season_featured ON season (game) WHERE featured;

CREATE TABLE season_admin (
  season_id uuid NOT NULL REFERENCES season,
  account_id uuid NOT NULL REFERENCES account,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (season_id, account_id)
);
CREATE INDEX season_admin_account ON season_admin (account_id);

CREATE TABLE participant (
  id uuid PRIMARY KEY,
  season_id uuid NOT NULL REFERENCES season,
  provider text NOT NULL,
  login text NOT NULL,
  added_at timestamptz NOT NULL,
  CONSTRAINT participant_login UNIQUE (season_id, provider, login)
);

-- machine: switched and counted by the actor; the file is as uploaded
CREATE TABLE board (
  season_id uuid NOT NULL REFERENCES season,
  map_id text NOT NULL,
  ord int NOT NULL,
  players int NOT NULL,
  rows int NOT NULL,
  cols int NOT NULL,
  enabled boolean NOT NULL,
  used int[] NOT NULL,
  file jsonb NOT NULL,
  added_at timestamptz NOT NULL,
  PRIMARY KEY (season_id, map_id)
);

-- machine: the times at which a board came into play (enabled) and went out
CREATE TABLE board_switch (
  season_id uuid NOT NULL,
  map_id text NOT NULL,
  at timestamptz NOT NULL,
  enabled boolean NOT NULL,
  n bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (season_id, map_id, n),
  FOREIGN KEY (season_id, map_id) REFERENCES board
);

-- owner_id is null for the model that stands for a baseline; baseline_season says of which season
CREATE TABLE model (
  id uuid PRIMARY KEY,
  game text NOT NULL REFERENCES game,
  owner_id uuid REFERENCES account,
  baseline_season uuid REFERENCES season,
  name text NOT NULL,
  retired boolean NOT NULL DEFAULT false,
  last_number int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  CONSTRAINT model_name UNIQUE (owner_id, game, name),
  CONSTRAINT model_baseline UNIQUE (baseline_season, name),
  CHECK ((owner_id IS NULL) <> (baseline_season IS NULL))
);

-- machine, except note: inserted and moved by the actor; the note is the owner's
CREATE TABLE version (
  id uuid PRIMARY KEY,
  season_id uuid NOT NULL REFERENCES season,
  model_id uuid NOT NULL REFERENCES model,
  owner_id uuid REFERENCES account,
  ord int NOT NULL,
  number int NOT NULL,
  weights_hash text NOT NULL,
  manifest_hash text NOT NULL,
  note text,
  created_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('testing', 'entered', 'rejected', 'superseded', 'disabled')),
  phase text CHECK (phase IN ('upload', 'review', 'trial')),
  upload_until timestamptz,
  weights_bytes int,
  manifest_bytes int,
  class text,
  admit_attempt int NOT NULL,
  admit_failures int NOT NULL,
  admit_key uuid,
  param_count bigint,
  infer_us int,
  memory_flat int,
  memory_cell int,
  memory_bytes int,
  runtime_version text,
  reject_reason text,
  reject_detail text,
  successor int,
  trial_played int NOT NULL,
  trial_failed int NOT NULL,
  trial_void int NOT NULL,
  CONSTRAINT version_number UNIQUE (model_id, number),
  CONSTRAINT version_ord UNIQUE (season_id, ord)
) WITH (fillfactor = 80);
CREATE INDEX version_model ON version (model_id, season_id, number DESC);
CREATE INDEX version_owner ON version (owner_id, created_at DESC) WHERE owner_id IS NOT NULL;
CREATE INDEX version_upload ON version (upload_until) WHERE phase = 'upload';

-- machine: a review that waits for, or is with, a runner
CREATE TABLE review (
  season_id uuid NOT NULL REFERENCES season,
  version_id uuid NOT NULL REFERENCES version,
  lease_n int NOT NULL,
  runner_id uuid,
  key_id uuid,
  until timestamptz,
  released boolean NOT NULL,
  PRIMARY KEY (season_id, version_id)
) WITH (fillfactor = 50);

-- machine: one row per queued or leased match. Here, in match and in seat the season is there by construction: the fence
-- that writes them is an update of its row, and a foreign key would cost Postgres 7 us a row to find out the same
CREATE TABLE live (
  season_id uuid NOT NULL,
  id uuid NOT NULL,
  n int NOT NULL,
  ladder text,
  candidate uuid,
  round int NOT NULL,
  map_id text NOT NULL,
  seed bigint NOT NULL,
  versions uuid[] NOT NULL,
  created_at timestamptz NOT NULL,
  lease_n int NOT NULL,
  losses int NOT NULL,
  runner_id uuid,
  key_id uuid,
  until timestamptz,
  released boolean NOT NULL,
  PRIMARY KEY (season_id, id)
) WITH (fillfactor = 50);

-- machine: how every match ended; never changed afterwards but by a re-rating
CREATE TABLE match (
  id uuid PRIMARY KEY,
  season_id uuid NOT NULL,
  n int NOT NULL,
  ladder text,
  candidate uuid,
  round int NOT NULL,
  map_id text NOT NULL,
  seed bigint NOT NULL,
  engine_digest text NOT NULL,
  status text NOT NULL CHECK (status IN ('rated', 'finished', 'cancelled', 'failed')),
  rated_n int,
  lease_n int NOT NULL,
  runner_id uuid,
  key_id uuid,
  released boolean NOT NULL,
  created_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  withdrawn_reason text,
  successor int,
  fault_reason text,
  fault_detail text,
  reason text,
  turns int,
  played_ms int,
  runtime_version text,
  state_sha256 text,
  replay_hash text,
  replay_bytes int
);
CREATE INDEX match_newest ON match (season_id, ended_at DESC, id DESC) WHERE status = 'rated';
CREATE UNIQUE INDEX match_rated ON match (season_id, rated_n) WHERE rated_n IS NOT NULL;
CREATE INDEX match_candidate ON match (candidate) WHERE candidate IS NOT NULL;

-- machine: a seat of a match that has ended. The rating history is here: means and deviations after the match, on the
-- ladder it was made for (made_*) and on open where that is another (open_*). A match that ended without a result has its
-- seats too, with rank 0, so that an owner's matches of every state are found by one index.
CREATE TABLE seat (
  match_id uuid NOT NULL,
  seat int NOT NULL,
  season_id uuid NOT NULL,
  version_id uuid NOT NULL,
  model_id uuid NOT NULL,
  owner_id uuid,
  ended_at timestamptz NOT NULL,
  rank int NOT NULL,
  score int NOT NULL,
  strikes int NOT NULL,
  place int,
  made_mu float8,
  made_sigma float8,
  made_change float8,
  open_mu float8,
  open_sigma float8,
  open_change float8,
  PRIMARY KEY (match_id, seat)
);
CREATE INDEX seat_version ON seat (version_id, ended_at DESC);
CREATE INDEX seat_model ON seat (model_id, ended_at DESC);
CREATE INDEX seat_owner ON seat (owner_id, ended_at DESC) WHERE owner_id IS NOT NULL;

-- machine: one row per version and ladder
CREATE TABLE rating (
  season_id uuid NOT NULL REFERENCES season,
  ladder text NOT NULL,
  version_id uuid NOT NULL REFERENCES version,
  ord int NOT NULL,
  active boolean NOT NULL,
  mu float8 NOT NULL,
  sigma float8 NOT NULL,
  matches int NOT NULL,
  round_matches int NOT NULL,
  made int NOT NULL,
  credit float8 NOT NULL,
  forfeits int NOT NULL,
  seat_sum float8 NOT NULL,
  trend float8,
  met int[] NOT NULL,
  history float8[] NOT NULL,
  PRIMARY KEY (season_id, ladder, version_id)
) WITH (fillfactor = 60);
CREATE INDEX rating_rank ON rating (season_id, ladder, mu DESC, version_id) WHERE active;
CREATE INDEX rating_version ON rating (version_id);

-- machine
CREATE TABLE round (
  season_id uuid NOT NULL REFERENCES season,
  n int NOT NULL,
  kind text NOT NULL CHECK (kind IN ('round', 'finals')),
  games int NOT NULL,
  starts_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  withdrawn boolean NOT NULL,
  PRIMARY KEY (season_id, n)
);

-- machine: the order of a ladder at one moment, for the series read
CREATE TABLE series_point (
  season_id uuid NOT NULL REFERENCES season,
  ladder text NOT NULL,
  at timestamptz NOT NULL,
  versions uuid[] NOT NULL,
  mus float8[] NOT NULL,
  PRIMARY KEY (season_id, ladder, at)
);

-- season_id null: a key of the platform's fleet
CREATE TABLE runner_key (
  id uuid PRIMARY KEY,
  season_id uuid REFERENCES season,
  name text NOT NULL,
  prefix text NOT NULL,
  key_sha256 bytea NOT NULL CONSTRAINT runner_key_secret UNIQUE,
  created_by uuid REFERENCES account,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX runner_key_season ON runner_key (season_id, created_at);

CREATE TABLE runner (
  id uuid PRIMARY KEY,
  key_id uuid NOT NULL REFERENCES runner_key,
  name text NOT NULL,
  runtime_version text NOT NULL,
  engines jsonb NOT NULL,
  accepts text[] NOT NULL,
  slots int NOT NULL,
  state text NOT NULL CHECK (state IN ('active', 'draining', 'gone')),
  isolation text,
  flagged_at timestamptz,
  created_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX runner_of_key ON runner (key_id, created_at);
CREATE INDEX runner_seen ON runner (last_seen_at) WHERE state <> 'gone';

CREATE TABLE audit (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  actor uuid,
  action text NOT NULL,
  game text,
  season_id uuid,
  subject text NOT NULL,
  detail jsonb
);
CREATE INDEX audit_season ON audit (season_id, at DESC, id DESC) WHERE season_id IS NOT NULL;
CREATE INDEX audit_at ON audit (at DESC, id DESC)
`
