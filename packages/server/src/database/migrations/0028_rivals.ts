/**
 * Counts of a version's rivals (model/RivalCache.ts): all matches before an instant, as `{model: [played, wins, draws,
 * losses, the last one's time in ms]}`, at a time when so many of the season's matches had been voided.
 */
export default `
CREATE TABLE rival_tally (
  version_id uuid PRIMARY KEY REFERENCES version (id) ON DELETE CASCADE,
  counted_to timestamptz NOT NULL,
  voided int NOT NULL,
  tallies jsonb NOT NULL
)
`
