/** Ratings of the commits whose rating rows still wait (server/actor/WaitingRatings.ts): few rows a season, none while it is calm. */
export default `
-- writer: the season's actor. A claim writes the ratings in it to their rows and empties it: nodes that do not know it must not
-- claim a season that one which does has played
CREATE TABLE rating_redo (
  season_id uuid NOT NULL REFERENCES season,
  seq int8 NOT NULL,           -- of the commit
  ratings bytea NOT NULL,      -- those that the commit changed, as server/season/redo.ts packs them
  PRIMARY KEY (season_id, seq)
);
-- numbers that hardly repeat: trying to make them smaller would cost more than writing them
ALTER TABLE rating_redo ALTER COLUMN ratings SET STORAGE EXTERNAL
`
