/** Voided matches that ratings still have: the log is folded beside the season, however many matches came after. */
export default `
-- writer: the season's actor. A row comes with the commit that fails the match, and goes with the one that has its ratings without it
CREATE TABLE voiding (
  season_id uuid NOT NULL REFERENCES season,
  match_id uuid NOT NULL,
  n int NOT NULL,              -- the number of rating that the match had
  round int NOT NULL,
  ladder text NOT NULL,
  versions uuid[] NOT NULL,    -- by seat
  PRIMARY KEY (season_id, match_id)
)
`
