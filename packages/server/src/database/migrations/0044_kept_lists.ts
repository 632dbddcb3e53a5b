/**
 * What processes keep of lists of matches that took long to find (match/list/KeptLists.ts), a row for each season: the total and the first rows
 * of all matches before an instant, `[[id, figure, end in us]]`, true as long as the season's marks are these. A process that has just started, and another
 * node, go on from there. Rows that were not stored again for long leave.
 */
export default `
CREATE TABLE kept_list (
  name text NOT NULL,
  season_id uuid NOT NULL REFERENCES season ON DELETE CASCADE,
  marks text NOT NULL,
  kept_to timestamptz NOT NULL,
  total int NOT NULL,
  whole boolean NOT NULL,
  last_trial timestamptz,
  rows jsonb NOT NULL,
  stored_at timestamptz NOT NULL,
  PRIMARY KEY (name, season_id)
);
CREATE INDEX kept_list_stored ON kept_list (stored_at)
`
