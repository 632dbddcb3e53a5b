/**
 * Tables of the audience: notices of the platform, picks, views.
 *
 * A notice of the platform is one row, whoever many it is for: every account reads it beside the notifications of its own, and
 * only who has read it gets a row. A hundred thousand notifications would be written for a few people who come to look.
 *
 * Views are counted for each day, for what there is; ids that nothing has are never stored, and a day has only so many rows.
 */
export default `
-- An id as newId makes them: UUIDv7, of the given time. For statements that make rows of rows.
CREATE FUNCTION new_id(at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send(floor(extract(epoch FROM at) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

CREATE INDEX notice_everybody ON notice (sent_at DESC, id DESC) WHERE season_id IS NULL;

CREATE TABLE notice_read (
  account_id uuid NOT NULL REFERENCES account,
  notice_id uuid NOT NULL REFERENCES notice,
  read_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, notice_id)
);

-- a match is never deleted, so a pick names it without a foreign key
CREATE TABLE pick (
  id uuid PRIMARY KEY,
  match_id uuid NOT NULL CONSTRAINT pick_match UNIQUE,
  game text NOT NULL REFERENCES game,
  season_id uuid NOT NULL REFERENCES season,
  note text,
  picked_at timestamptz NOT NULL
);
CREATE INDEX pick_game ON pick (game, picked_at DESC, id DESC);
CREATE INDEX pick_newest ON pick (picked_at DESC, id DESC);

-- game: of a season, whose slug is its game's alone; else empty
CREATE TABLE view_count (
  day date NOT NULL,
  kind text NOT NULL,
  game text NOT NULL,
  id text NOT NULL,
  views bigint NOT NULL,
  PRIMARY KEY (day, kind, game, id)
) WITH (fillfactor = 70)
`
